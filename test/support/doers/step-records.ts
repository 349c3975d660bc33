import { cutAnswer } from '../../../src/runtime/cut-answer.ts'
import { findItem, findList } from '../../../src/runtime/list-artifacts.ts'
import { answerListStep } from '../../../src/runtime/list-steps.ts'
import type { ListMessage, ToolStepMessage } from '../../../src/runtime/messages.ts'
import { followPointers, listAddress } from '../../../src/runtime/pointers.ts'
import type { Ports } from '../../../src/runtime/ports.ts'
import { stepCall } from '../../../src/store/keys.ts'
import type { CallEntries } from '../../../src/store/records.ts'
import { createStore } from '../../../src/store/store.ts'
import { createMemoryTable } from '../simulation/memory-table.ts'
import { KeptList } from './kept-list.ts'

/** Nothing is small enough to be handed on itself. */
const SMALL_BYTES = [0]
const EXPIRES_AT = 4_000_000_000

/**
 * Results of steps by run and place, and list artifacts, answered and followed as the runtime does, where nothing is small enough to be
 * handed on itself.
 */
export function createStepRecords() {
  const ports = createPorts()
  const { results, store } = ports
  const { artifacts } = store

  /** With lists in place of the references to them. */
  const open = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(open))
    if (typeof value !== 'object' || value === null) return value
    if ('artifact' in value) {
      const { id, size } = await findList(ports, String(value.artifact))
      const items: unknown[] = []
      for await (const item of artifacts.readItems(id, 0, size)) items.push(await open(item))
      return new KeptList(items)
    }
    return ofEntries(value, open)
  }
  /** With references in place of lists. */
  const keep = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(keep))
    if (typeof value !== 'object' || value === null) return value
    if (!(value instanceof KeptList)) return ofEntries(value, keep)
    const id = ports.random()
    const size = await artifacts.writeItems(id, await Promise.all(value.items.map(keep)), {
      expiresAt: EXPIRES_AT,
    })
    await artifacts.finish(id, size, EXPIRES_AT)
    return { artifact: id, size }
  }
  const follow = async (runId: string, value: unknown) => open(await followPointers(ports, runId, value))

  return {
    follow,
    /** Runs a step on what its input stands for, and answers what the machine wants of its output. Throws what `run` throws. */
    async answer({ runId, step, input, wanted }: ToolStepMessage, run: (input: unknown) => unknown) {
      const { sk, entry } = stepCall(runId, step)
      const output = await keep(run(await follow(runId, input)))
      results.set(`${runId} ${sk}`, output)
      return outputOf(cutAnswer(output, { sk, entry }, wanted, SMALL_BYTES))
    },
    async answerList(message: ListMessage): Promise<unknown> {
      if (message.kind !== 'load') return answerListStep(ports, message)
      const { list, index, wanted } = message
      const item = await findItem(ports, list.artifact, index)
      return { output: outputOf(cutAnswer(item, listAddress(list.artifact, index), wanted, SMALL_BYTES)) }
    },
  }
}

/** The real lists over a table in memory; of runs and calls what is asked of them. */
function createPorts() {
  const results = new Map<string, unknown>()
  const table = createMemoryTable({ now: () => 0, staleMs: () => 0, indexLagMs: () => 0, pageSize: () => 2 })
  let last = 0
  const random = () => {
    last += 1
    return last.toString(16).padStart(32, '0')
  }
  const calls = {
    read: async ({ runId, sk }: { readonly runId: string; readonly sk: string }): Promise<CallEntries> => ({
      closed: false,
      done: new Set([0]),
      entry: () => ({
        result: { ok: true, value: results.get(`${runId} ${sk}`), startedAt: 0, endedAt: 0 },
        claim: undefined,
        child: undefined,
      }),
    }),
  }
  const runs = { read: async () => ({ status: 'running', expiresAt: EXPIRES_AT }) }
  const store = { ...createStore(table, random), calls, runs }
  // Lists ask for nothing else.
  const ports = { store, clock: { now: () => 0 }, random } as unknown as Ports
  return { ...ports, results }
}

function outputOf(answer: ReturnType<typeof cutAnswer>): unknown {
  if ('failure' in answer) throw new Error(answer.failure.message)
  return answer.output
}

async function ofEntries(value: object, change: (part: unknown) => Promise<unknown>): Promise<object> {
  const entries = Object.entries(value).map(async ([name, part]) => [name, await change(part)] as const)
  return Object.fromEntries(await Promise.all(entries))
}
