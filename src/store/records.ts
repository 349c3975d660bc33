import * as z from 'zod'
import { FAILURE_NAMES } from '../core/errors.ts'
import { WantedAnswer } from '../core/keep.ts'

/** Times are milliseconds since 1970, UTC; `expiresAt` is in seconds, as DynamoDB's TTL reads it. */
const Time = z.number()

export const FailureRecord = z.object({ name: z.enum(FAILURE_NAMES), message: z.string() })

const Ended = z.object({
  startedAt: Time,
  endedAt: Time,
  /** How often a doer's machine had asked for this step again by then; a later delivery of a larger count is another try. */
  retryCount: z.int().optional(),
})
/** How a call ended. Example: `{ ok: true, value: { status: 'open' }, startedAt: 1767225600000, endedAt: 1767225600120 }`. */
export const CallResult = z.discriminatedUnion('ok', [
  Ended.extend({ ok: z.literal(true), value: z.unknown() }),
  Ended.extend({ ok: z.literal(false), failure: FailureRecord }),
])
export type CallResult = z.infer<typeof CallResult>

/**
 * Who waits for a child run: the entry that its end is written to, and whom to nudge when that entry was the last one.
 * A doer's step has no one to nudge: its machine waits for a task token.
 */
export const Waiter = z.object({
  runId: z.string(),
  sk: z.string(),
  entry: z.int(),
  expected: z.int(),
  thinker: z.string().optional(),
  wanted: WantedAnswer.optional(),
  /** How often a doer's machine had asked again when it asked for this child. */
  retryCount: z.int().optional(),
})
export type Waiter = z.infer<typeof Waiter>

export type RunKind = 'tool' | 'thinker' | 'doer'
export const RunFacts = z.object({
  kind: z.enum(['tool', 'thinker', 'doer']),
  agent: z.string(),
  inputHash: z.string(),
  createdAt: Time,
  expiresAt: z.number(),
  told: z.boolean().default(false),
  lookAt: Time.optional(),
  /** Keys of the questions whose answers are on record, or about to be, and may not have been told to the machine yet. */
  untold: z.set(z.string()).default(new Set()),
})

export type RunEnding =
  | { readonly status: 'completed'; readonly output: unknown }
  | { readonly status: 'failed'; readonly error: z.infer<typeof FailureRecord> }
  | { readonly status: 'exhausted' | 'cancelled' }

/** A completed run has an output, a failed one an error, and no other has either. */
export type Run = z.infer<typeof RunFacts> & {
  readonly id: string
  readonly input: unknown
  readonly waiter: Waiter | undefined
  readonly tokens: ReadonlySet<string>
} & ({ readonly status: 'running' } | (RunEnding & { readonly endedAt: number }))

/** What a run waits for at one call of a turn. `answered` calls were refused by the turn itself and have no entry to wait for. */
export const AskedCall = z.object({
  /** The provider's id of the call. */
  id: z.string(),
  name: z.string(),
  /** JSON text as the model wrote it, or `{}` where that was no JSON. */
  arguments: z.string(),
  answered: FailureRecord.optional(),
  /** The tool's repeat rules as they were when the call was asked for, or the child run. Absent when answered. */
  target: z
    .discriminatedUnion('kind', [
      z.object({
        kind: z.literal('tool'),
        readOnly: z.boolean(),
        idempotent: z.boolean(),
        timeoutSeconds: z.number(),
      }),
      z.object({ kind: z.enum(['thinker', 'doer']), childId: z.string() }),
    ])
    .optional(),
  input: z.unknown(),
})
export type AskedCall = z.infer<typeof AskedCall>

export const TurnOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('calls'), text: z.string(), calls: z.array(AskedCall) }),
  z.object({ kind: z.literal('answer'), text: z.string(), value: z.unknown() }),
  /** The reply could not be used; `correction` is what the model is told. */
  z.object({ kind: z.literal('correction'), text: z.string(), correction: z.string() }),
  /** The model could not be asked; the next turn is due at `until`. */
  z.object({ kind: z.literal('wait'), until: Time, failure: FailureRecord }),
])
export type TurnOutcome = z.infer<typeof TurnOutcome>

export const TurnBody = z.object({
  startedAt: Time,
  endedAt: Time,
  /** Lambda's request id of the invocation that committed it. */
  requestId: z.string(),
  model: z.string().optional(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }).optional(),
  outcome: TurnOutcome,
})
export type TurnBody = z.infer<typeof TurnBody>

export const Lease = z.object({
  owner: z.string(),
  requestId: z.string(),
  /** The invocation's own hard deadline; a lease is never renewed. */
  until: Time,
  startedAt: Time,
  attempt: z.int(),
})
export type Lease = z.infer<typeof Lease>

export interface Claim {
  readonly owner: string
  readonly requestId: string
  readonly claimedAt: number
  /** The invocation that claimed the call cannot be alive after this. */
  readonly deadAfter: number
}

/** The run of an agent that does a doer's step. */
export interface ChildNote {
  readonly runId: string
  readonly kind: 'thinker' | 'doer'
  readonly notedAt: number
}

/** A question to a person that a doer's step is; times in milliseconds. */
export interface Question {
  readonly askedAt: number
  /** From then on no answer is taken. */
  readonly deadline: number
  /** The task tokens that wait for the answer. */
  readonly tokens: ReadonlySet<string>
}

/** What a worker had to say when nobody waited for it any more: its call had passed to another, or was given up. It changes nothing. */
export const LateResult = z.object({
  ok: z.boolean(),
  /** The failure's name; absent when it succeeded. */
  failure: z.enum(FAILURE_NAMES).optional(),
  startedAt: Time,
  endedAt: Time,
})
export type LateResult = z.infer<typeof LateResult>

/** One entry of a results item. */
export interface CallEntry {
  readonly result: CallResult | undefined
  readonly claim: Claim | undefined
  readonly child?: ChildNote | undefined
  readonly question?: Question | undefined
  readonly late?: LateResult | undefined
}

/** A results item: what stands at its entries, and whether it was closed to new claims, since its run is over or went on without it. */
export interface CallEntries {
  readonly closed: boolean
  readonly done: ReadonlySet<number>
  entry(index: number): CallEntry
}

export type Turn =
  | { readonly state: 'leased'; readonly number: number; readonly lease: Lease }
  | {
      readonly state: 'committed'
      readonly number: number
      readonly body: TurnBody
      readonly results: CallEntries
    }
  | { readonly state: 'tombstone'; readonly number: number }

/** A step of a doer as it stands in the record. */
export interface StepRecord {
  readonly number: number
  readonly name: string
  /** Which item, or which time, of each map and repeat around it, the outermost first. */
  readonly indexes: readonly number[]
  readonly callable: string
  readonly input: unknown
  /** Of the first try. */
  readonly startedAt: number
  /** How often it was tried; from 1. */
  readonly attempts: number
  /** The last try. */
  readonly entry: CallEntry
  /** Its run ended, or went on without it, before it was done. */
  readonly closed: boolean
}
