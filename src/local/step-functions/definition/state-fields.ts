import * as z from 'zod'
import { isExpression } from '../expressions/expression-text.ts'

const expression = z.string().refine(isExpression, 'must be a number or a JSONata expression {% … %}')
const expressionOr = <T extends z.ZodType>(schema: T) => z.union([expression, schema])
const wholeSeconds = z.int().min(0).max(99_999_999)
const template = z.unknown()
const assign = z.record(
  z
    .string()
    .regex(/^[\p{L}_][\p{L}\p{N}_]{0,79}$/u, 'is not a name for a variable')
    .refine((name) => name !== 'states', 'the name $states is reserved'),
  template,
)

const always = { Comment: z.string().optional(), QueryLanguage: z.enum(['JSONata', 'JSONPath']).optional() }
const goesOn = { Next: z.string().optional(), End: z.boolean().optional() }
const results = { Assign: assign.optional(), Output: template.optional() }
const errorEquals = z.array(z.string()).min(1)

const retrier = z.strictObject({
  Comment: z.string().optional(),
  ErrorEquals: errorEquals,
  IntervalSeconds: z.int().min(1).max(99_999_999).optional(),
  MaxAttempts: z.int().min(0).max(99_999_999).optional(),
  BackoffRate: z.number().min(1).optional(),
  MaxDelaySeconds: z.int().min(1).max(31_622_400).optional(),
  JitterStrategy: z.enum(['FULL', 'NONE']).optional(),
})
const catcher = z.strictObject({
  Comment: z.string().optional(),
  ErrorEquals: errorEquals,
  Next: z.string(),
  ...results,
})
const handlers = { Retry: z.array(retrier).optional(), Catch: z.array(catcher).optional() }

const task = z.strictObject({
  Type: z.literal('Task'),
  ...always,
  ...goesOn,
  ...results,
  ...handlers,
  Resource: z.string(),
  Arguments: template.optional(),
  TimeoutSeconds: expressionOr(wholeSeconds.min(1)).optional(),
  HeartbeatSeconds: expressionOr(wholeSeconds.min(1)).optional(),
  Credentials: z.strictObject({ RoleArn: z.string() }).optional(),
})
const pass = z.strictObject({
  Type: z.literal('Pass'),
  ...always,
  ...goesOn,
  ...results,
  Result: template.optional(),
})
const choice = z.strictObject({
  Type: z.literal('Choice'),
  ...always,
  ...results,
  Choices: z
    .array(
      z.strictObject({
        Comment: z.string().optional(),
        Condition: expressionOr(z.boolean()),
        Next: z.string(),
        ...results,
      }),
    )
    .min(1),
  Default: z.string().optional(),
})
const wait = z.strictObject({
  Type: z.literal('Wait'),
  ...always,
  ...goesOn,
  ...results,
  Seconds: expressionOr(wholeSeconds).optional(),
  Timestamp: z.string().optional(),
})
const succeed = z.strictObject({ Type: z.literal('Succeed'), ...always, Output: template.optional() })
const fail = z.strictObject({
  Type: z.literal('Fail'),
  ...always,
  Error: z.string().optional(),
  Cause: z.string().optional(),
})
const map = z.strictObject({
  Type: z.literal('Map'),
  ...always,
  ...goesOn,
  ...results,
  ...handlers,
  Items: z.union([expression, z.array(template)]).optional(),
  ItemSelector: template.optional(),
  ItemProcessor: z.unknown().optional(),
  /** The older name of ItemProcessor. */
  Iterator: z.unknown().optional(),
  MaxConcurrency: expressionOr(z.int().min(0)).optional(),
  Label: z.string().max(40).optional(),
  ItemBatcher: z
    .strictObject({
      MaxItemsPerBatch: expressionOr(z.int().min(1)).optional(),
      MaxInputBytesPerBatch: expressionOr(z.int().min(1).max(262_144)).optional(),
      BatchInput: template.optional(),
    })
    .refine(
      ({ MaxItemsPerBatch, MaxInputBytesPerBatch }) =>
        (MaxItemsPerBatch ?? MaxInputBytesPerBatch) !== undefined,
      'needs MaxItemsPerBatch or MaxInputBytesPerBatch',
    )
    .optional(),
  ToleratedFailureCount: expressionOr(z.int().min(0)).optional(),
  ToleratedFailurePercentage: expressionOr(z.number().min(0).max(100)).optional(),
})
const parallel = z.strictObject({
  Type: z.literal('Parallel'),
  ...always,
  ...goesOn,
  ...results,
  ...handlers,
  Arguments: template.optional(),
  Branches: z.array(z.unknown()).min(1),
})

/** The fields of a state by its `Type`; what is nested in a Map or Parallel is read as a branch of its own. */
export const stateFields = z.discriminatedUnion('Type', [
  task,
  pass,
  choice,
  wait,
  succeed,
  fail,
  map,
  parallel,
])
export type StateFields = z.output<typeof stateFields>
export type Retrier = z.output<typeof retrier>

/** A branch of a Parallel. */
export const branchFields = z.strictObject({
  Comment: z.string().optional(),
  StartAt: z.string(),
  States: z.record(z.string(), z.unknown()),
})

/** The outside of a machine. */
export const machineFields = branchFields.extend({
  QueryLanguage: z.enum(['JSONata', 'JSONPath']).optional(),
  Version: z.literal('1.0').optional(),
  TimeoutSeconds: wholeSeconds.min(1).optional(),
})

/** What a Map does for each item. */
export const processorFields = branchFields.extend({
  ProcessorConfig: z
    .strictObject({
      Mode: z.enum(['INLINE', 'DISTRIBUTED']).optional(),
      ExecutionType: z.enum(['STANDARD', 'EXPRESS']).optional(),
    })
    .optional(),
})
