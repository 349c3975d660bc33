import type * as z from 'zod'
import type { ListArtifact } from './artifact.ts'
import type { Typed } from './callable.ts'
import type { Condition } from './condition.ts'
import type { Failure, FailureName } from './errors.ts'
import type { Arg, Ref, RefTo, Resolved } from './reference.ts'
import type { ToolContext } from './tool.ts'

/** What an item of a map that tolerates failures gives. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Failure }

/** How a branch for a tag is named. */
export type TagOf<V> = V extends string ? V : V extends boolean ? `${V}` : never
/** What of a union has a tag. */
export type MemberOf<T, K extends keyof T, P> = T extends unknown
  ? P extends TagOf<T[K]>
    ? T
    : never
  : never

export interface StepOptions {
  /**
   * A step that failed with one of the names is tried again, after up to 2 s, then up to 4 and so on (at random, so that many do not come at once), at most 10 `attempts` in all. Default: 3 on `Throttled`
   * for a tool that changes nothing or is idempotent, none for any other. A tool that changes things may have before it failed, so for one
   * that is not idempotent only `Throttled` is taken.
   */
  readonly retry?: { readonly on: readonly FailureName[]; readonly attempts: number }
  /** How long an agent may take, then it is a `Timeout`: 1 to 31,536,000 (a year); default 604,800 (a week). A tool has its own. */
  readonly timeoutSeconds?: number
}

/** What code of a doer's own gives, and what is known of it; the same as for a tool. */
export interface CodeDeclaration<O extends z.ZodType> {
  readonly output: O
  readonly readOnly?: boolean
  readonly idempotent?: boolean
  readonly timeoutSeconds?: number
}

export interface Group {
  /** `after`: jobs of this group. Its name is one of the doer's names. */
  job<const R>(
    name: string,
    body: () => R,
    options?: { readonly after?: readonly RefTo<unknown>[] },
  ): Ref<Resolved<R>>
}

/**
 * What a doer's plan is written with. Each call records what is done next; what it gives back is known when the machine runs. Names have 1
 * to 80 characters and are unique in the doer. Bodies and branches are functions, which run once, at once; what their steps give can be
 * used only in them, and what they return is what the call gives.
 */
