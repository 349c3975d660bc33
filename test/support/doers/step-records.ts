import { answerOf, followPointers } from '../../../src/runtime/kept-values.ts'
import type { ToolStepMessage } from '../../../src/runtime/messages.ts'
import { stepCall } from '../../../src/store/keys.ts'
import type { CallEntries } from '../../../src/store/records.ts'

/** Results of steps by run and place, answered and followed as the runtime does, where nothing is small enough to be handed on itself. */
export function createStepRecords() {
  const results = new Map<string, unknown>()
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
  const store = { calls } as unknown as Parameters<typeof followPointers>[0] // reading results is all that is asked of it
  const follow = (runId: string, value: unknown) => followPointers(store, runId, value)
  return {
    follow,
    /** Runs a step on what its input stands for, and answers what the machine wants of its output. Throws what `run` throws. */
    async answer({ runId, step, input, wanted }: ToolStepMessage, run: (input: unknown) => unknown) {
      const { sk, entry } = stepCall(runId, step)
      const output = run(await follow(runId, input))
      results.set(`${runId} ${sk}`, output)
      const answer = answerOf(output, { sk, entry }, wanted, [0])
      if ('failure' in answer) throw new Error(answer.failure.message)
      return answer.output
    },
  }
}
