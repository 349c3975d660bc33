import { Denied, Internal, Interrupted, NotFound, Throttled, Timeout, toFailure } from '../core/errors.ts'
import { turnCall } from '../store/keys.ts'
import { nudgeTarget } from './asked-calls.ts'
import { failCall } from './fail-call.ts'
import type { AgentStepMessage, CallMessage, FailureReport, NudgeMessage } from './messages.ts'
import type { Ports } from './ports.ts'
import { isTokenKept } from './submit-step.ts'

const MAXIMUM_ATTEMPTS = 3

/** Lambda says that an asynchronous invocation failed for good: records what that means, and nudges. */
export async function reportFailure(ports: Ports, report: FailureReport): Promise<void> {
  const message = report.requestPayload
  switch (message.kind) {
    case 'nudge':
      return reportTurn(ports, report, message)
    case 'step':
      return reportStep(ports, report, message)
    case 'call':
      return reportCall(ports, report, message)
  }
}

/** The child is made again or found; what had been leased under the dead request is freed by its own nudge. */
async function reportStep(ports: Ports, report: FailureReport, message: AgentStepMessage): Promise<void> {
  const { target, taskToken, attempt } = message
  try {
    if (attempt < MAXIMUM_ATTEMPTS) return await ports.send(target, { ...message, attempt: attempt + 1 })
  } catch (error) {
    // A function that is not there any more: nobody else would answer the machine.
    if (!(error instanceof Denied || error instanceof NotFound)) throw error
    return ports.machines.answer(taskToken, { failure: toFailure(error) })
  }
  // A child that was made is looked at by the sweep and answers when it ends; without one the machine would wait for good.
  if (await isTokenKept(ports, message)) return
  await ports.machines.answer(taskToken, { failure: toFailure(diedEachTime(report)) })
}

/** Ends the lease that was held under the request, and hands the dead request on: what it committed may not have been dispatched. */
async function reportTurn(
  ports: Ports,
  { requestContext: { requestId } }: FailureReport,
  { runId, deaths = 0 }: NudgeMessage,
): Promise<void> {
  const history = await ports.store.turns.history(runId)
  if (!history) return
  const last = history.turns.at(-1)
  if (last?.state === 'leased' && last.lease.requestId === requestId)
    await ports.store.turns.endLease(runId, last.number, requestId)
  // A function that dies before it can do anything would go round here without a pause: from now on the sweep nudges it.
  if (deaths >= MAXIMUM_ATTEMPTS) return
  const nudge = { kind: 'nudge' as const, runId, deadRequestId: requestId, deaths: deaths + 1 }
  await ports.send(nudgeTarget(history.run), nudge)
}

async function reportCall(ports: Ports, report: FailureReport, message: CallMessage): Promise<void> {
  const { runId, turn, entry, expected, expiresAt, nudge } = message
  const address = turnCall(runId, turn, entry)
  const { requestId } = report.requestContext
  const entries = await ports.store.calls.read(address)
  const { result, claim } = entries.entry(entry)
  if (entries.closed) return
  if (result) {
    if (entries.done.size >= expected) await ports.send(nudge, { kind: 'nudge', runId })
    return
  }
  // Claimed by another delivery, which may well be alive.
  if (claim && claim.requestId !== requestId && ports.clock.now() <= claim.deadAfter) return
  const verdict = judge(report, message, claim !== undefined)
  if (verdict.kind === 'fail') {
    const place = { ...address, expected, expiresAt }
    return failCall(ports, { place, nudge, runId }, verdict.error, claim)
  }
  if (claim) await ports.store.calls.endClaim(address, requestId)
  await ports.send(`tool-${message.tool}`, { ...message, attempt: message.attempt + 1 })
}

type Verdict = { readonly kind: 'again' } | { readonly kind: 'fail'; readonly error: Error }

/** Whether a call whose invocation failed is dispatched again. */
function judge(
  { requestContext, responsePayload }: FailureReport,
  message: CallMessage,
  isClaimed: boolean,
): Verdict {
  const { readOnly, idempotent, attempt, timeoutSeconds } = message
  const mayRepeat = readOnly || idempotent
  const fail = (error: Error): Verdict => ({ kind: 'fail', error })
  if (isClaimed && !mayRepeat)
    return fail(
      new Interrupted(`Its function died midway, so its outcome is unknown (${reasonOf(responsePayload)})`),
    )
  if (requestContext.condition !== 'RetriesExhausted')
    return attempt < MAXIMUM_ATTEMPTS
      ? { kind: 'again' }
      : fail(new Throttled('It could not be begun, and has changed nothing'))
  // The code blocked its process until Lambda killed it, and would again.
  if (mayRepeat && isTimeout(responsePayload))
    return fail(new Timeout(`It did not end within its ${timeoutSeconds} s`))
  if (attempt < MAXIMUM_ATTEMPTS) return { kind: 'again' }
  return fail(diedEachTime({ responsePayload }))
}

const diedEachTime = ({ responsePayload }: Pick<FailureReport, 'responsePayload'>): Error =>
  new Internal(`Its function died ${MAXIMUM_ATTEMPTS} times (${reasonOf(responsePayload)})`)

const isTimeout = (payload: FailureReport['responsePayload']): boolean =>
  payload?.errorType === 'Sandbox.Timedout' || /Task timed out after/.test(payload?.errorMessage ?? '')

const reasonOf = (payload: FailureReport['responsePayload']): string =>
  payload?.errorMessage ?? payload?.errorType ?? 'no reason given'
