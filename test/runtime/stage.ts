import { thinker, tool } from 'turnwise'
import * as z from 'zod'
import type { Callable } from '../../src/core/callable.ts'
import type { Thinker } from '../../src/core/thinker.ts'
import { createManualClock } from '../../src/local/manual-clock.ts'
import type { AsynchronousMessage, Machines, Ports } from '../../src/runtime/ports.ts'
import type { CallEntries, CallResult, Claim, Run, Turn, TurnBody } from '../../src/store/records.ts'
import { createStore } from '../../src/store/store.ts'
import type { Table } from '../../src/store/table.ts'
import { NOW, random } from '../store/records.ts'
import { createMemoryTable } from '../support/simulation/memory-table.ts'

export const orderStatus = tool({
  name: 'order_status',
  description: 'Says how an order stands',
  input: z.object({ orderNumber: z.string(), detail: z.boolean().default(false) }),
  output: z.object({ status: z.string() }),
  readOnly: true,
}).run(() => ({ status: 'open' }))

export const refundOrder = tool({
  name: 'refund_order',
  description: 'Pays an order back',
  input: z.object({ orderNumber: z.string() }),
  output: z.object({ refunded: z.boolean() }),
}).run(() => ({ refunded: true }))

/** A thinker that answers `{ text }`; its palette is the two tools unless another is given. */
export const agentOf = (palette: readonly Callable[] = [orderStatus, refundOrder], name = 'order_agent') =>
  thinker({
    name,
    description: 'Looks after orders',
    input: z.object({ question: z.string().min(1), tone: z.string().default('kind') }),
    output: z.object({ text: z.string() }),
    grade: 'small',
    outputSize: 'compact',
    instructions: 'Help with orders.',
    palette,
  })
export const orderAgent: Thinker = agentOf()

/** The runtime's ports over a table in memory, with all that leaves them written down. */
export function createStage(given: { readonly mayTell?: boolean; readonly send?: Ports['send'] } = {}) {
  const clock = createManualClock(NOW)
  const table: Table = createMemoryTable({
    now: clock.now,
    staleMs: () => 0,
    indexLagMs: () => 0,
    pageSize: () => 3,
  })
  const sent: { readonly target: string; readonly message: AsynchronousMessage }[] = []
  const machines: { readonly started: unknown[]; readonly stopped: string[]; readonly answered: unknown[] } =
    {
      started: [],
      stopped: [],
      answered: [],
    }
  const recorder: Machines = {
    async start(doer, runId, input) {
      machines.started.push({ doer, runId, input })
    },
    async stop(_, runId) {
      machines.stopped.push(runId)
    },
    describe: async () => ({ kind: 'running' }),
    async answer(token, answer) {
      machines.answered.push({ token, answer })
    },
  }
  const ports: Ports = {
    store: createStore(table, random),
    async send(target, message) {
      await given.send?.(target, message)
      sent.push({ target, message })
    },
    machines: recorder,
    mayTell: given.mayTell ?? true,
    reportFault: () => undefined,
    clock,
    random,
  }
  return { ports, store: ports.store, table, clock, sent, machines }
}

export async function readRun({ store }: Pick<Ports, 'store'>, runId: string): Promise<Run> {
  const run = await store.runs.read(runId)
  if (!run) throw new Error(`There is no run ${runId}`)
  return run
}

/** The entries of a results item, by their place. */
export const entriesOf = (
  results: Readonly<Record<number, CallResult>> = {},
  claims: Readonly<Record<number, Claim>> = {},
): CallEntries => ({
  closed: false,
  done: new Set(Object.keys(results).map(Number)),
  entry: (index) => ({ result: results[index], claim: claims[index], child: undefined, question: undefined }),
})

export const committed = (
  number: number,
  body: TurnBody,
  results = entriesOf(),
): Turn & { state: 'committed' } => ({
  state: 'committed',
  number,
  body,
  results,
})

/** Lets all that follows without a timer happen. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
