import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServedProject } from '../../src/cli/start-project.ts'
import { copyProject, createGatewayClient } from '../support/test-project.ts'

/** Of this seed no event of the first forty of a function is lost, which would be noticed a minute later. */
const SEED = 7
const QUESTIONS = 12

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
      stack: { faultSeed: SEED, sweepEveryMs: 2_000 },
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
      expect(new Set(kinds)).toEqual(new Set(['delay', 'double', 'refuse']))
    } finally {
      await served.close()
    }
  })
})
