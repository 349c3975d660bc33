declare const held: unique symbol

/** How the call that held a resource ended; a transaction commits on `succeeded` and rolls back on the rest. */
export type CallOutcome = 'succeeded' | 'failed' | 'timed-out' | 'cancelled'

export interface ResourceScope {
  /** The environment of the function that the call runs in. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted when the call times out or is cancelled. */
  readonly signal: AbortSignal
}

/** Something that a tool's code needs while it runs: a database, an HTTP client. */
export interface Resource<out T> {
  readonly name: string
  readonly open: (scope: ResourceScope) => T | Promise<T>
  readonly close: ((value: unknown, outcome: CallOutcome) => void | Promise<void>) | undefined
  readonly [held]: T
}
export type Resources = Readonly<Record<string, Resource<unknown>>>
/** What a tool's code is given: an opener per resource. The first call opens it, later calls give the same value. */
export type Held<R extends Resources> = {
  readonly [K in keyof R]: () => Promise<R[K] extends Resource<infer T> ? T : never>
}

/**
 * Declares a resource. `open` runs at the first use by a tool's code, never before; `close` is always called after an
 * `open` that succeeded, and is told how the call ended. Packages that only `open` needs are imported inside it, so that they load
 * with the work and not with every turn function that offers the tool.
 */
export function resource<T>(declaration: {
  readonly name: string
  open(scope: ResourceScope): T | Promise<T>
  close?(value: NoInfer<T>, outcome: CallOutcome): void | Promise<void>
}): Resource<T> {
  // The phantom `held` exists for types alone; `close` is only ever given what this `open` returned.
  return { name: declaration.name, open: declaration.open, close: declaration.close } as Resource<T>
}
