import type { Context } from 'aws-lambda'
import type { Invocation, Ports } from '../runtime/ports.ts'

/** One delivery, as the runtime sees it. Lambda gives a repeated or doubled delivery the same request id, so the owner is our own. */
export const toInvocation = (
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
  context: Context,
): Invocation => ({
  requestId: context.awsRequestId,
  owner: random(),
  deadline: clock.now() + context.getRemainingTimeInMillis(),
})
