import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Reply } from './fake-lambda.ts'
import { fillPlaceholders, normalise, type RecordedCase, readRecordedCases } from './recorded-cases.ts'
import { createSkippableClock } from './skippable-clock.ts'
import { historyOf, type Stage, setStage } from './stage.ts'

const cases = readRecordedCases()

/** Features that the stand-in does not have yet: their cases are listed as skipped. */
const MISSING: readonly [string, (recorded: RecordedCase) => boolean][] = [
  ['express executions', ({ type }) => type === 'EXPRESS'],
  ['distributed Map', ({ features }) => features.includes('DistributedMap')],
]

if (cases === undefined)
  it.skip('skipped: the executions recorded on AWS are not at ../shared/conformance/asl-jsonata-cases.json', () => {})

describe.skipIf(cases === undefined)('executions recorded on AWS', () => {
  const clock = createSkippableClock()
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
    const missing = MISSING.find(([, applies]) => applies(recorded))
    if (missing !== undefined) it.skip(`${recorded.name} needs ${missing[0]}`)
    else it(recorded.name, () => replay(recorded, `case-${index}`))
  }

  async function replay(recorded: RecordedCase, functionName: string): Promise<void> {
    scripts.set(functionName, recorded.taskScript.map(toReply))
    const arn = await stage.create(
      functionName,
      nameFunctions({ QueryLanguage: 'JSONPath', ...recorded.definition }, functionName),
    )
    const executionArn = await stage.start(arn, recorded.input)
    const execution = await endedOnSkippedClock(executionArn)
    const found = {
      status: execution.status,
      output: normalise(execution.output),
      error: execution.error,
      cause: normalise(execution.cause),
      events: (await historyOf(stage.client, executionArn)).map(
        ({ id, previousEventId, type, timestamp: _, ...rest }) => ({
          id,
          prev: previousEventId,
          type,
          details: normalise(Object.values(rest)[0] ?? {}),
        }),
      ),
    }
    const expected = nameFunctions(
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
    expect(found).toEqual(fillPlaceholders(expected, found))
  }

  async function endedOnSkippedClock(executionArn: string) {
    let isOver = false
    const ended = stage.ended(executionArn).finally(() => {
      isOver = true
    })
    for (let lastTurn = 0; !isOver; lastTurn = clock.pending()) {
      await new Promise((resolve) => setTimeout(resolve, 3))
      if (lastTurn > 0 && clock.pending() > 0 && !isOver) clock.skip(500)
    }
    return ended
  }
})

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
  const text = JSON.stringify(value)
    .replaceAll(/:function:(<[^>]*>|[\w-]+)/g, `:function:${functionName}`)
    .replaceAll('<partition>', 'aws')
    .replaceAll('<region>', 'us-east-1')
  return JSON.parse(text) as T // the same shape, with other names in it
}
