import type * as z from 'zod'
import {
  type Callable,
  type Declaration,
  describeCallable,
  type ObjectSchema,
  refuseTimeout,
  type Typed,
} from './callable.ts'
import { DefinitionError } from './errors.ts'

/** The lowest rung of model that can do the work; the deployment's catalog turns it into a model on every call. */
export const GRADES = ['micro', 'small', 'medium', 'large', 'mega', 'ceiling'] as const
export type Grade = (typeof GRADES)[number]

/** How much one turn may write: 1,024, 4,096, 16,384 or 32,768 tokens, the model's own limit, or a count. */
export const OUTPUT_SIZES = ['verdict', 'compact', 'standard', 'extended', 'max'] as const
export type OutputSize = (typeof OUTPUT_SIZES)[number] | { readonly tokens: number }

const DEFAULT_MAX_TURNS = 50

export interface ThinkerDeclaration<I extends ObjectSchema, O extends z.ZodType> extends Declaration<I, O> {
  readonly grade: Grade
  readonly outputSize: OutputSize
  /** The prompt: what the agent is for and how it works. */
  readonly instructions: string
  /** What the model may call. The palette is the registration: a callable that nobody offers is not deployed. */
  readonly palette: readonly Callable[]
  /** A run that has taken this many turns without an answer ends `exhausted`. Default 50. */
  readonly maxTurns?: number
  /** An orchestrator holds nothing, so it has no timeout. */
  readonly timeoutSeconds?: never
}

export interface Thinker<out I = unknown, out O = unknown> extends Typed<I, O> {
  readonly kind: 'thinker'
  readonly grade: Grade
  readonly outputSize: OutputSize
  readonly instructions: string
  readonly palette: readonly Callable[]
  readonly maxTurns: number
}

/**
 * Declares an agent whose order of work a model decides. Grade and output size have no defaults: whoever writes the agent
 * knows what it needs. Throws `DefinitionError`.
 */
export function thinker<I extends ObjectSchema, O extends z.ZodType>(
  declaration: ThinkerDeclaration<I, O>,
): Thinker<z.input<I>, z.output<O>> {
  const common = describeCallable('thinker', declaration)
  refuseTimeout('thinker', declaration)
  const maxTurns = declaration.maxTurns ?? DEFAULT_MAX_TURNS
  if (!Number.isInteger(maxTurns) || maxTurns < 1)
    throw new DefinitionError(
      `thinker "${common.name}": maxTurns is ${maxTurns}; it must be a whole number from 1`,
    )
  refuseUnknown(common.name, declaration)
  refuseNamesakes(common.name, declaration.palette)
  // The phantom types exist for the compiler alone.
  return {
    ...common,
    kind: 'thinker',
    readOnly: false,
    grade: declaration.grade,
    outputSize: declaration.outputSize,
    instructions: declaration.instructions,
    palette: declaration.palette,
    maxTurns,
  } as Partial<Thinker> as Thinker<z.input<I>, z.output<O>>
}

/** For those who write JavaScript, or cast: a grade that no catalog has would fail every run in its first turn. */
function refuseUnknown(
  name: string,
  { grade, outputSize }: { readonly grade: Grade; readonly outputSize: OutputSize },
): void {
  if (!GRADES.includes(grade))
    throw new DefinitionError(`thinker "${name}": its grade is "${grade}"; known: ${GRADES.join(', ')}`)
  const isKnown =
    typeof outputSize === 'object' ? Number.isInteger(outputSize.tokens) : OUTPUT_SIZES.includes(outputSize)
  if (!isKnown)
    throw new DefinitionError(
      `thinker "${name}": its output size is ${JSON.stringify(outputSize)}; known: ${OUTPUT_SIZES.join(', ')}, or { tokens: 2000 }`,
    )
}

function refuseNamesakes(name: string, palette: readonly Callable[]): void {
  const seen = new Set<string>()
  for (const [index, callable] of palette.entries()) {
    if (callable !== undefined && !['tool', 'thinker', 'doer'].includes(callable.kind))
      throw new DefinitionError(
        `thinker "${name}": palette[${index}] is no tool, thinker or doer; was .run(…) or .plan(…) forgotten?`,
      )
    // A circle of imports leaves a hole here: the other module has not run yet.
    if (callable === undefined)
      throw new DefinitionError(
        `thinker "${name}": palette[${index}] is undefined; its module and this one import each other in a circle`,
      )
    if (seen.has(callable.name))
      throw new DefinitionError(`thinker "${name}": palette[${index}] is a second "${callable.name}"`)
    seen.add(callable.name)
  }
}
