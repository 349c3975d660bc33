import * as z from 'zod'

/** Where the stand-ins say that they are; a function's ARN and its `AWS_REGION` agree. */
export const LOCAL_REGION = 'us-east-1'
const LOCAL_ACCOUNT = '000000000000'

/** Lambda: names of 1–64 letters, digits, hyphens and underscores. */
const functionNameSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)

/** Lambda: at most 4 KB of names and values together. */
const environmentSchema = z
  .record(z.string(), z.string())
  .refine((variables) => sizeBytes(variables) <= 4_096, {
    error: 'Lambda allows 4 KB of environment variables, names and values together',
  })

/**
 * One function of the stand-in, within Lambda's own bounds: a timeout of 1–900 s, 128–10,240 MB, an event's age of
 * 60–21,600 s (two retries and six hours are the defaults, as in AWS). `entry` is the path of a TypeScript module,
 * `handler` the name of its export (default `handler`), `onFailure` the name of a function of the same stand-in.
 */
export const localFunctionSchema = z.object({
  name: functionNameSchema,
  entry: z.string(),
  handler: z.string().optional(),
  timeoutSeconds: z.int().min(1).max(900),
  memoryMb: z.int().min(128).max(10_240),
  environment: environmentSchema.optional(),
  asynchronous: z
    .object({
      retries: z.union([z.literal(0), z.literal(1), z.literal(2)]),
      maximumEventAgeSeconds: z.int().min(60).max(21_600),
      onFailure: functionNameSchema.optional(),
    })
    .optional(),
})
export type LocalFunction = z.infer<typeof localFunctionSchema>

/** How an asynchronous event of the function is treated: its own settings, or AWS's defaults. */
export function asynchronousSettings(definition: LocalFunction): NonNullable<LocalFunction['asynchronous']> {
  return definition.asynchronous ?? { retries: 2, maximumEventAgeSeconds: 21_600 }
}

/** Example: `arn:aws:lambda:us-east-1:000000000000:function:turnwise-order-status`. */
export function functionArn(name: string): string {
  return `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT}:function:${name}`
}

/** The name in what Lambda's API takes for one: a name, a partial or a full ARN, each with a qualifier or without. */
export function functionNameOf(nameOrArn: string): string | undefined {
  return /^(?:(?:arn:[a-z-]+:lambda:[a-z0-9-]+:)?\d{12}:function:)?([a-zA-Z0-9_-]{1,64})(?::[$a-zA-Z0-9_-]+)?$/.exec(
    nameOrArn,
  )?.[1]
}

function sizeBytes(variables: Readonly<Record<string, string>>): number {
  return Buffer.byteLength(Object.entries(variables).flat().join(''))
}
