// `npm run demo`: starts the local stack, submits three runs over HTTP and shows each one's record as it grows.
import { rm } from 'node:fs/promises'
import { startServedProject } from '../src/cli/start-project.ts'
import type { RunView } from '../src/gateway/run-view.ts'
import { happeningsOf } from './timeline.ts'

const SUBMISSIONS = [
  { agent: 'order_agent', input: { question: 'Where is order A-1007?' } },
  { agent: 'order_agent', input: { question: 'Please refund order A-1012, it arrived broken.' } },
  { agent: 'customer_report', input: { customerId: 'C-07' } },
]
const LOOK_EVERY_MS = 150
const LONGEST_RUN_MS = 90_000

const stateDirectory = '.turnwise/demo'
await rm(stateDirectory, { recursive: true, force: true })
const logged: string[] = []
const project = await startServedProject({
  directory: '.',
  stateDirectory,
  env: process.env,
  log: (line) => logged.push(line),
  port: 0,
})
let isComplete = true
try {
  if (project.stack.isRehearsal)
    print(
      'No OPENAI_API_KEY is set: the rehearsal model answers. It follows fixed rules and is no language model.',
    )
  print(`The gateway is at ${project.gateway.url}`)
  for (const submission of SUBMISSIONS) {
    const run = await showRun(project.gateway.url, submission)
    if (run.status !== 'completed') isComplete = false
  }
} finally {
  await project.close()
}
if (!isComplete) {
  print('\nNot every run completed. What the functions printed:')
  for (const line of logged) print(line)
}
process.exitCode = isComplete ? 0 : 1

async function showRun(gateway: string, submission: (typeof SUBMISSIONS)[number]): Promise<RunView> {
  print(`\n${submission.agent}`)
  let run = await ask(`${gateway}/runs`, { method: 'POST', body: JSON.stringify(submission) })
  const shown = new Set<string>()
  const giveUpAt = Date.now() + LONGEST_RUN_MS
  for (;;) {
    for (const { key, at, text } of happeningsOf(run)) {
      if (shown.has(key)) continue
      shown.add(key)
      print(`  ${seconds(run.createdAt, at)}  ${text}`)
    }
    if (run.status !== 'running' || Date.now() > giveUpAt) break
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    run = await ask(`${gateway}/runs/${run.id}`)
  }
  print(`  answer: ${JSON.stringify(run.answer ?? null)}`)
  return run
}

async function ask(url: string, request: RequestInit = {}): Promise<RunView> {
  const response = await fetch(url, { ...request, headers: { 'Content-Type': 'application/json' } })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json() as Promise<RunView>
}

function seconds(from: string, to: string): string {
  return `+${((Date.parse(to) - Date.parse(from)) / 1_000).toFixed(2).padStart(5)} s`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
