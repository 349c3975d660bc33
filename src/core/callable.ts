import type * as z from 'zod'
import { DefinitionError } from './errors.ts'

declare const io: unique symbol

/** Inputs are objects: providers and MCP take nothing else as a tool's parameters. */
export type ObjectSchema = z.ZodObject<z.ZodRawShape>

/**
 * Anything that can be called by name: a tool, a thinker or a doer. Palettes, catalogs and registries hold callables without
 * their types, so the only way to run one is to parse its input first.
 */
export interface Callable {
  readonly kind: 'tool' | 'thinker' | 'doer'
  /** 1 to 64 of `a-z`, `0-9` and `_`, starting with a letter: legal for every provider, for Lambda and for Step Functions. */
  readonly name: string
  /** What people read in progress and the console. */
  readonly displayName: string
  /** What a model reads to decide when to call it. */
  readonly description: string
  /** The author's promise that nothing anyone observes afterwards has changed. */
  readonly readOnly: boolean
  readonly input: ObjectSchema
  readonly output: z.ZodType
}

/** A callable that still knows its types, for doers. The phantom is covariant, so it fits `Callable` without a cast. */
export interface Typed<out I, out O> extends Callable {
  readonly [io]: { readonly input: I; readonly output: O }
}
export type InputOf<C> = C extends Typed<infer I, unknown> ? I : never
export type OutputOf<C> = C extends Typed<unknown, infer O> ? O : never

/** What every declaration says first. */
export interface Declaration<I extends ObjectSchema, O extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: I
  readonly output: O
  /** Default: the name with spaces for underscores, `Order status`. */
  readonly displayName?: string
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/

/** The common part of a definition, checked. Throws `DefinitionError`. */
export function describeCallable<I extends ObjectSchema, O extends z.ZodType>(
  kind: Callable['kind'],
  { name, description, displayName, input, output }: Declaration<I, O>,
) {
  if (!NAME.test(name))
    throw new DefinitionError(
      `${kind} "${name}": a name is 1 to 64 of a-z, 0-9 and _, starting with a letter, such as order_status`,
    )
  if (typeof description !== 'string' || description.trim() === '')
    throw new DefinitionError(`${kind} "${name}": its description is blank; a model decides by it`)
  if (input?._zod?.def.type !== 'object')
    throw new DefinitionError(
      `${kind} "${name}": its input is no z.object({ … }) of zod 4; providers take nothing else`,
    )
  if (output?._zod === undefined)
    throw new DefinitionError(`${kind} "${name}": its output is no schema of zod 4`)
  return { name, description, displayName: displayName ?? readable(name), input, output }
}

function readable(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** An orchestrator holds nothing while it waits, so a timeout on one is a mistake. Throws `DefinitionError`. */
export function refuseTimeout(kind: 'thinker' | 'doer', declaration: { readonly name: string }): void {
  if ('timeoutSeconds' in declaration)
    throw new DefinitionError(
      `${kind} "${declaration.name}": an orchestrator has no timeout, since nothing runs while it waits; give its tools timeouts`,
    )
}
