/** The fields of states and choice rules that only JSONPath states have and that hold a path or are read through one. */
const FIELDS = new Set([
  'InputPath',
  'OutputPath',
  'ResultPath',
  'Parameters',
  'ResultSelector',
  'ItemsPath',
  'SecondsPath',
  'TimestampPath',
  'TimeoutSecondsPath',
  'HeartbeatSecondsPath',
  'MaxConcurrencyPath',
  'ToleratedFailureCountPath',
  'ToleratedFailurePercentagePath',
  'ErrorPath',
  'CausePath',
  'Variable',
])
const NESTED = ['Choices', 'Catch']

/** The JSONPath fields that a state, its choice rules and its catchers have; so also every `name.$` in what it assigns. */
export function jsonPathFields(state: unknown): string[] {
  if (!isObject(state)) return []
  const own = Object.keys(state).filter((field) => FIELDS.has(field))
  const nested = NESTED.flatMap((field) => {
    const rules = state[field]
    return Array.isArray(rules) ? rules.flatMap(jsonPathFields) : []
  })
  return [...own, ...nested, ...pathKeys(state.Assign)]
}

function pathKeys(template: unknown): string[] {
  if (Array.isArray(template)) return template.flatMap(pathKeys)
  if (!isObject(template)) return []
  return Object.entries(template).flatMap(([key, value]) => (key.endsWith('.$') ? [key] : pathKeys(value)))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
