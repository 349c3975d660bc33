import { isExpression } from '../expressions/expression-text.ts'
import { findIntegration, KNOWN_RESOURCES } from '../integrations/find-integration.ts'
import type { State } from './machine.ts'
import type { Report } from './report.ts'
import { parseTimestamp } from './timestamp.ts'

function isTimestamp({ usesJsonata }: State, text: string): boolean {
  return (usesJsonata && isExpression(text)) || parseTimestamp(text) !== undefined
}

/** The rules within one state that its fields' types do not say. */
export function checkState(state: State, path: string, report: Report): void {
  if ('Retry' in state || 'Catch' in state) {
    for (const field of ['Retry', 'Catch'] as const)
      state[field]?.forEach(({ ErrorEquals }, index, all) => {
        const last = index === all.length - 1
        if (ErrorEquals.includes('States.ALL') && (ErrorEquals.length > 1 || !last))
          report(
            'States.ALL must stand alone, and in the last rule',
            `${path}/${field}[${index}]/ErrorEquals`,
          )
      })
  }
  if (state.Type === 'Task' && findIntegration(state.Resource) === undefined)
    report(
      `The resource ${state.Resource} is not supported by this stand-in; it has ${KNOWN_RESOURCES}`,
      `${path}/Resource`,
    )
  if (
    state.Type === 'Task' &&
    typeof state.TimeoutSeconds === 'number' &&
    typeof state.HeartbeatSeconds === 'number' &&
    state.HeartbeatSeconds >= state.TimeoutSeconds
  )
    report('HeartbeatSeconds must be smaller than TimeoutSeconds', path)
  if (state.Type === 'Wait' && (state.Seconds === undefined) === (state.Timestamp === undefined))
    report('A Wait state must have exactly one of [Seconds, Timestamp]', path)
  if (state.Type === 'Wait' && state.Timestamp !== undefined && !isTimestamp(state, state.Timestamp))
    report('String does not match RFC3339 timestamp', `${path}/Timestamp`)
  if (state.Type === 'Map' && state.ItemBatcher !== undefined && !state.branches[0]?.isDistributed)
    report('ItemBatcher needs a ProcessorConfig with Mode DISTRIBUTED', `${path}/ItemBatcher`)
  const foreign = state.usesJsonata ? ['Result'] : ['Arguments', 'Output', 'Items', 'ItemSelector', 'Choices']
  for (const field of foreign)
    if (field in state)
      report(
        `${field} is not a field of a ${state.usesJsonata ? 'JSONata' : 'JSONPath'} state`,
        `${path}/${field}`,
      )
}
