import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServedProject } from '../../src/cli/start-project.ts'
import { copyProject, createGatewayClient } from '../support/test-project.ts'

describe('a tool that runs for longer than five seconds when the stack is stopped', () => {
  let project: Awaited<ReturnType<typeof copyProject>>
  beforeAll(async () => {
    project = await copyProject('functions')
    const file = join(project.directory, 'functions/tools/order-status.ts')
    const [before, after] = readFileSync(file, 'utf8').split(/(?<=\.run\(async .*=> \{\n)/)
    const slow = `console.log('tool begins'); await new Promise((resolve) => setTimeout(resolve, 7_000)); console.log('tool ends')\n`
    writeFileSync(file, `${before}${slow}${after}`)
  })
  afterAll(() => project.remove())

  it('ends first, as turnwise start has it', async () => {
    const logged: string[] = []
    const served = await startServedProject({
      directory: project.directory,
      env: { PATH: process.env.PATH },
      log: (line) => logged.push(line),
      port: 0,
      waitsForFunctions: true,
    })
    const saw = (text: string) => logged.some((line) => line.endsWith(text))
    await createGatewayClient(served.gateway.url).submit('order_agent', {
      question: 'Where is order A-1007?',
    })
    await expect.poll(() => saw('tool begins'), { timeout: 20_000 }).toBe(true)
    await served.close()
    expect(logged.filter((line) => line.includes('killed'))).toEqual([])
    expect(saw('tool ends')).toBe(true)
  })
})
