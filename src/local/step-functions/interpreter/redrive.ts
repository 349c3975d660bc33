import type { Thread } from './execution.ts'
import { recordAfter, type Transition } from './transition.ts'

/**
 * Lets an execution that failed go on from the states in which it was: what had ended well is not done again, each other state is
 * performed anew with the input that it had, and with all its attempts. Throws `HistoryFull`.
 */
export function redriveThreads(transition: Transition): void {
  const { execution } = transition
  const eventId = recordAfter(transition, execution.eventCount, 'ExecutionRedriven', {
    redriveCount: execution.redrive?.count,
  })
  for (const thread of execution.threads.values())
    if (performAgain(thread, transition.nowMs, eventId)) transition.changed.add(thread)
}

function performAgain(thread: Thread, nowMs: number, eventId: number): boolean {
  switch (thread.phase.kind) {
    case 'branching':
      thread.retryCounts = []
      return true
    case 'ready':
    case 'finished':
    case 'failed':
      return false
    case 'waiting':
    case 'working':
    case 'retrying':
      thread.phase = { kind: 'retrying', untilMs: nowMs }
      thread.retryCounts = []
      thread.lastEventId = eventId
      return true
  }
}
