import { type Block, stepsOf } from '../../core/doer-plan.ts'
import { RESUME } from '../failure.ts'
import { embed } from '../jsonata.ts'
import { REPORT_RETRY, REPORT_TIMEOUT_SECONDS } from '../retry.ts'
import type { Flow } from './flow.ts'

/**
 * Where a failure of a block goes that is not the run's end: agents that the block asked may still work, beside the one that failed or after
 * their time was over, and are cancelled. Answers the state that does it and goes on at `next` with its own input, or `next` where the block
 * asks none.
 */
export function stopAgents(block: Block, flow: Flow, place: string, next: string): string {
  const agents = stepsOf(block).filter(({ callable }) => callable.kind !== 'tool')
  if (agents.length === 0) return next
  const state = flow.stateName(`(stop agents of ${place})`)
  const write = flow.writer()
  flow.states.set(state, {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: RESUME,
      Payload: {
        kind: 'stop',
        runId: '{% $runId %}',
        steps: agents.map(({ name }) => name),
        indexes: flow.indexes.map((root) => embed(write.code({ kind: 'root', root }))),
      },
    },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: REPORT_RETRY,
    Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.input %}', Next: next }],
    Output: '{% $states.input %}',
    Next: next,
  })
  return state
}
