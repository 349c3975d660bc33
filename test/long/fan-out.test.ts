import type { HistoryEvent } from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { RunView } from '../../src/gateway/run-view.ts'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { startScriptedModel } from '../../src/local/models/scripted.ts'
import { createClient, historyOf } from '../local/step-functions/stage.ts'
import { largestIn } from '../support/cases/largest-in.ts'
import { type GatewayClient, startTestProject, type TestProject } from '../support/test-project.ts'

let model: ModelServer
let project: TestProject
let gateway: GatewayClient
beforeAll(async () => {
  model = await startScriptedModel({ replies: () => ({ text: '{}' }) })
  project = await startTestProject({
    functionsDirectory: 'test/fixtures/fan-out/functions',
    modelUrl: model.url,
    stack: { maximumProcesses: 10 },
  })
  gateway = project.gateway
})
afterAll(async () => {
  await project?.close()
  await model?.close()
})

async function run(agent: string, input: unknown) {
  const { id } = await gateway.submit(agent, input)
  return gateway.ended(id, 240_000)
}

const List = z.object({ artifact: z.string(), size: z.number() })
const Page = z.object({ items: z.array(z.unknown()), next: z.number().optional() })

/** All items of a list artifact, as the gateway gives them. */
async function itemsOf(list: unknown): Promise<unknown[]> {
  const { artifact } = List.parse(list)
  const items: unknown[] = []
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page = Page.parse((await gateway.ask(`/artifacts/${artifact}?from=${from}&limit=400`)).body)
    items.push(...page.items)
    from = page.next
  }
  return items
}

describe('N33 the generic fan-out', () => {
  it('gives each of 1,000 items to the worker that is named, and has the results in order, with three failures in place', async () => {
    const ended = await run('inspect_all', { count: 1_000, worker: 'inspect', instruction: 'not 7 500 999' })
    expect(ended).toMatchObject({ status: 'completed', answer: { results: { size: 1_000 } } })
    const results = await itemsOf(z.object({ results: List }).parse(ended.answer).results)
    const expected = Array.from({ length: 1_000 }, (_, number) =>
      [7, 500, 999].includes(number)
        ? { ok: false, error: { name: 'NotFound', message: `step "inspect": Part ${number} is lost` } }
        : { ok: true, value: { number, seen: `not 7 500 999: part ${number}` } },
    )
    expect(results).toEqual(expected)
  })

  it('has each item’s step on record, under the item’s place', async () => {
    const ended = await run('inspect_all', { count: 3, worker: 'measure', instruction: 'length' })
    const child = await gateway.look(ended.steps.find(({ step }) => step === 'look at each')?.run ?? '')
    expect(child.steps.map(({ step, indexes, output }) => [step, indexes, output])).toEqual([
      ['measure', [0], { length: 0 }],
      ['measure', [1], { length: 2 }],
      ['measure', [2], { length: 4 }],
    ])
    expect(await itemsOf(z.object({ results: List }).parse(child.answer).results)).toEqual(
      [0, 2, 4].map((length) => ({ ok: true, value: { length } })),
    )
  })

  it('gives an empty list for an empty list', async () => {
    const ended = await run('inspect_all', { count: 0, worker: 'measure', instruction: 'length' })
    expect(ended).toMatchObject({ status: 'completed', answer: { results: { size: 0 } } })
  })

  it('runs no worker that is not declared', async () => {
    const ended = await run('inspect_all', { count: 3, worker: 'make_text', instruction: 'length' })
    expect(ended).toMatchObject({
      status: 'failed',
      error: {
        name: 'InvalidInput',
        message: expect.stringMatching(/^step "look at each": [\s\S]*"inspect"\|"measure"/),
      },
    })
  })
})

describe('N42 a doer maps over a list artifact', () => {
  it('whose items decide what is done, and over the list that came of it', async () => {
    const ended = await run('each_part', { count: 5 })
    expect(ended).toMatchObject({
      status: 'completed',
      answer: { lengths: { size: 5 }, doubled: { size: 5 } },
    })
    const { lengths, doubled } = z.object({ lengths: List, doubled: List }).parse(ended.answer)
    expect(await itemsOf(lengths)).toEqual([0, 1, 4, 3, 8])
    expect(await itemsOf(doubled)).toEqual([0, 1, 4, 3, 8].map((length, index) => ({ length, index })))
  })

  it('fails, and says so, where there are more items than it takes', async () => {
    const ended = await run('each_part', { count: 21 })
    expect(ended).toMatchObject({ status: 'failed', error: { name: 'Internal' } })
    expect(ended.error?.message).toContain('"wheels" takes at most 20 items')
  })
})

describe('O25 values that are too large for a state', () => {
  it('travel as pointers and arrive whole: a step’s text of 300 KB, and 500 results of a map of 1 KB each', async () => {
    const numbers = Array.from({ length: 500 }, (_, index) => index % 10)
    const ended = await run('large_parts', { numbers, length: 341 })
    expect(ended).toMatchObject({
      status: 'completed',
      answer: { bytes: 500 * 1_024, firsts: numbers.join(''), first: `0${'漢'.repeat(100_000)}` },
    })
    expect(largestIn(await historyOfRun(ended))).toBeLessThan(100_000)
  })
})

async function historyOfRun({ agent, id }: RunView): Promise<HistoryEvent[]> {
  const { AWS_ENDPOINT_URL_SFN, TURNWISE_STATES_ARN, TURNWISE_PREFIX } = project.environment
  const client = createClient(String(AWS_ENDPOINT_URL_SFN))
  try {
    return await historyOf(client, `${TURNWISE_STATES_ARN}execution:${TURNWISE_PREFIX}-${agent}:${id}`)
  } finally {
    client.destroy()
  }
}
