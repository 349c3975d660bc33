import * as z from 'zod'
import { DefinitionError } from '../core/errors.ts'
import { GRADES, type Grade, type OutputSize } from '../core/thinker.ts'

const tokens = z.int().min(1)

const catalogEntry = z.strictObject({
  /** The provider's name of the model. */
  model: z.string().min(1),
  /** What a request and its reply may hold together. */
  contextTokens: tokens,
  /** What one reply may hold. */
  outputTokens: tokens,
  /**
   * What the provider calls the limit of a reply. OpenAI takes the default; many compatible servers know only
   * `max_tokens`.
   */
  maxTokensParameter: z.enum(['max_completion_tokens', 'max_tokens']).default('max_completion_tokens'),
  /** Sent only when present: some models take tools over chat completions only with an explicit `none`. */
  reasoningEffort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
})

/** The file `catalog.json`: every grade has a model. Two grades may share one. */
const catalogFile = z.record(z.enum(GRADES), catalogEntry)

export type CatalogEntry = z.output<typeof catalogEntry>
/** Which model stands for a grade in this deployment. */
export type Catalog = z.output<typeof catalogFile>

const OUTPUT_TOKENS = { verdict: 1_024, compact: 4_096, standard: 16_384, extended: 32_768 } as const

/** Reads the JSON of a catalog file. Throws `DefinitionError` with the place of each mistake. */
export function parseCatalog(json: unknown): Catalog {
  const parsed = catalogFile.safeParse(json)
  if (!parsed.success) throw new DefinitionError(`model catalog: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}

/** The model for a grade. */
export function pick(catalog: Catalog, grade: Grade): CatalogEntry {
  return catalog[grade]
}

/** How many tokens a reply of this size may have: never more than the model can write. */
export function outputTokens(outputSize: OutputSize, entry: CatalogEntry): number {
  if (outputSize === 'max') return entry.outputTokens
  const wanted = typeof outputSize === 'string' ? OUTPUT_TOKENS[outputSize] : outputSize.tokens
  return Math.min(wanted, entry.outputTokens)
}
