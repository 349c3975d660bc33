import { type Block, lastingIn } from '../../core/doer-plan.ts'
import { RESUME } from '../failure.ts'
import { REPORT_RETRY, REPORT_TIMEOUT_SECONDS } from '../retry.ts'
import { type Flow, indexesIn, runIdIn } from './flow.ts'

/**
 * Where a failure of a block goes that is not the run's end. What of the block is still under way, beside what failed or after its time was over,
 * would go on, and be of no use: the state that this answers gives it up, and goes on at `next` with its own input. `next` itself where nothing
 * can be.
 */
export function giveUp(block: Block, flow: Flow, place: string, next: string): string {
  const lasting = lastingIn(block)
  if (lasting.length === 0) return next
  const state = flow.stateName(`(give up ${place})`)
  flow.states.set(state, {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: RESUME,
      Payload: {
        kind: 'give-up',
        runId: runIdIn(flow),
        steps: lasting.map(({ number, name }) => ({ number, name })),
        indexes: indexesIn(flow, flow.writer()),
      },
    },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: REPORT_RETRY,
    // What could not be stopped comes to an end of its own.
    Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.input %}', Next: next }],
    Output: '{% $states.input %}',
    Next: next,
  })
  return state
}
