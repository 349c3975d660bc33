import {
  DefinitionError,
  type Doer,
  doer,
  type ListArtifact,
  listArtifact,
  type OutputOf,
  type Settled,
  type Typed,
} from 'turnwise'
import * as z from 'zod'

/** What does one item: a tool, a thinker or a doer that takes `{ instruction, item }`. */
export type Worker<E> = Typed<{ readonly instruction: string; readonly item: E }, unknown>

export interface FanOutDeclaration<E extends z.ZodType, W extends readonly Worker<z.input<E>>[]> {
  readonly name: string
  readonly description: string
  readonly displayName?: string
  /** The schema of an item. */
  readonly item: E
  /** Those that a caller may name: the fan-out can run these and no other. */
  readonly workers: W
  /** Items at the same time, 1 to 40; default 40. */
  readonly concurrency?: number
  /** Whoever calls names the worker, so what is reached is not known before. */
  readonly readOnly?: never
}

export interface FanOutInput<E> {
  readonly items: ListArtifact<E>
  /** The name of one of the workers. */
  readonly worker: string
  readonly instruction: string
}

/** As many as the items, in their order: each the worker's output, or why it failed. */
export interface FanOutOutput<O> {
  readonly results: ListArtifact<Settled<O>>
}

const Failed = z.object({ ok: z.literal(false), error: z.object({ name: z.string(), message: z.string() }) })

/**
 * A doer that gives each item of a list artifact, with an instruction, to a fresh run of the worker that its caller names, and answers with a
 * list artifact of what came of them: in the items' order, failures in place. Each output is checked by its worker's schema. Throws
 * `DefinitionError`.
 */
export function fanOut<E extends z.ZodType, const W extends readonly Worker<z.input<E>>[]>({
  item,
  workers,
  concurrency,
  ...declaration
}: FanOutDeclaration<E, W>): Doer<FanOutInput<z.input<E>>, FanOutOutput<OutputOf<W[number]>>> {
  if (workers.length === 0) throw new DefinitionError(`doer "${declaration.name}": it has no workers`)
  const names = workers.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined)
    throw new DefinitionError(
      `doer "${declaration.name}": two of its workers are named "${twice}"; a caller names one, so each has a name of its own`,
    )
  const done = workers.map(({ output }) => z.object({ ok: z.literal(true), value: output }))
  const made = doer({
    ...declaration,
    input: z.object({
      items: listArtifact(item),
      worker: z.enum(names),
      instruction: z.string().min(1),
    }),
    output: z.object({ results: listArtifact(z.union([...done, Failed])) }),
  }).plan((d, { items, worker, instruction }) => {
    const results = d.map(
      'each item',
      items,
      (each) => {
        const input = { instruction, item: each as never } // a worker takes what the items are
        const branches = workers.map((one) => [one.name, () => d.step(one.name, one, input)])
        // One branch for each value of the enum above.
        return d.match('which worker', worker, Object.fromEntries(branches) as never)
      },
      { tolerate: 'all', ...(concurrency !== undefined && { concurrency }) },
    )
    return { results: results as never } // each result is of one of the schemas
  })
  // The schemas above are those of these types.
  return made as unknown as Doer<FanOutInput<z.input<E>>, FanOutOutput<OutputOf<W[number]>>>
}
