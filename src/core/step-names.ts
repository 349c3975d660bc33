import { DefinitionError, FAILURE_NAMES, type FailureName } from './errors.ts'

/** Step Functions: a state's name has at most 80 characters, and is unique in its machine. */
const LONGEST_NAME = 80
/** The record's key of an item's step: `S#0003#look up#00012`. */
const INDEX_IN_KEY = /#[0-9]{5}(#|$)/

/** Throws a `DefinitionError` that says where in a doer something is wrong. */
export function refuse(doer: string, place: string, problem: string): never {
  throw new DefinitionError(`doer "${doer}", ${place}: ${problem}`)
}

/** Where in a doer something stands: `{ doer: 'customer_report', place: 'step "look up"' }`. */
export interface Use {
  readonly doer: string
  /** `step "look up"`, `the plan`. */
  readonly place: string
}

export function requireWhole(
  { doer, place }: Use,
  what: string,
  value: number,
  least: number,
  most: number,
): void {
  if (!Number.isInteger(value) || value < least || value > most)
    refuse(doer, place, `${what} is ${value}; it is a whole number from ${least} to ${most}`)
}

export function requireFailureNames({ doer, place }: Use, given: readonly FailureName[]): void {
  if (given.length === 0) refuse(doer, place, `it names no failure; those are ${FAILURE_NAMES.join(', ')}`)
  const unknown = given.find((name) => !FAILURE_NAMES.includes(name))
  if (unknown !== undefined)
    refuse(doer, place, `"${unknown}" is no failure's name; those are ${FAILURE_NAMES.join(', ')}`)
}

/**
 * The names of a doer's nodes. `claim` answers the place for messages, `step "look up"`, and throws
 * `DefinitionError` for a name that is no good or taken.
 */
export function createStepNames(doer: string) {
  const taken = new Set<string>()
  return {
    claim(kind: string, name: string): string {
      const place = `${kind} "${name}"`
      if (name.trim() === '' || name.length > LONGEST_NAME)
        refuse(doer, place, `a name is 1 to ${LONGEST_NAME} characters; this one has ${name.length}`)
      if (name.startsWith('('))
        refuse(doer, place, 'a name does not start with "(": the states that are not steps are named so')
      if (name.startsWith('{%'))
        refuse(doer, place, 'a name does not start with "{%": Step Functions takes such a text for JSONata')
      if (INDEX_IN_KEY.test(name))
        refuse(
          doer,
          place,
          'a name has no "#" and five digits after it at its end or before another "#": the record names items so',
        )
      if (taken.has(name)) refuse(doer, place, 'a second step of this name; names are unique in a doer')
      taken.add(name)
      return place
    },
  }
}
