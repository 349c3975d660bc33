import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { type FaultStack, startFaultStack } from '../support/faults/fault-stack.ts'
import {
  type RefundTool,
  refundInputOf,
  startRefundModel,
  toolTextOf,
} from '../support/faults/refund-model.ts'
import {
  prepareRefund,
  type Refund,
  type RefundEnd,
  readEnd,
  submitRefund,
  untilOver,
} from '../support/faults/refunds.ts'
import { createHold, createRunWatch, type Moment, type RequestPoint } from '../support/faults/watch-runs.ts'

/** Where a refund by this tool is when everything is killed. */
interface Kill {
  readonly tool: RefundTool
  readonly moment: Moment
  readonly point: RequestPoint
}

/** What became of it. */
interface Outcome extends Kill, RefundEnd {
  readonly orderNumber: string
}

const MOMENTS = ['before', 'after'] as const
/** So many refunds stand at their points when all processes are killed in one instant: it is the start that takes time. */
const REFUNDS_PER_KILL = 8
/** Less than the tools' minute, which is all that they have at their points. */
const REACH_WITHIN_MS = 50_000
const END_WITHIN_MS = 90_000
const SUITE_WITHIN_MS = 540_000

const runs = createRunWatch()
let model: ModelServer
let stack: FaultStack
let prepared = 0

beforeAll(async () => {
  model = await startRefundModel()
  stack = await startFaultStack({
    model,
    on: runs.on,
    // One for each refund, and a second where both who invokes and who is invoked stand still.
    stack: { maximumProcesses: 2 * REFUNDS_PER_KILL + 2, sweepEveryMs: 1_000, retryDelaysMs: [50] },
  })
})
afterAll(async () => {
  await stack?.close()
  await model?.close()
})

describe('W2 W3 every process is killed at each request of a refund, before and after it is served', () => {
  it(
    'ends each run with the refund given once, Interrupted only where it is unknown, and no request that a provider refuses',
    async () => {
      const idempotentPoints = await recordPoints('refund_order')
      const plainPoints = await recordPoints('refund_order_plain')
      const kills = idempotentPoints.flatMap((point, index): Kill[] => [
        ...MOMENTS.map((moment) => ({ tool: 'refund_order' as const, moment, point })),
        ...MOMENTS.map((moment) => ({
          tool: 'refund_order_plain' as const,
          moment,
          point: plainPoints[index] ?? point,
        })),
      ])
      const outcomes: Outcome[] = []
      for (let start = 0; start < kills.length; start += REFUNDS_PER_KILL)
        outcomes.push(...(await killAt(kills.slice(start, start + REFUNDS_PER_KILL))))

      const interrupted = outcomes.filter(({ call }) => call === 'Interrupted')
      console.info(figures(outcomes))
      expect(outcomes.filter(({ refunds }) => refunds > 1)).toEqual([])
      expect(outcomes.filter(({ call, refunds }) => call === 'completed' && refunds !== 1)).toEqual([])
      expect(outcomes.filter(({ call }) => call !== 'completed' && call !== 'Interrupted')).toEqual([])
      expect(
        interrupted
          .filter(({ point }) => !isBesideTheRefund(point))
          .map((kill) => `${kill.tool}: ${kill.moment} ${nameOf(kill.point)}`)
          .toSorted(),
      ).toEqual(WHERE_UNKNOWN)
      expect(interrupted.filter(({ tool }) => tool !== 'refund_order_plain')).toEqual([])
      expect(interrupted.filter(({ orderNumber }) => !wasToldInterrupted(orderNumber))).toEqual([])
      expect(outcomes.filter(({ status }) => status !== 'completed')).toEqual([])
      expect(model.refusals).toEqual([])
      // Both tools were killed at the same places.
      expect(plainPoints.map(nameOf).toSorted()).toEqual(idempotentPoints.map(nameOf).toSorted())
    },
    SUITE_WITHIN_MS,
  )
})

/** From the claim on until the result is there, nobody but the process that died can say whether the plain tool refunded. */
const WHERE_UNKNOWN = [
  'after GetItem order 1',
  'after UpdateItem T#000001#R 1',
  'after UpdateItem order 1',
  'before GetItem order 1',
  'before UpdateItem T#000001#R 2',
  'before UpdateItem order 1',
].map((place) => `refund_order_plain: ${place}`)

/** The gateway looks at the run to answer the POST after it has sent the nudge, so the refund may be anywhere when this look is held. */
const isBesideTheRefund = ({ name }: RequestPoint): boolean => name === 'Query run'

/** A refund without faults: all the requests that it makes, in their order. */
async function recordPoints(tool: RefundTool): Promise<RequestPoint[]> {
  const refund = await prepareRefund(stack, ++prepared, tool)
  const points: RequestPoint[] = []
  const endWatch = runs.watch(refund, (point) => {
    points.push(point)
    return undefined
  })
  await submitRefund(stack, refund)
  await untilOver(stack, refund, END_WITHIN_MS)
  endWatch()
  expect(await readEnd(stack, refund)).toEqual({ status: 'completed', call: 'completed', refunds: 1 })
  return points
}

/** Brings a refund of its own to each point, kills everything, starts again, and lets every client repeat its request. */
async function killAt(kills: readonly Kill[]): Promise<Outcome[]> {
  const held = await Promise.all(kills.map(bringTo))
  await stack.kill()
  for (const { letGo } of held) letGo()
  await stack.start()
  await Promise.all(
    held.map(async ({ refund }) => {
      await submitRefund(stack, refund)
      await untilOver(stack, refund, END_WITHIN_MS)
    }),
  )
  return Promise.all(
    held.map(async ({ kill, refund }) => ({
      ...kill,
      orderNumber: refund.orderNumber,
      ...(await readEnd(stack, refund)),
    })),
  )
}

async function bringTo(kill: Kill): Promise<{ kill: Kill; refund: Refund; letGo: () => void }> {
  const refund = await prepareRefund(stack, ++prepared, kill.tool)
  const hold = createHold(kill.point, kill.moment)
  const endWatch = runs.watch(refund, hold.decide)
  const submitting = submitRefund(stack, refund).catch(() => undefined) // it may be what is killed
  await Promise.race([hold.reached, notReached(kill)])
  return {
    kill,
    refund,
    letGo() {
      endWatch()
      hold.drop()
      void submitting
    },
  }
}

function notReached({ tool, moment, point }: Kill): Promise<never> {
  return new Promise((_, reject) => {
    const message = `A run of ${tool} did not come to ${moment} ${nameOf(point)} within ${REACH_WITHIN_MS} ms`
    setTimeout(() => reject(new Error(message)), REACH_WITHIN_MS).unref()
  })
}

const nameOf = ({ name, occurrence }: RequestPoint): string => `${name} ${occurrence}`

const wasToldInterrupted = (orderNumber: string): boolean =>
  model.requests.some(
    (request) =>
      refundInputOf(request).orderNumber === orderNumber && toolTextOf(request)?.startsWith('Interrupted'),
  )

function figures(outcomes: readonly Outcome[]): string {
  const of = (tool: RefundTool) => {
    const own = outcomes.filter((outcome) => outcome.tool === tool)
    const completed = own.filter(({ status }) => status === 'completed').length
    const refunds = own.reduce((sum, outcome) => sum + outcome.refunds, 0)
    const interrupted = own.filter(({ call }) => call === 'Interrupted').length
    return `${tool}: ${own.length} kills, ${completed} runs completed, ${refunds} refunds, ${interrupted} Interrupted`
  }
  return `${of('refund_order')}; ${of('refund_order_plain')}; ${model.requests.length} model requests, ${model.refusals.length} refused`
}
