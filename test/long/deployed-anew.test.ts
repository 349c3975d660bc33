import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServedProject } from '../../src/cli/start-project.ts'
import type { RunView } from '../../src/gateway/run-view.ts'
import { advice, type CaseModel, refusal, startCaseModel } from '../support/cases/case-model.ts'
import { endedAfterWaits } from '../support/cases/skip-waits.ts'
import { createSkippableTime } from '../support/faults/skippable-time.ts'
import { copyProject, createGatewayClient } from '../support/test-project.ts'

const time = createSkippableTime()
let model: CaseModel
let project: TestStack
/** How runs ended that were begun with the first version and went on after the second was deployed; `fresh` was begun with the second. */
let ends: Readonly<Record<string, RunView>>

/** Two checkouts, whose stacks use one state directory: that of the first. */
type TestStack = Readonly<Record<'first' | 'second', Awaited<ReturnType<typeof copyProject>>>>

const serve = ({ first, second }: TestStack, version: keyof TestStack) => {
  const { directory } = { first, second }[version]
  return startServedProject({
    directory,
    stateDirectory: relative(directory, join(first.directory, '.turnwise/local')),
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted' },
    log: () => undefined,
    port: 0,
    stack: { sweepEveryMs: 500, projectEnvironment: time.environment },
  })
}

beforeAll(async () => {
  model = await startCaseModel()
  project = {
    first: await copyProject('test/fixtures/deployed-anew/first/functions'),
    second: await copyProject('test/fixtures/deployed-anew/second/functions'),
  }
  const begun = await beginRuns()
  const { gateway, close } = await serve(project, 'second')
  try {
    const client = createGatewayClient(gateway.url)
    const fresh = await client.submit('reordered', { seconds: 0 })
    const ended = await Promise.all(
      begun.map(async ({ id, agent }) => [agent, await endedAfterWaits(client, time, id)] as const),
    )
    ends = { ...Object.fromEntries(ended), fresh: await client.ended(fresh.id) }
  } finally {
    await close()
  }
}, 180_000)
afterAll(async () => {
  await model?.close()
  await project?.first.remove()
  await project?.second.remove()
  time.remove()
})

/** Stops the first stack when one doer waits for a time, and two for a provider that asked their thinkers to come back. */
async function beginRuns(): Promise<readonly RunView[]> {
  const { gateway, close } = await serve(project, 'first')
  const client = createGatewayClient(gateway.url)
  const later = refusal(429, 'slow down', { headers: { 'retry-after': '600' } })
  const asking = ['less_code', 'no_code'].map((doer) =>
    client.submit(doer, { question: model.script([later, advice(' buy ')], doer) }),
  )
  const asked = await Promise.all(asking)
  const waiting = await Promise.all(
    ['reordered', 'renamed'].map((doer) => client.submit(doer, { seconds: 15 })),
  )
  for (const { id } of asked) {
    const { steps } = await client.until(id, ({ steps }) => steps.length > 0)
    await client.until(String(steps[0]?.run), ({ turns }) => turns[0]?.outcome === 'wait')
  }
  await close()
  return [...asked, ...waiting]
}

const stepsOf = (run: RunView | undefined) =>
  run?.steps.map(({ number, step, status }) => [number, step, status])

describe('O35 a doer that is deployed anew while a run of it waits', () => {
  it('runs on in the order that it began with, and the next run in the new one', () => {
    expect([ends.reordered, ends.fresh].map((run) => [run?.status, run?.answer, stepsOf(run)])).toEqual([
      [
        'completed',
        { steps: 'first: 12' },
        [
          [1, 'one', 'completed'],
          [2, 'two', 'completed'],
        ],
      ],
      [
        'completed',
        { steps: 'second: 21' },
        [
          [1, 'two', 'completed'],
          [2, 'one', 'completed'],
        ],
      ],
    ])
  })

  it('fails at the step whose code is no longer there, and says so', () => {
    expect(ends.less_code).toMatchObject({
      status: 'failed',
      error: {
        name: 'NotFound',
        message: 'step "trim": less_code has no code "trim"; it was deployed anew after this run had begun',
      },
    })
    expect(stepsOf(ends.less_code)).toEqual([[1, 'advise', 'completed']])
  })

  it('fails at code that has other inputs now, which would not find what it was given', () => {
    expect(ends.renamed).toMatchObject({
      status: 'failed',
      error: {
        name: 'NotFound',
        message:
          'step "double": renamed has no code "double" for the inputs a, but for total; it was deployed anew after this run had begun',
      },
    })
  })

  it('fails at a step of code where it has no function any more', () => {
    expect(ends.no_code).toMatchObject({ status: 'failed', error: { name: 'NotFound' } })
    expect(ends.no_code?.error?.message).toMatch(/^step "trim": .*Function not found.*doer-no_code/)
  })
})
