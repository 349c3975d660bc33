declare module 'asl-validator' {
  /** Checks a state machine's definition against the schema of Amazon States Language and its own rules. */
  export default function validate(definition: object): {
    readonly isValid: boolean
    readonly errors: readonly unknown[]
  }
}
