/** Something that `check` found. An error makes `check` and `plan` fail, a warning does not. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  /** For the person who wrote the definitions: what is wrong, where, and what would be right. */
  readonly message: string
}

export function errorOf(message: string): Problem {
  return { severity: 'error', message }
}

export function warningOf(message: string): Problem {
  return { severity: 'warning', message }
}

/** Thrown by what cannot go on. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join('\n'))
    this.problems = problems
  }
}
