import { embed } from '../jsonata.ts'
import type { Flow } from './flow.ts'

/** Output of a state whose result is a list of `{ value }` and `{ error }`: the first error of them, or null. */
export const FIRST_FAILURE = {
  failure: embed(
    '($failures := $filter($states.result, function($one) { $exists($one.error) }); ' +
      '$exists($failures) ? $failures[0].error : null)',
  ),
} as const

/** The state after it, which fails with that error. */
export function failWithFirst(name: string, flow: Flow, state: string, next: string): void {
  flow.states.set(state, {
    Type: 'Choice',
    Choices: [
      {
        Condition: embed('$states.input.failure != null'),
        Output: {
          name: embed('$states.input.failure.name'),
          message: embed(`${JSON.stringify(`step "${name}": `)} & $states.input.failure.message`),
        },
        Next: flow.failure.described,
      },
    ],
    Default: next,
  })
}