export interface Plan {
  /** Runs a tool, a thinker or another doer, and gives a reference to its output. */
  step<I, O>(name: string, callable: Typed<I, O>, input: Arg<NoInfer<I>>, options?: StepOptions): Ref<O>
  /**
   * Runs TypeScript as a step, in a function of the doer's own. It gets values for the references in `inputs`; it may use none itself,
   * since the plan is long over when it runs.
   */
  code<const A extends Readonly<Record<string, unknown>>, O extends z.ZodType>(
    name: string,
    inputs: A,
    declaration: CodeDeclaration<O>,
    run: (inputs: Resolved<A>, context: ToolContext) => z.input<O> | Promise<z.input<O>>,
  ): Ref<z.output<O>>
  /**
   * Runs the body for each item of a list, several items at once, and gives the results in the order of the list. `concurrency`: 1 to 40
   * items at a time (Step Functions runs no more in an inline Map); default 40. `tolerate`: how many items may fail, or `all`; each item
   * then gives `{ ok: true, value }` or `{ ok: false, error }`, whose message is cut to 200 characters, and as far as to 40 where the list has more than 300 items; the record has all of it. `atMost`: how
   * many items the list may have, where its schema does not say (`z.array(…).max(500)`); one with more fails the map. A map whose list has no bound, or that would fill the history of its
   * execution, runs each item in an execution of its own: then all items run to their end before the first failure, in the order of the list, is the map's.
   */
  map<E, const R>(
    name: string,
    list: RefTo<readonly E[]>,
    body: (item: Ref<E>, index: Ref<number>) => R,
    options: { readonly concurrency?: number; readonly tolerate: 'all' | number; readonly atMost?: number },
  ): Ref<Settled<Resolved<R>>[]>
  map<E, const R>(
    name: string,
    list: RefTo<readonly E[]>,
    body: (item: Ref<E>, index: Ref<number>) => R,
    options?: { readonly concurrency?: number; readonly atMost?: number },
  ): Ref<Resolved<R>[]>
  /**
   * The same for a list that is kept as an artifact, of at most 10,000 items: what each item gives is kept, too, and the map gives a reference to
   * the list of these. The machine carries places and pointers alone, and reads an item only where it computes with it.
   */
  map<E, const R>(
    name: string,
    list: RefTo<ListArtifact<E>>,
    body: (item: Ref<E>, index: Ref<number>) => R,
    options: { readonly concurrency?: number; readonly tolerate: 'all' | number; readonly atMost?: number },
  ): Ref<ListArtifact<Settled<Resolved<R>>>>
  map<E, const R>(
    name: string,
    list: RefTo<ListArtifact<E>>,
    body: (item: Ref<E>, index: Ref<number>) => R,
    options?: { readonly concurrency?: number; readonly atMost?: number },
  ): Ref<ListArtifact<Resolved<R>>>
  /**
   * Runs the branches at the same time. The first failure is the group's. `onFailure`: `cancel` ends the others then (the default; a tool that is
   * running is told to stop), `finish` lets them come to their end first, and the failure is that of the first branch, as they are written, that failed.
   */
  parallel<const B extends Readonly<Record<string, () => unknown>>>(
    name: string,
    branches: B,
    options?: { readonly onFailure?: 'cancel' | 'finish' },
  ): { readonly [K in keyof B]: Ref<Resolved<ReturnType<B[K]>>> }
  /**
   * Runs jobs at the same time, of which some wait for others: a job begins when those in its `after` have ended, and may read what they gave. The
   * first failure is the group's, and ends the others.
   */
  group<const R>(name: string, jobs: (group: Group) => R): Ref<Resolved<R>>
  /** Runs one of two branches. */
  choose<const A, const B>(
    name: string,
    when: Condition,
    then: () => A,
    otherwise: () => B,
  ): Ref<Resolved<A> | Resolved<B>>
  /** Runs the branch for a value: there is one for each that it may have. */
  match<K extends string, const B extends { readonly [P in K]: () => unknown }>(
    name: string,
    on: RefTo<K>,
    branches: B & { readonly [P in Exclude<keyof B, K>]: never },
  ): Ref<Resolved<ReturnType<B[K]>>>
  /**
   * Runs the branch for a member of a union, told apart by a tag: there is one for each, and it is given that member. A tag is a text, or true or
   * false, as of what a map gives that tolerates failures: `d.cases('settled', item, 'ok', { true: ({ value }) => value, false: ({ error }) => … })`.
   */
  cases<
    T,
    K extends keyof T & string,
    const B extends { readonly [P in TagOf<T[K]>]: (value: Ref<MemberOf<T, K, P>>) => unknown },
  >(name: string, value: RefTo<T>, tag: K, branches: B): Ref<Resolved<ReturnType<B[keyof B & TagOf<T[K]>]>>>
  /** Runs a branch with a value that may be absent or null, or another without it. */
  whenPresent<T, const A, const B>(
    name: string,
    value: RefTo<T>,
    then: (value: Ref<NonNullable<T>>) => A,
    otherwise: () => B,
  ): Ref<Resolved<A> | Resolved<B>>
  /**
   * Runs the body again and again, each time with what it gave before, until the condition holds of that, at most `max` times (1 to 1,000). The
   * condition is looked at before each time, also the first.
   */
  repeat<S>(
    name: string,
    options: {
      readonly from: S
      readonly until: (state: Ref<Resolved<S>>) => Condition
      readonly max: number
    },
    body: (state: Ref<Resolved<S>>) => Arg<Resolved<NoInfer<S>>>,
  ): Ref<Resolved<S>>
  /**
   * Runs the body; when it fails with one of the names, what it gives is what the handler gives. A failure is that of a step, of a map or of branches, or
   * comes by `fail`. What the machine itself cannot compute elsewhere, such as a division by 0 in a condition, ends the run, or fails the map or the branches around it as a whole.
   */
  recover<const A, const B>(
    name: string,
    body: () => A,
    options: { readonly on: readonly FailureName[]; readonly with: (failure: Ref<Failure>) => B },
  ): Ref<Resolved<A> | Resolved<B>>
  /** Waits so many seconds, or until a time in ISO 8601 (`2026-12-24T18:00:00Z`); nothing runs meanwhile. */
  wait(name: string, how: Arg<number> | { readonly until: Arg<string> }): void
  /** Notes in the run's record how it goes. A note that cannot be written there fails nothing. */
  emit(name: string, message: Arg<string>): void
  /**
   * Asks a person, and gives the answer once it is there. Nothing runs meanwhile. Without an answer within `deadlineSeconds` (1 to 31,536,000) it
   * fails with `Timeout`, up to three minutes later: an answer that came in time may still be on its way.
   */
  ask<O extends z.ZodType>(
    name: string,
    question: { readonly text: Arg<string>; readonly answer: O; readonly deadlineSeconds: number },
  ): Ref<z.output<O>>
  /** Fails the run, or the body of a recover, with this message, before which the names of the maps and branches around it stand. Nothing of its block comes after it. */
  fail(name: string, failure: { readonly name: FailureName; readonly message: Arg<string> }): never
}
