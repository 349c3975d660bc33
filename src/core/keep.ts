import * as z from 'zod'

/**
 * What of a step's result its doer reads later, in the shape of the data. `inline`: the machine computes with it. `passed`: it is only handed
 * on, so that a large value may stay in the table and travel as a pointer. Parts: of an object these fields, of a list these parts of each
 * item, and with `whole` the value itself is handed on, too. Example, where the orders' numbers are all that is read: `{ fields: { orders: {
 * items: { fields: { orderNumber: 'passed' } } } } }`.
 */
export type Keep = 'inline' | 'passed' | KeptParts

export interface KeptParts {
  readonly whole?: true | undefined
  readonly fields?: Readonly<Record<string, Keep>> | undefined
  readonly items?: Keep | undefined
}

/** The field of an object that stands for a value which stayed in the table. */
export const POINTER = 'turnwise:value'

/** What is only handed on stays in the table above this, and above 100 bytes where the whole is too much: a pointer has some 60 bytes. */
export const SMALL_BYTES = 1_024
export const SMALLEST_BYTES = 100

/** Only that the value is there. */
export const KEEP_PRESENCE: Keep = {}

/** What one answer to a machine takes at most. Step Functions: a state has at most 256 KiB; the rest is for what else stands in it. */
export const LARGEST_ANSWER_BYTES = 200_000

const KeepSchema: z.ZodType<Keep> = z.union([
  z.enum(['inline', 'passed']),
  z.object({
    whole: z.literal(true).optional(),
    get fields(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof KeepSchema>> {
      return z.record(z.string(), KeepSchema).optional()
    },
    get items(): z.ZodOptional<typeof KeepSchema> {
      return KeepSchema.optional()
    },
  }),
])

/** What a machine wants to be answered for a step. */
export const WantedAnswer = z.object({
  keep: KeepSchema,
  /** Values that are only handed on stay in the table where together they are more than this. */
  mostBytes: z.int(),
})
export type WantedAnswer = z.infer<typeof WantedAnswer>
