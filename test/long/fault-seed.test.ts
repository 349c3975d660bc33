import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServedProject } from '../../src/cli/start-project.ts'
import { functionName } from '../../src/core/function-name.ts'
import { LOCAL_PREFIX } from '../../src/local/stack/environment.ts'
import { createRandomFaults } from '../../src/local/stack/random-faults.ts'
import { copyProject, createGatewayClient } from '../support/test-project.ts'

const QUESTIONS = 12
/** Of the functions that the runs below call, those that are sent events. */
const GET_EVENTS = ['rescue', 'resume', 'tool-order_status', 'turn-order_agent', 'turn-report_writer']
const KINDS = ['delay', 'double', 'refuse', 'lose', 'lose-answer']

describe('W9 a stack that is started with faults', () => {
  let project: Awaited<ReturnType<typeof copyProject>>
  beforeAll(async () => {
    project = await copyProject('functions')
  })
  afterAll(() => project.remove())

  it('completes runs and a doer all the same, and says what went wrong', async () => {
    const lines: string[] = []
    const served = await startServedProject({
      directory: project.directory,
      env: { PATH: process.env.PATH },
      log: (line) => lines.push(line),
      port: 0,
      stack: { faultSeed: seedThatLosesNoEvent(), sweepEveryMs: 2_000 },
    })
    try {
      const gateway = createGatewayClient(served.gateway.url)
      const submitted = await Promise.all([
        ...Array.from({ length: QUESTIONS }, (_, index) =>
          gateway.submit('order_agent', { question: `Where is order A-10${10 + index}?` }),
        ),
        gateway.submit('customer_report', { customerId: 'C-07' }),
      ])
      const ended = await Promise.all(submitted.map(({ id }) => gateway.ended(id, 120_000)))
      expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'completed'))
      const kinds = lines.flatMap((line) => /^\[fault\].*"kind":"([a-z-]+)"/.exec(line)?.[1] ?? [])
      expect(kinds.filter((kind) => !KINDS.includes(kind))).toEqual([])
      expect(kinds.length).toBeGreaterThan(3)
    } finally {
      await served.close()
    }
  })
})

/** An event that is lost is noticed a minute later: of this seed none is among the first sixty of these functions. */
function seedThatLosesNoEvent(): number {
  const names = GET_EVENTS.map((id) => functionName(LOCAL_PREFIX, id))
  for (let seed = 1; ; seed++) {
    const faults = createRandomFaults(seed, () => undefined)
    const losesNone = names.every((name) =>
      SIXTY.every((number) => faults(attemptOf(name, number))?.kind !== 'lose'),
    )
    if (losesNone) return seed
  }
}

const SIXTY = Array.from({ length: 60 }, (_, index) => index + 1)

const attemptOf = (functionName: string, number: number) =>
  ({ functionName, number, type: 'Event', qualifier: undefined, requestId: '', payload: '{}' }) as const
