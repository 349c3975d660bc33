import type { AskNode } from '../../core/doer-plan.ts'
import type { TaskState } from '../asl.ts'
import { catchAll, RESUME } from '../failure.ts'
import { AGENT_RETRY } from '../retry.ts'
import { type Flow, keep, placeIn } from './flow.ts'

/** An answer that came in time is told within this, also where the sweep has to, so that the machine does not give up before. */
const TELLING_SECONDS = 180

/** Waits for a person's answer. The question's token is answered when somebody has. */
export function compileAsk(node: AskNode, flow: Flow, next: string): TaskState {
  const { name, number, question, deadlineSeconds } = node
  return {
    Type: 'Task',
    Comment: `Step ${number}: asks a person`,
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    Arguments: {
      FunctionName: RESUME,
      InvocationType: 'Event',
      Payload: {
        kind: 'ask',
        ...placeIn(flow, node),
        question: flow.writer().template(question),
        askedAt: '{% $states.context.State.EnteredTime %}',
        deadlineSeconds,
        taskToken: '{% $states.context.Task.Token %}',
      },
    },
    TimeoutSeconds: deadlineSeconds + TELLING_SECONDS,
    Retry: AGENT_RETRY,
    Catch: catchAll(name, 'Internal', flow.failure.caught),
    ...keep(flow, node, '{% $states.result %}'),
    Output: {},
    Next: next,
  }
}
