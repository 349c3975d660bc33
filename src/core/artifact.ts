import * as z from 'zod'

declare const item: unique symbol

/** One list artifact holds at most this many items. */
export const MOST_LIST_ITEMS = 100_000
/** Of one item, as JSON in UTF-8: what the gateway can answer. */
export const LARGEST_LIST_ITEM_BYTES = 4_000_000

/**
 * A list that a tool saved whole, as it stands in inputs and outputs: a reference, `{ artifact: '<32 of 0-9a-f>', size: 1000 }`. Its items
 * pass through no model, no machine and no other input. The phantom carries the item's type, so only `saveList` or a schema
 * makes a reference.
 */
export interface ListArtifact<out E> {
  readonly artifact: string
  /** How many items the list has. */
  readonly size: number
  readonly [item]: E
}

/** The lists that a tool's code saves and reads; they live as long as the record of the run that saved them (90 days). */
export interface Artifacts {
  /**
   * Saves a list whole under a new id that nobody can guess; a repeat of the call saves another. Items are written as they come, so a
   * stream is never held in memory. The list is there once this resolves: one that failed or was cut short is never seen. The compiler
   * checks the items, nothing does when it runs. Throws `Internal` that names the index of an item which JSON cannot hold or which is
   * above 4 MB, or when there are more than 100,000 items; the signal's reason when the call is stopped.
   */
  saveList<E>(items: Iterable<E> | AsyncIterable<E>): Promise<ListArtifact<E>>
  /**
   * The items in order, read as they are asked for, about 1 MB at a time. Each reading begins anew. The first item throws `NotFound`
   * when there is no such list, or it has expired.
   */
  readList<E>(list: ListArtifact<E>): AsyncIterable<E>
  /** The item at an index from 0. Throws `NotFound` as above, `InvalidInput` with the list's size for an index out of range. */
  readItem<E>(list: ListArtifact<E>, index: number): Promise<E>
}

type ListArtifactSchema<S extends z.ZodType> = z.ZodType<ListArtifact<z.output<S>>, ListArtifact<z.output<S>>>

const itemSchemas = new WeakMap<z.core.$ZodType, z.ZodType>()

/** The form of an artifact's id; 128 bits of it are random, or a hash of what is. */
export const ARTIFACT_ID = /^[0-9a-f]{32}$/

/** The schema of a reference to a list of such items, for the input or output of a tool, a thinker or a doer. */
export function listArtifact<S extends z.ZodType>(item: S): ListArtifactSchema<S> {
  const schema = z
    .object({ artifact: z.string().regex(ARTIFACT_ID), size: z.int().min(0).max(MOST_LIST_ITEMS) })
    .describe('Stands for a list that is kept elsewhere; pass it on unchanged')
  itemSchemas.set(schema, item)
  // The phantom exists for the compiler alone.
  return schema as unknown as ListArtifactSchema<S>
}

/** The schema of the items, when this is one that `listArtifact` made, or what a description or a check made of it; else undefined. */
export function itemSchemaOf(schema: z.core.$ZodType): z.ZodType | undefined {
  const { parent } = schema._zod
  return itemSchemas.get(schema) ?? (parent && itemSchemaOf(parent))
}
