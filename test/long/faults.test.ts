import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDice } from '../../src/local/dice.ts'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { type FaultStack, startFaultStack } from '../support/faults/fault-stack.ts'
import { functionProcesses, killProcess } from '../support/faults/function-processes.ts'
import { randomFault } from '../support/faults/random-faults.ts'
import { startRefundModel } from '../support/faults/refund-model.ts'
import {
  isOver,
  prepareRefund,
  type Refund,
  type RefundEnd,
  readEnd,
  submitRefund,
} from '../support/faults/refunds.ts'
import { createSkippableTime } from '../support/faults/skippable-time.ts'
import { createRunWatch, type RequestPoint } from '../support/faults/watch-runs.ts'

const SEED = Number(process.env.TURNWISE_SEED ?? 1)
const dice = createDice(SEED)
const RUNS = 200
const KILLS_PER_INVOKE = 0.05
const CANCELLED = 0.12
const LONGEST_MODEL_MS = 200
/** Nothing is under way when no run has made a request for so long. */
const QUIET_MS = 4_000
/** Time that is skipped then: to the next look at a run whose nudge was lost, then to where a lost call is late. */
const SKIPS_MS = [60_000, 360_000] as const
const MOST_SKIPS = 20
const SUITE_WITHIN_MS = 540_000

const runs = createRunWatch()
const time = createSkippableTime()
const happened = { lost: 0, doubled: 0, delayed: 0, 'response lost': 0, killed: 0, cancelled: 0, skipped: 0 }
let model: ModelServer
let stack: FaultStack
let lastRequestAt = Date.now()

beforeAll(async () => {
  let replies = 0
  model = await startRefundModel(() => LONGEST_MODEL_MS * dice.rollOnce('model', String(replies++)))
  stack = await startFaultStack({
    model,
    on: runs.on,
    stack: { sweepEveryMs: 1_000, retryDelaysMs: [50], projectEnvironment: time.environment },
    tableFaults: { seed: SEED },
  })
})
afterAll(async () => {
  await stack?.close()
  await model?.close()
  time.remove()
})

describe('W2 W3 messages are lost, doubled and late, responses are lost, functions are killed and runs cancelled', () => {
  it(
    `ends each of ${RUNS} runs, with no refund given twice and no request that a provider refuses`,
    async () => {
      const refunds = await Promise.all(
        Array.from({ length: RUNS }, (_, index) =>
          prepareRefund(stack, index, index % 2 === 0 ? 'refund_order' : 'refund_order_plain'),
        ),
      )
      for (const refund of refunds) runs.watch(refund, (point) => trouble(refund, point))
      await Promise.all(refunds.map(submit))
      await untilAllOver(refunds)

      const ends = await Promise.all(
        refunds.map(async (refund) => ({ ...refund, ...(await readEnd(stack, refund)) })),
      )
      console.info(`seed ${SEED}: ${figures(ends)}`)
      expect(ends.filter(({ refunds: given }) => given > 1)).toEqual([])
      expect(ends.filter(({ call, refunds: given }) => call === 'completed' && given !== 1)).toEqual([])
      expect(ends.filter(isTakenForUndone)).toEqual([])
      expect(ends.filter(({ call, status }) => call === 'none' && status !== 'cancelled')).toEqual([])
      expect(model.refusals).toEqual([])
      expect(Object.entries(happened).filter(([, times]) => times === 0)).toEqual([])
    },
    SUITE_WITHIN_MS,
  )
})

/** A call of the plain tool whose failure says that nothing was changed, and something was. */
const isTakenForUndone = ({ tool, call, refunds }: RefundEnd & Pick<Refund, 'tool'>): boolean =>
  tool === 'refund_order_plain' && !['completed', 'Interrupted', 'none'].includes(call) && refunds > 0

/** What happens at a request of a run: a fault of its own, the death of some function, the end of the client's patience. */
function trouble({ runId }: Refund, point: RequestPoint) {
  lastRequestAt = Date.now()
  const { name, occurrence } = point
  if (name.startsWith('Invoke') && dice.rollOnce(runId, name, String(occurrence), 'kill') < KILLS_PER_INVOKE)
    void killSomeFunction(dice.rollOnce(runId, name, String(occurrence), 'which'))
  if (name === cancelPoint(runId) && occurrence === 1) void cancel(runId)
  const random = randomFault(dice, runId, point)
  if (random) happened[random.kind] += 1
  return random?.fault
}

/** Where the client of some runs cancels. */
function cancelPoint(runId: string): string | undefined {
  if (dice.rollOnce(runId, 'cancel') >= CANCELLED) return undefined
  return CANCEL_POINTS[Math.floor(dice.rollOnce(runId, 'cancel at') * CANCEL_POINTS.length)]
}
const CANCEL_POINTS = [
  'PutItem T#000001',
  'UpdateItem T#000001',
  'Invoke tool',
  'UpdateItem T#000001#R',
  'UpdateItem order',
  'PutItem T#000002',
  'UpdateItem T#000002',
]

async function cancel(runId: string): Promise<void> {
  const answer = await stack
    .gateway()
    .cancel(runId)
    .catch(() => undefined)
  if (answer?.status === 200) happened.cancelled += 1
}

async function killSomeFunction(dice: number): Promise<void> {
  const pids = await functionProcesses(stack.directory)
  const pid = pids[Math.floor(dice * pids.length)]
  if (pid !== undefined && killProcess(pid)) happened.killed += 1
}

/** A client repeats its request, under the same key, until it is answered. */
async function submit(refund: Refund): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await submitRefund(stack, refund)
    } catch (error) {
      if (attempt === 5) throw error
    }
  }
}

/** Looks only when nothing is under way; a run that is open then waits for something that was lost. */
async function untilAllOver(refunds: readonly Refund[]): Promise<void> {
  for (;;) {
    while (Date.now() - lastRequestAt < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 500))
    const isDone = await Promise.all(refunds.map((refund) => isOver(stack, refund)))
    const open = refunds.filter((_, index) => !isDone[index])
    if (open.length === 0) return
    if (happened.skipped === MOST_SKIPS) throw new Error(await describeOpen(open))
    time.skip(SKIPS_MS[happened.skipped % 2] ?? 0)
    happened.skipped += 1
    lastRequestAt = Date.now()
  }
}

async function describeOpen(open: readonly Refund[]): Promise<string> {
  const records = await Promise.all(open.map(({ runId }) => stack.store.turns.history(runId)))
  return `${open.length} runs do not end: ${JSON.stringify(records, null, 1)}\n${stack.logged.slice(-40).join('\n')}`
}

function figures(ends: readonly (RefundEnd & Refund)[]): string {
  const count = (values: readonly string[]) =>
    [...new Set(values)]
      .toSorted()
      .map((value) => `${values.filter((other) => other === value).length} ${value}`)
      .join(', ')
  const of = (tool: Refund['tool']) => {
    const own = ends.filter((end) => end.tool === tool)
    const refunds = own.reduce((sum, end) => sum + end.refunds, 0)
    return `${tool}: ${count(own.map(({ status }) => status))}, calls ${count(own.map(({ call }) => call))}, ${refunds} refunds`
  }
  const faults = Object.entries(happened).map(([kind, times]) => `${times} ${kind}`)
  return `${faults.join(', ')}; ${of('refund_order')}; ${of('refund_order_plain')}; ${model.requests.length} model requests, ${model.refusals.length} refused`
}
