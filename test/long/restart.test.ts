import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServedProject } from '../../src/cli/start-project.ts'
import { copyProject, createGatewayClient } from '../support/test-project.ts'

describe('a doer that is going on when the stack is stopped', () => {
  let project: Awaited<ReturnType<typeof copyProject>>
  beforeAll(async () => {
    project = await copyProject('functions')
  })
  afterAll(() => project.remove())

  const serve = () =>
    startServedProject({
      directory: project.directory,
      env: { PATH: process.env.PATH },
      log: () => undefined,
      port: 0,
    })

  it('goes on at the next start, when the functions that it calls are there', async () => {
    const first = await serve()
    const { id } = await createGatewayClient(first.gateway.url).submit('customer_report', {
      customerId: 'C-07',
    })
    await first.close()

    const second = await serve()
    try {
      const run = await createGatewayClient(second.gateway.url).ended(id, 60_000)
      expect(run).toMatchObject({ status: 'completed', answer: { customerId: 'C-07' } })
      expect(run.steps.filter(({ step }) => step === 'look up')).toHaveLength(13)
    } finally {
      await second.close()
    }
  })
})
