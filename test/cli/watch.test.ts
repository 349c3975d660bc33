import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../local/lambda/lambda-fixture.ts'
import { copyProject } from '../support/test-project.ts'

const TURNWISE = resolve(import.meta.dirname, '../../src/cli/turnwise.ts')
let project: Awaited<ReturnType<typeof copyProject>>
let command: ChildProcess
let printed = ''

/** `turnwise start` as a person runs it. */
beforeAll(async () => {
  project = await copyProject('test/fixtures/orders/functions')
  const words = [TURNWISE, 'start', '--directory', project.directory]
  command = spawn(process.execPath, words, { env: { PATH: process.env.PATH } })
  for (const stream of [command.stdout, command.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  await untilPrinted('Ctrl-C ends it')
}, 30_000)
afterAll(async () => {
  const ended = once(command, 'exit')
  command.kill('SIGINT')
  await ended
  await project.remove()
})

const untilPrinted = (text: string) => eventually(() => printed.includes(text), 20_000)
const change = (file: string, from: string, to: string) => {
  const path = join(project.directory, 'functions', file)
  const text = readFileSync(path, 'utf8')
  expect(text).toContain(from)
  writeFileSync(path, text.replace(from, to))
}

describe('a project that is changed while turnwise start runs it', () => {
  it('has its functions bundled again, and is told what needs a restart', { timeout: 60_000 }, async () => {
    change('tools/order-status.ts', 'timeoutSeconds: 10', 'timeoutSeconds: 77')
    await untilPrinted('Rebuilt: ')
    await untilPrinted('The gateway keeps the code that it has: restart to run the new one')
    await untilPrinted(
      'The plan has changed (tool-order_status is other, machine customer_report is other): restart to run it',
    )
    change('agents.ts', 'export const agents', 'export const agencies')
    await untilPrinted(
      'There is no plan of what changed, and the old one runs on: functions/agents.ts: it exports',
    )
    expect(printed.split('The gateway keeps').length).toBe(2)
  })
})
