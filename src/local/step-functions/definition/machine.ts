import type { StateFields } from './state-fields.ts'

/** Fields as they stand in the definition (checked), and what reading it added. `Type` tells states apart, as in the language. */
export type State = StateFields & {
  readonly name: string
  /** False in a JSONPath state, of which the stand-in runs what has no path: its texts are all literal. */
  readonly usesJsonata: boolean
  /** The iteration of a Map (one), the branches of a Parallel, else none. */
  readonly branches: readonly Branch[]
}
export type StateOf<Type extends State['Type']> = State & { readonly Type: Type }

/** Standard: durable, to a year. Express: no record, to five minutes. */
export type MachineType = 'STANDARD' | 'EXPRESS'

/** States that run from `startAt`, in a thread of their own. */
export interface Branch {
  readonly startAt: string
  readonly states: readonly State[]
  /** Of a Map: each iteration is an execution of its own on AWS. */
  readonly isDistributed: boolean
}

/** A definition that was read and checked. */
export interface Machine extends Branch {
  readonly timeoutSeconds: number | undefined
  /** Every state at any depth: names are unique in the whole of a machine. */
  readonly statesByName: ReadonlyMap<string, State>
}
