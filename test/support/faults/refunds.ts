import { keyedRunId } from '../../../src/runtime/run-ids.ts'
import type { Run } from '../../../src/store/records.ts'
import type { FaultStack } from './fault-stack.ts'
import type { RefundTool } from './refund-model.ts'
import type { WatchedRun } from './watch-runs.ts'

const AGENT = 'refund_agent'
const LOOK_EVERY_MS = 250

/** A refund that a client asks for under a key of its own, as often as it takes. */
export interface Refund extends WatchedRun {
  readonly tool: RefundTool
}

/** How a refund ended, and how often it was really given. */
export interface RefundEnd {
  readonly status: Run['status']
  /** `completed`, the name of its failure, or `none` where no result was recorded. */
  readonly call: string
  readonly refunds: number
}

/** Makes an order and the refund of it; the run's id follows from the key, so it is known before the run is. */
export async function prepareRefund(stack: FaultStack, number: number, tool: RefundTool): Promise<Refund> {
  const orderNumber = `A-${1_000 + number}`
  await stack.orders.add(orderNumber)
  return { tool, orderNumber, runId: keyedRunId(AGENT, orderNumber) }
}

/** Posts the run; a repeat finds the same one. */
export async function submitRefund(stack: FaultStack, { orderNumber, tool }: Refund): Promise<void> {
  await stack.gateway().submit(AGENT, { orderNumber, tool }, orderNumber)
}

/** Whether the run has ended and nothing is left to do for it. */
export async function isOver(stack: FaultStack, { runId }: Refund): Promise<boolean> {
  const run = await stack.store.runs.read(runId)
  return run !== undefined && run.status !== 'running' && run.told
}

/** Resolves when the run is over; throws what stands in the table, and what was printed last, when it is not in time. */
export async function untilOver(stack: FaultStack, refund: Refund, withinMs: number): Promise<void> {
  const giveUpAt = Date.now() + withinMs
  while (!(await isOver(stack, refund))) {
    if (Date.now() > giveUpAt) {
      const record = JSON.stringify(await stack.store.turns.history(refund.runId), null, 1)
      throw new Error(`Not over within ${withinMs} ms: ${record}\n${stack.logged.slice(-40).join('\n')}`)
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

export async function readEnd(stack: FaultStack, { runId, orderNumber }: Refund): Promise<RefundEnd> {
  const history = await stack.store.turns.history(runId)
  if (!history) throw new Error(`There is no run ${runId}`)
  const [turn] = history.turns
  const result = turn?.state === 'committed' ? turn.results.entry(0).result : undefined
  const call = result === undefined ? 'none' : result.ok ? 'completed' : result.failure.name
  return { status: history.run.status, call, refunds: await stack.orders.refundsOf(orderNumber) }
}
