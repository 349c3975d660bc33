import type { ChildProcess } from 'node:child_process'
import { exited, type FunctionError, type InvocationOutcome, killed } from './invocation-outcome.ts'
import { type InvokeMessage, type ProcessMessage, processMessageSchema } from './process-messages.ts'

/** The conversation with a function's process: one request at a time, each answered, by the process or by its end. */
export interface FunctionChannel {
  /** Resolves when the module is loaded; never, if it cannot be. */
  readonly ready: Promise<void>
  /** Resolves when the process is gone and all that it said has been read. */
  readonly ended: Promise<void>
  exchange(message: InvokeMessage): Promise<InvocationOutcome>
}

export function openChannel(child: ChildProcess): FunctionChannel {
  let open: { readonly requestId: string; readonly resolve: (outcome: InvocationOutcome) => void } | undefined
  let fatal: FunctionError | undefined
  let end: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined

  const ready = new Promise<void>((resolve) => {
    child.on('message', (raw) => {
      const { data: message } = processMessageSchema.safeParse(raw) // what else comes is the function's own
      if (message?.kind === 'ready') resolve()
      else if (message?.kind === 'fatal') fatal = message.error
      else if (message !== undefined && message.requestId === open?.requestId)
        open.resolve(outcomeOf(message))
    })
  })
  const ended = awaitEnd(child).then((how) => {
    end = how
    open?.resolve(endOutcome(open.requestId))
  })
  return {
    ready,
    ended,
    async exchange(message) {
      const { requestId } = message
      const outcome = await new Promise<InvocationOutcome>((resolve) => {
        if (end !== undefined) return resolve(endOutcome(requestId))
        open = { requestId, resolve }
        child.send(message, () => {}) // a process that is dying answers by its end
      })
      open = undefined
      await new Promise(setImmediate) // reads what it had printed before it answered
      return outcome
    },
  }

  function endOutcome(requestId: string): InvocationOutcome {
    if (fatal !== undefined) return { kind: 'error', error: fatal }
    return end === undefined ? killed(requestId) : exited(requestId, end.code, end.signal)
  }
}

/** A process can be gone before its last messages are read: only a closed channel has no more. */
async function awaitEnd(
  child: ChildProcess,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const disconnected = new Promise<void>((resolve) => child.once('disconnect', () => resolve()))
  const how = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', () => child.pid === undefined && resolve({ code: 1, signal: null })) // it never started
  })
  if (child.connected) await disconnected
  return how
}

function outcomeOf(message: ProcessMessage & { kind: 'result' | 'error' }): InvocationOutcome {
  return message.kind === 'result'
    ? { kind: 'result', json: message.json }
    : { kind: 'error', error: message.error }
}
