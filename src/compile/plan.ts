import * as z from 'zod'
import type { Machine } from './asl.ts'

/**
 * Where a definition is written: `{ name: 'order_status', file: 'functions/tools/order-status.ts', export:
 * 'orderStatus' }`.
 */
export const placeSchema = z.object({
  name: z.string(),
  /** From the project's directory, with forward slashes. */
  file: z.string(),
  export: z.string(),
})
export type Place = z.infer<typeof placeSchema>

export const doorSchema = z.enum(['tool', 'turn', 'doer', 'lists', 'gateway', 'resume'])
export type Door = z.infer<typeof doorSchema>

/** One Lambda function. */
export const plannedFunctionSchema = z.object({
  /**
   * `tool-order_status`, `turn-order_agent`, `doer-customer_report`, `lists`, `gateway` or `resume`; `functionName(prefix, id)`
   * is its deployed name.
   */
  id: z.string(),
  door: doorSchema,
  /** What it runs; absent for `gateway` and `resume`. */
  definition: placeSchema.optional(),
  /** From the project's directory: `.turnwise/entries/tool-order_status.ts`. */
  entry: z.string(),
  timeoutSeconds: z.int().min(1).max(900),
  memoryMb: z.int().min(128).max(10_240),
  /** What Lambda does with an asynchronous invocation that fails. */
  asynchronous: z.object({
    retries: z.int().min(0).max(2),
    maximumEventAgeSeconds: z.int().min(60).max(21_600),
    /** The id of the function that is told of a failure for good. */
    onFailure: z.string().optional(),
  }),
  /** Ids of the functions that it may invoke, sorted. */
  invokes: z.array(z.string()),
  /** Ids of the machines that it may start, sorted. */
  starts: z.array(z.string()),
})
export type PlannedFunction = z.infer<typeof plannedFunctionSchema>

/** What a run of a doer comes to at worst, as it was computed when it was compiled. */
export const worstSchema = z.object({
  states: z.int(),
  /** Billed state transitions of a run, in all its executions, retries included. */
  transitions: z.int(),
  /** US dollars for those transitions; Lambda, models and tables are not in it. */
  dollars: z.number(),
  /** Events of the longest history; Step Functions takes 25,000. */
  events: z.int(),
  /** Bytes of the largest payload that schemas bound. */
  payloadBytes: z.int().optional(),
  /** The payloads that they do not: Step Functions takes 256 KiB of each. */
  unboundedPayloads: z.array(z.string()),
  /** What runs in executions of its own. */
  split: z.array(z.string()),
  /** What was supposed where a definition does not say. */
  assumptions: z.array(z.string()),
})
export type Worst = z.infer<typeof worstSchema>

/** One Step Functions state machine. */
export const plannedMachineSchema = z.object({
  /** The doer's name; `machineName(prefix, id)` is its deployed name. */
  id: z.string(),
  /** `renderMachine` makes it one deployment's. */
  definition: z.custom<Machine>(
    (value) => z.looseObject({ States: z.looseObject({}) }).safeParse(value).success,
  ),
  /** Ids of the functions that it may invoke, sorted. */
  invokes: z.array(z.string()),
  /** Whether a part of it runs in executions of its own, which its own execution starts and stops. */
  startsItself: z.boolean(),
  worst: worstSchema,
})
export type PlannedMachine = z.infer<typeof plannedMachineSchema>

/**
 * All that is deployed, as data: what `.turnwise/plan.json` holds. Functions and machines are sorted by id.
 */
export const planSchema = z.object({
  version: z.literal(1),
  functions: z.array(plannedFunctionSchema),
  machines: z.array(plannedMachineSchema),
})
export type Plan = z.infer<typeof planSchema>
