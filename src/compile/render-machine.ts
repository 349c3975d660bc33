import { functionName } from '../core/function-name.ts'
import type { Machine, State, States } from './asl.ts'

const PLACEHOLDER = /^\$\{prefix\}-/

/** A compiled machine for one deployment: the names of its functions begin with the prefix. Pure. */
export function renderMachine(machine: Machine, { prefix }: { readonly prefix: string }): Machine {
  return { ...machine, ...renderStates(machine, prefix) }
}

function renderStates({ StartAt, States }: States, prefix: string): States {
  const rendered = Object.entries(States).map(([name, state]) => [name, renderState(state, prefix)] as const)
  return { StartAt, States: Object.fromEntries(rendered) }
}

function renderState(state: State, prefix: string): State {
  switch (state.Type) {
    case 'Task': {
      const id = state.Arguments.FunctionName.replace(PLACEHOLDER, '')
      return { ...state, Arguments: { ...state.Arguments, FunctionName: functionName(prefix, id) } }
    }
    case 'Map':
      return {
        ...state,
        ItemProcessor: { ...state.ItemProcessor, ...renderStates(state.ItemProcessor, prefix) },
      }
    case 'Parallel':
      return { ...state, Branches: state.Branches.map((branch) => renderStates(branch, prefix)) }
    case 'Pass':
    case 'Choice':
    case 'Wait':
    case 'Fail':
      return state
  }
}
