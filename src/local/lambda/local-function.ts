import * as z from 'zod'
import { LATEST } from './function-name.ts'

/** Lambda: names of 1–64 letters, digits, hyphens and underscores. */
const functionNameSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)

/** Lambda: a version's number, or an alias of 1–128 letters, digits, hyphens and underscores. */
const qualifierNameSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/)

const versionSchema = z.string().regex(/^(?:\$LATEST|\d+)$/, { error: 'A version is a number or $LATEST' })

/** Lambda: at most 4 KB of names and values together. */
const environmentSchema = z
  .record(z.string(), z.string())
  .refine((variables) => sizeBytes(variables) <= 4_096, {
    error: 'Lambda allows 4 KB of environment variables, names and values together',
  })

/**
 * Lambda's EventInvokeConfig: an event's age of 60–21,600 s. `onFailure` and `onSuccess` are names of functions of the
 * same stand-in, which are invoked with Lambda's record of the event.
 */
const asynchronousSchema = z.object({
  retries: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  maximumEventAgeSeconds: z.int().min(60).max(21_600),
  onFailure: functionNameSchema.optional(),
  onSuccess: functionNameSchema.optional(),
})
export type AsynchronousSettings = z.infer<typeof asynchronousSchema>

/**
 * Versions by number and aliases by name: `{ '3': {}, live: { version: '3', asynchronous: { … } } }`. An alias names its
 * version, which needs no entry of its own. All of them run the same code.
 */
const qualifiersSchema = z
  .record(
    qualifierNameSchema,
    z.object({ version: versionSchema.optional(), asynchronous: asynchronousSchema.optional() }),
  )
  .refine(
    (all) => Object.entries(all).every(([name, { version }]) => isNumber(name) !== (version !== undefined)),
    {
      error: 'An alias names its version, as in { live: { version: "3" } }; a version names none',
    },
  )

/**
 * One function of the stand-in, within Lambda's own bounds: a timeout of 1–900 s, 128–10,240 MB. `entry` is the path of
 * a TypeScript module, `handler` the name of its export (default `handler`). `asynchronous` is for unqualified
 * requests. `reservedConcurrency` bounds what runs at once, over all versions; 0 stops the function. `recursiveLoop`:
 * whether a chain of requests may invoke it more than 16 times; default `Terminate`, as in AWS.
 */
export const localFunctionSchema = z.object({
  name: functionNameSchema,
  entry: z.string(),
  handler: z.string().optional(),
  timeoutSeconds: z.int().min(1).max(900),
  memoryMb: z.int().min(128).max(10_240),
  environment: environmentSchema.optional(),
  asynchronous: asynchronousSchema.optional(),
  qualifiers: qualifiersSchema.optional(),
  reservedConcurrency: z.int().min(0).optional(),
  recursiveLoop: z.enum(['Allow', 'Terminate']).optional(),
})
export type LocalFunction = z.infer<typeof localFunctionSchema>

/**
 * How asynchronous events under this qualifier are treated: by its own settings, or by AWS's defaults of two retries
 * and six hours. AWS keeps the settings by function and qualifier (PutFunctionEventInvokeConfig, without a qualifier
 * those of `$LATEST`): an alias inherits nothing from `$LATEST`, nor from the version that it names.
 */
export function asynchronousSettings(
  { asynchronous, qualifiers }: LocalFunction,
  qualifier: string | undefined,
): AsynchronousSettings {
  const own = isLatest(qualifier) ? asynchronous : qualifiers?.[qualifier]?.asynchronous
  return own ?? { retries: 2, maximumEventAgeSeconds: 21_600 }
}

/** The version that the qualifier leads to: itself, or its alias's. Undefined: the function has no such qualifier. */
export function versionOf(
  { qualifiers = {} }: LocalFunction,
  qualifier: string | undefined,
): string | undefined {
  if (isLatest(qualifier)) return LATEST
  if (Object.hasOwn(qualifiers, qualifier)) return qualifiers[qualifier]?.version ?? qualifier
  return Object.values(qualifiers).some(({ version }) => version === qualifier) ? qualifier : undefined
}

/** The functions that are handed records of the function's events, and of which. */
export function destinationsOf({
  asynchronous,
  qualifiers = {},
}: LocalFunction): readonly { readonly of: 'failures' | 'successes'; readonly to: string }[] {
  const all = [asynchronous, ...Object.values(qualifiers).map((qualifier) => qualifier.asynchronous)]
  return all.flatMap((settings) => [
    ...(settings?.onFailure === undefined ? [] : [{ of: 'failures' as const, to: settings.onFailure }]),
    ...(settings?.onSuccess === undefined ? [] : [{ of: 'successes' as const, to: settings.onSuccess }]),
  ])
}

function isLatest(qualifier: string | undefined): qualifier is undefined | typeof LATEST {
  return qualifier === undefined || qualifier === LATEST
}

function isNumber(qualifier: string): boolean {
  return /^\d+$/.test(qualifier)
}

function sizeBytes(variables: Readonly<Record<string, string>>): number {
  return Buffer.byteLength(Object.entries(variables).flat().join(''))
}
