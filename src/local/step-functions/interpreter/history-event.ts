/** An event as it is stored. */
export interface HistoryEvent {
  readonly id: number
  readonly previousEventId: number
  readonly type: string
  readonly timeMs: number
  /** As AWS gives them under the key that `detailsKey` names: `{ "name": "look up", "input": "{}", "inputDetails": { "truncated": false } }`. */
  readonly details: Record<string, unknown> | undefined
}

/** Types whose details are those of other types. */
const SHARED: readonly [RegExp, string][] = [
  [/StateEntered$/, 'stateEnteredEventDetails'],
  [/StateExited$/, 'stateExitedEventDetails'],
]

/** The member of a `HistoryEvent` of the API under which a type's details stand: `TaskFailed` → `taskFailedEventDetails`. */
export function detailsKey(type: string): string {
  const shared = SHARED.find(([pattern]) => pattern.test(type))
  return shared?.[1] ?? `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`
}
