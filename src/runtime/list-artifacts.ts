import { ARTIFACT_ID, type Artifacts, type ListArtifact } from '../core/artifact.ts'
import { InvalidInput, NotFound } from '../core/errors.ts'
import { type ListHead, lostItem } from '../store/artifacts.ts'
import type { Ports } from './ports.ts'
import { listId } from './run-ids.ts'

type Needed = Pick<Ports, 'store' | 'clock' | 'random'>

/** The lists of one call: what it saves expires with its run, and nothing is saved or read after its signal. */
export function createArtifacts(
  ports: Needed,
  { expiresAt, signal }: { readonly expiresAt: number; readonly signal: AbortSignal },
): Artifacts {
  const lists = ports.store.artifacts
  return {
    async saveList<E>(items: Iterable<E> | AsyncIterable<E>) {
      const id = listId(ports.random())
      const size = await lists.writeItems(id, items, { expiresAt, signal })
      signal.throwIfAborted()
      await lists.finish(id, size, expiresAt)
      // The phantom exists for the compiler alone.
      return { artifact: id, size } as ListArtifact<E>
    },

    readList: <E>({ artifact }: ListArtifact<E>) => ({
      async *[Symbol.asyncIterator]() {
        signal.throwIfAborted()
        const { id, size } = await findList(ports, artifact)
        for await (const item of lists.readItems(id, 0, size)) {
          signal.throwIfAborted()
          // The reference's type says what was saved under it.
          yield item as E
        }
      },
    }),

    async readItem<E>({ artifact }: ListArtifact<E>, index: number) {
      signal.throwIfAborted()
      // As above.
      return (await findItem(ports, artifact, index)) as E
    },
  }
}

/** One item of a list. Throws as `findList`, and `InvalidInput` for an index that it does not have. */
export async function findItem(
  ports: Pick<Needed, 'store' | 'clock'>,
  artifact: string,
  index: number,
): Promise<unknown> {
  const { id, size } = await findList(ports, artifact)
  if (!Number.isInteger(index) || index < 0 || index >= size) throw noItem(size, index)
  const value = await ports.store.artifacts.readItem(id, index)
  if (value === undefined) throw lostItem(id, index)
  return value
}

/** The head of a list that is whole and has not expired. Throws `NotFound` that says which it is. */
export async function findList(
  { store, clock }: Pick<Needed, 'store' | 'clock'>,
  id: string,
): Promise<ListHead> {
  // A longer text than DynamoDB takes as a key would be a fault of ours.
  const head = ARTIFACT_ID.test(id) ? await store.artifacts.read(id) : undefined
  if (!head) throw new NotFound(`No artifact has the id "${id}"`)
  // DynamoDB deletes what has expired within days, item by item: until then a part of it may be there.
  if (head.expiresAt * 1_000 <= clock.now())
    throw new NotFound(`The artifact "${id}" expired at ${new Date(head.expiresAt * 1_000).toISOString()}`)
  return head
}

const noItem = (size: number, index: number): InvalidInput =>
  new InvalidInput(
    size === 0
      ? `The list is empty, so it has no item ${index}`
      : `The list has ${size} items, so it has no item ${index}; its indexes are 0 to ${size - 1}`,
  )
