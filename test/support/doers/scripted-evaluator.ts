import { EvaluationError, type Evaluator } from '../../../src/local/step-functions/expressions/evaluate.ts'
import type { Place } from './cursor.ts'

/**
 * Gives a walk's expressions the values that lead along it; `placeOf` says where on it the line in the state of a name is. What values
 * they have does not matter to the walk, but for conditions, lists and what a request has to be.
 */
export function createScriptedEvaluator(placeOf: (state: string) => Place): Evaluator {
  return {
    async evaluate(_template, location, { states }) {
      const place = placeOf((states.context as { State: { Name: string } }).State.Name) // as contextObject makes it
      const isLastField = /^(Output|Assign|Seconds|Error|Cause|Choices)\b/.test(location)
      if (isLastField && failsInExpression(place))
        throw new EvaluationError(location, 'cannot be evaluated, as the walk has it')
      return valueFor(place, location)
    },
  }
}

function failsInExpression({ state, visit: { how }, attempt }: Place): boolean {
  if (state.Type === 'Task') return attempt === 'cannot be evaluated'
  return (how.kind === 'caught' || how.kind === 'failed') && how.by === 'evaluation'
}

function valueFor({ state, visit }: Place, location: string): unknown {
  const { how, branches } = visit
  if (location === 'Seconds') return 1
  if (location === 'Error' || location === 'Cause') return 'as the walk has it'
  if (location === 'Arguments') return { FunctionName: 'function', Payload: {} }
  if (location === 'Items') {
    const { length } = branches.flatMap(({ count }) => Array.from({ length: count }))
    // Of a distributed Map the history does not tell the iterations; one that runs keeps it from going on.
    return Array.from({ length: how.kind === 'interrupted' && branches.length === 0 ? 1 : length }, () => 0)
  }
  const condition = /^Choices\[(\d+)\]\/Condition$/.exec(location)
  if (condition === null || state.Type !== 'Choice') return {}
  return how.kind === 'next' && state.Choices[Number(condition[1])]?.Next === how.to
}
