import type * as z from 'zod'
import type { Artifacts } from './artifact.ts'
import {
  type Callable,
  type Declaration,
  describeCallable,
  type ObjectSchema,
  type Typed,
} from './callable.ts'
import { DefinitionError } from './errors.ts'
import type { Held, Resources } from './resource.ts'

/** Lambda's 900 s less 5 s in which the result is recorded. */
export const MAXIMUM_TOOL_TIMEOUT_SECONDS = 895
const DEFAULT_TIMEOUT_SECONDS = 60
const DEFAULT_MEMORY_MB = 256

/** Who asked for a call: `{ runId: '…', agent: 'order_agent', callId: '2/0' }`. */
export interface Caller {
  readonly runId: string
  /** The thinker or doer whose run it is. */
  readonly agent: string
  /** Unique in the run: the turn or step, and the place in it. */
  readonly callId: string
}

/** What the code of one call is given; nothing in it is shared with another call. */
export interface ToolContext<R extends Resources = Resources> {
  readonly resources: Held<R>
  /** Keeps lists that are too large for an input or an answer. */
  readonly artifacts: Artifacts
  /** Aborted when the tool's timeout has passed or the run was cancelled; pass it to what you await. */
  readonly signal: AbortSignal
  /** The same for every repeat of this call: give it to services that take one. */
  readonly idempotencyKey: string
  readonly caller: Caller
}

export interface ToolDeclaration<I extends ObjectSchema, O extends z.ZodType, R extends Resources>
  extends Declaration<I, O> {
  readonly resources?: R
  /** Nothing that anyone observes afterwards has changed. Default false: the tool changes things. */
  readonly readOnly?: boolean
  /** A repeat with the same `idempotencyKey` does no harm. Default false. */
  readonly idempotent?: boolean
  /** 1 to 895; default 60. */
  readonly timeoutSeconds?: number
  /** 128 to 10240 (Lambda's bounds); default 256. */
  readonly memoryMb?: number
}

export interface Tool<out I = unknown, out O = unknown> extends Typed<I, O> {
  readonly kind: 'tool'
  readonly idempotent: boolean
  readonly timeoutSeconds: number
  readonly memoryMb: number
  readonly resources: Resources
  /** Takes what `input` parsed to, and returns what `output` is to parse. */
  readonly code: (input: unknown, context: ToolContext) => unknown
}

export interface ToolBuilder<I extends ObjectSchema, O extends z.ZodType, R extends Resources> {
  run(
    code: (input: z.output<I>, context: ToolContext<R>) => z.input<O> | Promise<z.input<O>>,
  ): Tool<z.input<I>, z.output<O>>
}

/**
 * Declares one of your operations, which becomes a Lambda function of its own: `tool({ name, description, input, output }).run(code)`.
 * Schemas come first and the function second, since TypeScript widens literals when both stand in one object.
 * Throws `DefinitionError` for a bad name, timeout or memory size.
 */
export function tool<I extends ObjectSchema, O extends z.ZodType, R extends Resources = Record<never, never>>(
  declaration: ToolDeclaration<I, O, R>,
): ToolBuilder<I, O, R> {
  const common = describeCallable('tool', declaration)
  const timeoutSeconds = declaration.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS
  const memoryMb = declaration.memoryMb ?? DEFAULT_MEMORY_MB
  requireWhole(common.name, 'timeoutSeconds', timeoutSeconds, 1, MAXIMUM_TOOL_TIMEOUT_SECONDS)
  requireWhole(common.name, 'memoryMb', memoryMb, 128, 10_240)
  return {
    run: (code) =>
      // The phantom types exist for the compiler alone, and `code` is only ever given what this input schema parsed.
      ({
        ...common,
        kind: 'tool',
        readOnly: declaration.readOnly ?? false,
        idempotent: declaration.idempotent ?? false,
        timeoutSeconds,
        memoryMb,
        resources: declaration.resources ?? {},
        code,
      }) as unknown as Tool<z.input<I>, z.output<O>>,
  }
}

/** Whether a callable from a palette or a registry is a tool, with all that `tool` gave it. */
export const isTool = (callable: Callable): callable is Tool => callable.kind === 'tool'

function requireWhole(name: string, field: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new DefinitionError(
      `tool "${name}": ${field} is ${value}; it must be a whole number from ${least} to ${most}`,
    )
}
