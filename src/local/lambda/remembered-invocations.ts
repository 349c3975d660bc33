import type { Attempt, Invocation, RunInvocation } from './invocation.ts'
import type { EndedInvocation, InvocationStore } from './invocation-store.ts'

/** What an attempt came to, with what the answer's headers say. */
export interface Answer {
  readonly requestId: string
  readonly executedVersion: string
  readonly attempt: Attempt
}

/**
 * Runs an invocation once for all requests that carry the same id, over restarts of the stand-in. AWS has no such
 * thing: it is for a caller that may be killed and must neither lose a call nor repeat it.
 */
export interface RememberedInvocations {
  /** Joins the invocation of this id that runs, answers from the one that ended, or runs this one. */
  run(id: string, invocation: Invocation, executedVersion: string): Promise<Answer>
  /** Undefined: no process was given an invocation of this id, or its caller has acknowledged it. */
  stateOf(id: string): 'running' | 'ended' | undefined
  /** The caller has the answers, and asks for them no more. */
  acknowledge(ids: readonly string[]): void
  /** For a closed pool: resolves when what ran is stored. */
  close(): Promise<void>
}

export function createRememberedInvocations(deps: {
  readonly store: InvocationStore
  readonly run: RunInvocation
}): RememberedInvocations {
  const { store } = deps
  const open = new Map<string, Promise<Answer>>()

  return {
    async run(id, invocation, executedVersion) {
      const known = find(id)
      if (known !== undefined) return known
      const running = runAndStore(id, invocation, executedVersion).finally(() => open.delete(id))
      open.set(id, running)
      return running
    },
    stateOf: store.stateOf,
    acknowledge: store.forget,
    async close() {
      await Promise.allSettled(open.values())
    },
  }

  /** Answers at once when there is nothing: between such a look and the run that follows nobody else may look. */
  function find(id: string): Promise<Answer> | Answer | undefined {
    const joined = open.get(id)
    if (joined !== undefined) return joined.then(withAnswer)
    const ended = store.findEnded(id)
    return ended && answerOf(ended)
  }

  async function runAndStore(id: string, invocation: Invocation, executedVersion: string): Promise<Answer> {
    const { requestId } = invocation
    const attempt = await deps.run(invocation, () => {
      store.begin({ id, requestId, executedVersion })
      return true
    })
    if (attempt.kind === 'result' || attempt.kind === 'error') store.end(id, attempt)
    if (attempt.kind === 'unanswered') store.end(id, attempt.outcome)
    return { requestId, executedVersion, attempt }
  }
}

function answerOf({ requestId, executedVersion, outcome }: EndedInvocation): Answer {
  return { requestId, executedVersion, attempt: outcome }
}

/** An answer that was lost was lost to one caller, not to those who joined. */
function withAnswer(answer: Answer): Answer {
  return answer.attempt.kind === 'unanswered' ? { ...answer, attempt: answer.attempt.outcome } : answer
}
