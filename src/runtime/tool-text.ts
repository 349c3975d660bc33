import type { Failure, FailureName } from '../core/errors.ts'
import { toJsonText } from '../core/json-text.ts'

/** What the model reads of a call's end: the value as JSON, or the failure with what to make of it. */
export function toToolText(
  result: { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure },
): string {
  if (result.ok) return toJsonText(result.value, 'The result')
  return `${result.failure.name}: ${result.failure.message}\n${ADVICE[result.failure.name]}`
}

const ADVICE: Record<FailureName, string> = {
  InvalidInput: 'Correct the call and try again.',
  NotFound: 'It does not exist; check what you asked for.',
  ExternalService: 'The same call again will not help; take another way.',
  Throttled: 'It may work later; do something else first.',
  Timeout: 'It changed nothing, or does no harm when repeated; a smaller request may end in time.',
  Denied: 'You may not do this; take another way.',
  Interrupted: 'Whether it took effect is unknown. Do not repeat it before you have checked.',
  ContextOverflow: 'It was too large; ask for less.',
  Internal: 'The same call again will not help; take another way.',
}
