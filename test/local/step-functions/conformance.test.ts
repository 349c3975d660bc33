import {
  type DescribeExecutionOutput,
  StartSyncExecutionCommand,
  type StartSyncExecutionOutput,
} from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { endedOnMovedClock } from './ended-on-moved-clock.ts'
import type { Reply } from './fake-lambda.ts'
import { fillPlaceholders, normalise, type RecordedCase, readRecordedCases } from './recorded-cases.ts'
import { historyOf, type Stage, setStage } from './stage.ts'

const cases = readRecordedCases()

if (cases === undefined)
  it.skip('skipped: the executions recorded on AWS are not at ../shared/conformance/asl-jsonata-cases.json', () => {})

describe.skipIf(cases === undefined)('executions recorded on AWS', () => {
  const clock = createManualClock()
  const scripts = new Map<string, Reply[]>()
  let stage: Stage

  beforeAll(async () => {
    stage = await setStage(
      ({ functionName }) =>
        scripts.get(functionName)?.shift() ?? { status: 404, exception: 'ResourceNotFoundException' },
      { clock, accountId: '111111111111' },
    )
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  for (const [index, recorded] of (cases ?? []).entries()) {
    it(recorded.name, () =>
      recorded.type === 'EXPRESS'
        ? replayExpress(recorded, `case-${index}`)
        : replay(recorded, `case-${index}`),
    )
  }

  function create(recorded: RecordedCase, functionName: string): Promise<string> {
    scripts.set(functionName, recorded.taskScript.map(toReply))
    const machine = nameFunctions({ QueryLanguage: 'JSONPath', ...recorded.definition }, functionName)
    return stage.create(functionName, machine, recorded.type)
  }

  async function replayExpress(recorded: RecordedCase, functionName: string): Promise<void> {
    const stateMachineArn = await create(recorded, functionName)
    const execution = await stage.client.send(
      new StartSyncExecutionCommand({
        stateMachineArn,
        input: JSON.stringify(nameFunctions(recorded.input, functionName)),
      }),
    )
    const found = { ...outcomeOf(execution), events: [] }
    expect(found).toEqual(fillPlaceholders(expectedOf(recorded, functionName), found))
  }

  async function replay(recorded: RecordedCase, functionName: string): Promise<void> {
    const arn = await create(recorded, functionName)
    const executionArn = await stage.start(arn, nameFunctions(recorded.input, functionName))
    const execution = await endedOnMovedClock(stage, clock, executionArn)
    const found = {
      ...outcomeOf(execution),
      events: (await historyOf(stage.client, executionArn)).map(
        ({ id, previousEventId, type, timestamp: _, ...rest }) => ({
          id,
          prev: previousEventId,
          type,
          details: normalise(Object.values(rest)[0] ?? {}),
        }),
      ),
    }
    expect(found).toEqual(fillPlaceholders(expectedOf(recorded, functionName), found))
  }
})

function outcomeOf({ status, output, error, cause }: DescribeExecutionOutput | StartSyncExecutionOutput) {
  return { status, output: normalise(output), error, cause: normalise(cause) }
}

function expectedOf(recorded: RecordedCase, functionName: string): unknown {
  return nameFunctions(
    {
      status: recorded.expectedStatus,
      output: normalise(recorded.expectedOutput),
      error: recorded.expectedError ?? undefined,
      cause: normalise(recorded.expectedCause ?? undefined),
      events: recorded.expectedEvents.map((event) => ({
        ...event,
        details: normalise(event.details ?? {}),
      })),
    },
    functionName,
  )
}

/** The recorded output of `lambda:invoke` has the function's result in AWS's envelope. */
function toReply({ resourceType, result }: RecordedCase['taskScript'][number]): Reply {
  if (result.error !== undefined) return { functionError: result.cause }
  const isWrapped = resourceType === 'lambda'
  return {
    result: isWrapped ? z.object({ Payload: z.unknown() }).parse(result.output).Payload : result.output,
  }
}

/** Every function that a case names is the one that plays its script. */
function nameFunctions<T>(value: T, functionName: string): T {
  if (value === undefined) return value
  const text = JSON.stringify(value)
    .replaceAll(/:function:(<[^>]*>|[\w-]+)/g, `:function:${functionName}`)
    .replaceAll('<partition>', 'aws')
    .replaceAll('<region>', 'us-east-1')
  return JSON.parse(text) as T // the same shape, with other names in it
}
