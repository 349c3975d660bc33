import * as z from 'zod'

/** What the deployment tells every function. The only place that reads the environment. */
const Environment = z.object({
  /** The table of runs. */
  TURNWISE_TABLE: z.string().min(1),
  /** What the names of this deployment's functions and machines begin with: `turnwise-dev`. */
  TURNWISE_PREFIX: z.string().min(1),
  /** `arn:aws:states:us-east-1:123456789012:`; the rest of an ARN is computed from names. */
  TURNWISE_STATES_ARN: z.string().min(1),
  OPENAI_BASE_URL: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
})
export type Environment = z.infer<typeof Environment>

/** Throws an error that names each variable that is missing. */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Environment {
  const parsed = Environment.safeParse(variables)
  if (parsed.success) return parsed.data
  throw new Error(`The environment of this function is not complete:\n${z.prettifyError(parsed.error)}`)
}
