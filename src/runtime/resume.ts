import { stepCall } from '../store/keys.ts'
import type { RunHistory } from '../store/turns.ts'
import { openCalls } from '../store/turns.ts'
import { giveUpSteps } from './cancel-run.ts'
import { endDoer, lookAtDoer } from './end-doer.ts'
import { finishRun } from './finish-run.ts'
import { lookAfterCalls } from './look-after-calls.ts'
import { FailureReport, RescueMessage, type ResumeMessage } from './messages.ts'
import { noteProgress } from './note-progress.ts'
import type { Ports } from './ports.ts'
import { noteQuestion, tellAnswer } from './questions.ts'
import { reportFailure } from './report-failure.ts'
import { settleEnd } from './settle-end.ts'
import { sweep } from './sweep.ts'

/**
 * The function that every end comes to: failure reports of Lambda, ends of machines, task tokens, the sweep of each minute, and nudges
 * of runs that have no turn function of their own. What it dies over comes back as `rescue`'s message, and is done then.
 */
export async function resume(ports: Ports, message: ResumeMessage): Promise<void> {
  if ('requestPayload' in message) {
    const report = FailureReport.safeParse(message)
    return report.success
      ? reportFailure(ports, report.data)
      : resume(ports, RescueMessage.parse(message).requestPayload)
  }
  if ('detail' in message)
    return message.detail.status === 'RUNNING' ? undefined : lookAtRun(ports, message.detail.name)
  switch (message.kind) {
    case 'nudge':
    case 'tell':
      return lookAtRun(ports, message.runId)
    case 'end':
      return endDoer(ports, message)
    case 'emit':
      return noteProgress(ports, message)
    case 'ask':
      return noteQuestion(ports, message)
    case 'answered':
      return tellAnswer(ports, stepCall(message.runId, message.step))
    case 'give-up':
      return giveUpSteps(ports, message)
    case 'sweep':
      return sweep(ports, (runId) => lookAtRun(ports, runId))
  }
}

async function lookAtRun(ports: Ports, runId: string): Promise<void> {
  // Not its history: that of a doer may have thousands of steps.
  const run = await ports.store.runs.read(runId)
  if (!run) return
  if (run.status !== 'running') return settleEnd(ports, run)
  switch (run.kind) {
    case 'tool': {
      const history = await ports.store.turns.history(runId)
      return history && lookAtTool(ports, history)
    }
    case 'doer':
      return lookAtDoer(ports, run)
    case 'thinker':
      return ports.send(`turn-${run.agent}`, { kind: 'nudge', runId })
  }
}

/** The run of a tool that was submitted by itself: one call, whose end is the run's. */
async function lookAtTool(ports: Ports, { run, turns }: RunHistory): Promise<void> {
  const [turn] = turns
  if (turn?.state !== 'committed') return
  if (openCalls(turn).length > 0) return lookAfterCalls(ports, run, turn)
  const { result } = turn.results.entry(0)
  if (!result) return
  const ending = result.ok
    ? ({ status: 'completed', output: result.value } as const)
    : ({ status: 'failed', error: result.failure } as const)
  await finishRun(ports, run, ending, ports.random())
}
