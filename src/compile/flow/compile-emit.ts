import type { EmitNode } from '../../core/doer-plan.ts'
import type { TaskState } from '../asl.ts'
import { catchAll, RESUME } from '../failure.ts'
import { REPORT_RETRY, REPORT_TIMEOUT_SECONDS } from '../retry.ts'
import { type Flow, placeIn } from './flow.ts'

/** Notes progress. What cannot be noted is no reason to fail; a message that cannot be computed is. */
export function compileEmit(node: EmitNode, flow: Flow, next: string): TaskState {
  return {
    Type: 'Task',
    Comment: `Step ${node.number}: tells how it goes`,
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: RESUME,
      Payload: { kind: 'emit', ...placeIn(flow, node), message: flow.writer().template(node.message) },
    },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: REPORT_RETRY,
    Catch: [
      ...catchAll(node.name, 'Internal', flow.failure.caught, ['States.QueryEvaluationError']),
      { ErrorEquals: ['States.ALL'], Output: {}, Next: next },
    ],
    Output: {},
    Next: next,
  }
}
