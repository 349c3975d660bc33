import * as z from 'zod'
import { attributeValueSchema, type Item, itemSchema } from './attribute-value.ts'
import { consumedCapacity, returnConsumedCapacity } from './consumption.ts'
import { answered, type Handler, LOST } from './handler.ts'
import type { ItemWrite, ItemWriter } from './item-writer.ts'
import type { LostAnswers } from './lost-answers.ts'
import { namesInExpression } from './names-in-expression.ts'
import { keyOf } from './table-schema.ts'
import type { Tables } from './tables.ts'
import { errorOf, type Wire } from './wire.ts'

const common = { TableName: z.string(), ReturnConsumedCapacity: returnConsumedCapacity }
const putInput = z.object({ ...common, Item: itemSchema })
const deleteInput = z.object({ ...common, Key: itemSchema })
const updateInput = z.object({
  ...common,
  Key: itemSchema,
  UpdateExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  AttributeUpdates: z.record(z.string(), z.object({ Value: attributeValueSchema.optional() })).optional(),
})

/** PutItem, UpdateItem and DeleteItem. Answers may be lost after the item was written. */
export function createWrites(options: {
  readonly wire: Wire
  readonly tables: Tables
  readonly writer: ItemWriter
  readonly lostAnswers: LostAnswers
}): Readonly<Record<'PutItem' | 'UpdateItem' | 'DeleteItem', Handler>> {
  const { wire, tables, writer, lostAnswers } = options

  function handler<I extends z.infer<z.ZodObject<typeof common>>>(
    operation: string,
    schema: z.ZodType<I>,
    read: (input: I) => { readonly item: Item; readonly change: ItemWrite['change'] },
  ): Handler {
    return async (input) => {
      const parsed = schema.safeParse(input)
      const table = parsed.success ? await tables.open(parsed.data.TableName) : undefined
      if (!parsed.success || table === undefined) return undefined
      const { item, change } = read(parsed.data)
      const key = keyOf(table.schema.keys, item)
      return key && writeOne(operation, input, parsed.data, { table, key, change })
    }
  }

  async function writeOne(
    operation: string,
    input: object,
    { ReturnConsumedCapacity }: z.infer<z.ZodObject<typeof common>>,
    write: ItemWrite,
  ) {
    const { name } = write.table.schema
    const { answer, used } = await writer.write([write], () =>
      wire.send(operation, { ...input, ReturnConsumedCapacity: 'NONE' }),
    )
    if (errorOf(answer) !== undefined) return answered(answer)
    if (lostAnswers.isLost(operation, name, write.key)) return LOST
    const ConsumedCapacity = consumedCapacity(name, used.get(name) ?? [], ReturnConsumedCapacity)
    return answered({ ...answer, body: { ...answer.body, ConsumedCapacity } })
  }

  return {
    PutItem: handler('PutItem', putInput, ({ Item: item }) => ({ item, change: { kind: 'put', item } })),
    DeleteItem: handler('DeleteItem', deleteInput, ({ Key }) => ({ item: Key, change: { kind: 'delete' } })),
    UpdateItem: handler('UpdateItem', updateInput, (input) => ({
      item: input.Key,
      change: { kind: 'update', named: namedIn(input) },
    })),
  }
}

function namedIn(input: z.infer<typeof updateInput>): ReadonlySet<string> {
  const { UpdateExpression = '', ExpressionAttributeNames = {}, AttributeUpdates = {} } = input
  return new Set([
    ...namesInExpression(UpdateExpression, ExpressionAttributeNames),
    ...Object.keys(AttributeUpdates),
  ])
}
