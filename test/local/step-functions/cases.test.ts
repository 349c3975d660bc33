import {
  type DescribeExecutionOutput,
  StartSyncExecutionCommand,
  type StartSyncExecutionOutput,
} from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import type { Answer, Case } from './cases/case.ts'
import { catching } from './cases/catch.ts'
import { choice } from './cases/choice.ts'
import { distributedMap } from './cases/distributed-map.ts'
import { ends } from './cases/ends.ts'
import { express } from './cases/express.ts'
import { functions } from './cases/functions.ts'
import { jsonata } from './cases/jsonata.ts'
import { map } from './cases/map.ts'
import { mapFailures } from './cases/map-failures.ts'
import { nestedMaps } from './cases/nested-maps.ts'
import { parallel } from './cases/parallel.ts'
import { retry } from './cases/retry.ts'
import { statesVariable } from './cases/states-variable.ts'
import { tasks } from './cases/task.ts'
import { timeouts } from './cases/timeouts.ts'
import { variables } from './cases/variables.ts'
import { wait } from './cases/wait.ts'
import { endedOnMovedClock } from './ended-on-moved-clock.ts'
import type { Invocation } from './fake-lambda.ts'
import { historyOf, type Stage, setStage } from './stage.ts'

const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  variables,
  'states-variable': statesVariable,
  choice,
  wait,
  task: tasks,
  retry,
  catch: catching,
  map,
  'map-failures': mapFailures,
  'nested-maps': nestedMaps,
  'distributed-map': distributedMap,
  parallel,
  timeouts,
  ends,
  functions,
  jsonata,
  express,
}

describe.each(Object.entries(GROUPS))('%s', (group, cases) => {
  const clock = createManualClock()
  let answer: (invocation: Invocation) => Answer
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage((invocation) => answer(invocation), { clock })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  it.each(cases.map((one, index) => ({ ...one, index })))('$name', async (one) => {
    answer = functionsOf(one)
    const arn = await stage.create(`${group}-${one.index}`, one.machine, one.type)
    const startedMs = clock.now()
    if (one.type === 'EXPRESS') {
      const input = JSON.stringify(one.input ?? {})
      const command = new StartSyncExecutionCommand({ stateMachineArn: arn, input })
      expectOutcome(await stage.client.send(command), one)
      return
    }
    const executionArn = await stage.start(arn, one.input)
    expectOutcome(await endedOnMovedClock(stage, clock, executionArn), one)
    if (one.seconds !== undefined) expect((clock.now() - startedMs) / 1_000).toBeCloseTo(one.seconds, 0)
    if (one.events === undefined) return
    const history = await historyOf(stage.client, executionArn)
    const found = history.map(({ type, previousEventId }) => `${type}<${previousEventId}`)
    expect(found).toEqual(one.events.trim().split(/\s+/))
    expect(history.map(({ id }) => id)).toEqual(history.map((_, index) => index + 1))
  })
})

function functionsOf({ functions = {} }: Case): (invocation: Invocation) => Answer {
  const calls = new Map<string, number>()
  return (invocation) => {
    const { functionName, payload } = invocation
    const call = calls.get(functionName) ?? 0
    calls.set(functionName, call + 1)
    const replies = functions[functionName]
    if (replies === undefined) return { result: payload }
    const reply = typeof replies === 'function' ? replies(invocation) : replies[call]
    return reply ?? { status: 500, exception: `UnexpectedCall${call + 1}Exception` }
  }
}

function expectOutcome(
  { status, output, error, cause }: DescribeExecutionOutput | StartSyncExecutionOutput,
  expected: Case,
): void {
  const found = { status, output: output === undefined ? undefined : JSON.parse(output), error, cause }
  expect(found).toEqual({
    status: expected.status ?? 'SUCCEEDED',
    output: expected.output,
    error: expected.error,
    cause: expected.cause instanceof RegExp ? expect.stringMatching(expected.cause) : expected.cause,
  })
}
