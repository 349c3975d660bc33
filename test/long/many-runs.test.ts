import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleOrders } from '../../functions/setup.ts'
import type { RunView } from '../../src/gateway/run-view.ts'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { startScriptedModel } from '../../src/local/models/scripted.ts'
import { orderDesk } from '../e2e/order-desk.ts'
import { startTestProject, type TestProject } from '../support/test-project.ts'

const RUNS = 100
/** Of the whole local stack, unless it is told otherwise. */
const MOST_PROCESSES = 8

let model: ModelServer
let project: TestProject
beforeAll(async () => {
  model = await startScriptedModel({ replies: orderDesk })
  project = await startTestProject({ functionsDirectory: 'functions', modelUrl: model.url })
})
afterAll(async () => {
  await project?.close()
  await model?.close()
})

describe('a hundred runs at once', () => {
  it('complete, each with its own answer, in at most eight processes', { timeout: 110_000 }, async () => {
    const orders = exampleOrders.slice(0, RUNS)
    const seen = watchProcesses()
    const submitted = await Promise.all(
      orders.map(({ orderNumber }) =>
        project.gateway.submit('order_agent', { question: `Where is order ${orderNumber}?` }),
      ),
    )
    // Nobody looks before the model has said all that there is to say: looking would be the most of the work.
    await expect.poll(() => model.requests.length, { interval: 200, timeout: 100_000 }).toBe(2 * RUNS)
    const runs: RunView[] = []
    for (const { id } of submitted) runs.push(await project.gateway.ended(id, 100_000))
    const { most } = seen.stop()

    expect(new Set(submitted.map(({ id }) => id)).size).toBe(RUNS)
    expect(runs.map(({ status, answer }) => [status, answer])).toEqual(
      orders.map((order) => ['completed', { answer: JSON.stringify(order), orderNumber: order.orderNumber }]),
    )
    expect(most).toBe(MOST_PROCESSES)
    expect(model.requests).toHaveLength(2 * RUNS) // and nothing more since
    expect(model.refusals).toEqual([])
  })
})

/** Counts the functions' processes every few milliseconds: children of this process that run Lambda's bootstrap. */
function watchProcesses(): { stop(): { readonly most: number } } {
  let most = 0
  const counting = setInterval(() => {
    most = Math.max(most, countFunctionProcesses())
  }, 20)
  return {
    stop() {
      clearInterval(counting)
      return { most }
    },
  }
}

function countFunctionProcesses(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
  return children.filter((pid) => commandOf(pid).includes('/bundles/')).length
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // it has just ended
  }
}
