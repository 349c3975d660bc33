import { askingIn, type Block } from '../../core/doer-plan.ts'
import { RESUME } from '../failure.ts'
import { embed } from '../jsonata.ts'
import { REPORT_RETRY, REPORT_TIMEOUT_SECONDS } from '../retry.ts'
import type { Flow } from './flow.ts'

/**
 * Where a failure of a block goes that is not the run's end: agents that the block asked may still work, beside the one that failed or after
 * their time was over, and people may still answer its questions. Answers the state that gives them up and goes on at `next` with its own input,
 * or `next` where the block asks nobody.
 */
export function stopAgents(block: Block, flow: Flow, place: string, next: string): string {
  const asking = askingIn(block)
  if (asking.length === 0) return next
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
        steps: asking.map(({ number, name }) => ({ number, name })),
        indexes: flow.indexes.map((root) => embed(write.code({ kind: 'root', root }))),
      },
    },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: REPORT_RETRY,
    // Who could not be stopped comes to an end of its own.
    Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.input %}', Next: next }],
    Output: '{% $states.input %}',
    Next: next,
  })
  return state
}
