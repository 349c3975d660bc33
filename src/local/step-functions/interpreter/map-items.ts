import type { StateOf } from '../definition/machine.ts'
import { MAXIMUM_PAYLOAD_BYTES } from '../limits.ts'
import { evaluateField, evaluateWholeNumber, evaluationFailed, unexpectedType } from './evaluate-field.ts'
import type { Thread } from './execution.ts'
import type { Transition } from './transition.ts'

/** What a Map iterates over. */
export async function evaluateItems(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
): Promise<readonly unknown[]> {
  if (state.Items === undefined) {
    const { value, text } = thread.data.input
    if (!Array.isArray(value))
      throw evaluationFailed(thread, `Map state input must be an array but was: ${text}`, undefined)
    return value
  }
  const items = await evaluateField(transition, thread, state, state.Items, 'Items')
  if (!Array.isArray(items)) throw unexpectedType(thread, state.Items, 'Items', 'array', items)
  return items
}

/** What an iteration gets for an item. */
export async function selectItem(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
  index: number,
  item: unknown,
): Promise<unknown> {
  if (state.ItemSelector === undefined) return item
  const extras = { item: { Index: index, Value: item } }
  return evaluateField(transition, thread, state, state.ItemSelector, 'ItemSelector', extras)
}

interface Batch {
  readonly Items: unknown[]
}

/** How many items the iteration at an index has: AWS counts failures of items, not of iterations. */
export function itemsIn({ data }: Thread, { ItemBatcher }: StateOf<'Map'>, index: number): number {
  // With an ItemBatcher the items are what `batchItems` made.
  return ItemBatcher === undefined ? 1 : ((data.items?.[index] as Batch | undefined)?.Items.length ?? 1)
}

/** The items that iterations get: with an ItemBatcher, batches of them, as `{ BatchInput, Items }`. */
export async function batchItems(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
  items: readonly unknown[],
): Promise<readonly unknown[]> {
  const { ItemBatcher: batcher } = state
  if (batcher === undefined) return items
  const limit = async (field: 'MaxItemsPerBatch' | 'MaxInputBytesPerBatch') => {
    const template = batcher[field]
    if (template === undefined) return Number.POSITIVE_INFINITY
    return evaluateWholeNumber(transition, thread, state, template, `ItemBatcher/${field}`, 1)
  }
  const maximumItems = await limit('MaxItemsPerBatch')
  const maximumBytes = Math.min(await limit('MaxInputBytesPerBatch'), MAXIMUM_PAYLOAD_BYTES)
  const batchInput =
    batcher.BatchInput === undefined
      ? {}
      : {
          BatchInput: await evaluateField(
            transition,
            thread,
            state,
            batcher.BatchInput,
            'ItemBatcher/BatchInput',
          ),
        }
  const batches: Batch[] = []
  const emptyBytes = Buffer.byteLength(JSON.stringify({ ...batchInput, Items: [] }))
  let bytes = Number.POSITIVE_INFINITY
  for (const [index, item] of items.entries()) {
    const selected = await selectItem(transition, thread, state, index, item)
    const itemBytes = Buffer.byteLength(JSON.stringify(selected)) + 1
    if (emptyBytes + itemBytes > maximumBytes)
      throw evaluationFailed(
        thread,
        `An item of ${itemBytes} bytes does not fit into a batch of MaxInputBytesPerBatch ${maximumBytes}`,
        'ItemBatcher/MaxInputBytesPerBatch',
      )
    const last = batches.at(-1)
    if (last === undefined || last.Items.length >= maximumItems || bytes + itemBytes > maximumBytes) {
      batches.push({ ...batchInput, Items: [selected] })
      bytes = emptyBytes + itemBytes
    } else {
      last.Items.push(selected)
      bytes += itemBytes
    }
  }
  return batches
}
