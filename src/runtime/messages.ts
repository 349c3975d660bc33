import * as z from 'zod'
import { FAILURE_NAMES } from '../core/errors.ts'
import { WantedAnswer } from '../core/keep.ts'

/** "Look at this run": changes nothing but when the table is looked at. */
export const NudgeMessage = z.object({
  kind: z.literal('nudge'),
  runId: z.string(),
  /** The request id of an invocation that died: what it had committed but not dispatched is dispatched at once. */
  deadRequestId: z.string().optional(),
  /** Invocations that died over this run, each on the nudge that told of the one before. */
  deaths: z.int().optional(),
})
export type NudgeMessage = z.infer<typeof NudgeMessage>

/** A turn asks a tool's function to run one call. Example: entry 0 of 2 of turn 3. */
export const CallMessage = z.object({
  kind: z.literal('call'),
  runId: z.string(),
  agent: z.string(),
  tool: z.string(),
  turn: z.int(),
  entry: z.int(),
  /** Results that the turn waits for. */
  expected: z.int(),
  /** From 1; counts dispatches after a crash or an event that aged out. */
  attempt: z.int(),
  expiresAt: z.number(),
  /** Whom to nudge when the turn's last result is there. */
  nudge: z.string(),
  readOnly: z.boolean(),
  idempotent: z.boolean(),
  timeoutSeconds: z.number(),
  /** Absent when it is too large for an event: then it is read from the turn. */
  input: z.unknown().optional(),
})
export type CallMessage = z.infer<typeof CallMessage>

/** Where a step stands in its doer; `indexes`: which item, or which time, of each map and repeat around it, the outermost first. */
export const StepPlace = z.object({
  number: z.int(),
  name: z.string(),
  indexes: z.array(z.int()).optional(),
})

/** A doer's machine asks the function of a tool, or the doer's own for its code, for one step, and waits for the answer. */
export const ToolStepMessage = z.object({
  kind: z.literal('step'),
  runId: z.string(),
  agent: z.string(),
  step: StepPlace,
  /** Where values of earlier steps were too large for the machine's state, pointers stand for them. */
  input: z.unknown(),
  /** Of code: the names of its inputs when the machine was compiled, sorted. */
  inputs: z.array(z.string()).optional(),
  /** What of the result the machine is to be answered; absent: all. */
  wanted: WantedAnswer.optional(),
  /** The failures after which the step is tried again, and how often the machine has asked again so far. */
  retry: z.object({ on: z.array(z.enum(FAILURE_NAMES)), count: z.int() }).optional(),
})
export type ToolStepMessage = z.infer<typeof ToolStepMessage>

/** A doer's machine asks an agent for one step: the agent's run answers the task token when it ends. */
export const AgentStepMessage = ToolStepMessage.extend({
  /** The function that is asked, which makes the run: `turn-order_agent`, `doer-customer_report`. */
  target: z.string(),
  taskToken: z.string(),
  attempt: z.int().default(1),
})
export type AgentStepMessage = z.infer<typeof AgentStepMessage>

/** A doer tells how it goes. */
export const EmitMessage = z.object({
  kind: z.literal('emit'),
  runId: z.string(),
  step: StepPlace,
  message: z.unknown(),
})
export type EmitMessage = z.infer<typeof EmitMessage>

/** A doer asks a person; the token is answered when somebody has answered. */
export const AskMessage = z.object({
  kind: z.literal('ask'),
  runId: z.string(),
  step: StepPlace,
  question: z.unknown(),
  /** When the machine began to wait, in ISO 8601: the deadline counts from then. */
  askedAt: z.iso.datetime(),
  deadlineSeconds: z.number(),
  taskToken: z.string(),
})
export type AskMessage = z.infer<typeof AskMessage>

/** Asks `resume` to tell the machine the answer that is on record. */
export const AnsweredMessage = z.object({ kind: z.literal('answered'), runId: z.string(), step: StepPlace })
export type AnsweredMessage = z.infer<typeof AnsweredMessage>

/** Part of a doer failed, and the doer goes on: what is still under way of these steps is cancelled. `indexes`: of the item that failed. */
export const GiveUpMessage = z.object({
  kind: z.literal('give-up'),
  runId: z.string(),
  steps: z.array(z.object({ number: z.int(), name: z.string() })),
  indexes: z.array(z.int()),
})
export type GiveUpMessage = z.infer<typeof GiveUpMessage>

/** Which map of a run makes a list: its name, and which item or time it is of what is around it. */
const ListPlace = z.object({ runId: z.string(), map: z.string(), indexes: z.array(z.int()) })
export type ListPlace = z.infer<typeof ListPlace>

/** A machine that maps over a list artifact. Example: `{ kind: 'finish', runId: '…', map: 'each item', indexes: [], list: { artifact: '…' }, size: 1000 }`. */
export const ListMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('load'),
    list: z.object({ artifact: z.string() }),
    index: z.int(),
    wanted: WantedAnswer,
  }),
  ListPlace.extend({ kind: z.literal('save'), index: z.int(), value: z.unknown() }),
  ListPlace.extend({ kind: z.literal('finish'), list: z.object({ artifact: z.string() }), size: z.int() }),
])
export type ListMessage = z.infer<typeof ListMessage>

/** Asks `resume` to tell whoever waits for a run that ended. */
export const TellMessage = z.object({ kind: z.literal('tell'), runId: z.string() })
export type TellMessage = z.infer<typeof TellMessage>

/** The last state of a doer's machine reports how it ended. */
export const EndMessage = z.object({
  kind: z.literal('end'),
  runId: z.string(),
  outcome: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('completed'), output: z.unknown() }),
    z.object({ kind: z.literal('failed'), error: z.object({ name: z.string(), message: z.string() }) }),
  ]),
})
export type EndMessage = z.infer<typeof EndMessage>

export const SweepMessage = z.object({ kind: z.literal('sweep') })

/** EventBridge's event for an execution that changed its status (`detail-type` Step Functions Execution Status Change). */
export const ExecutionStatusEvent = z.object({
  source: z.literal('aws.states'),
  detail: z.object({
    name: z.string(),
    status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
  }),
})

/** Lambda's record of an asynchronous invocation that failed for good (on-failure destination). */
export const FailureReport = z.object({
  requestContext: z.object({
    requestId: z.string(),
    /** `RetriesExhausted`, or why it was not begun (again): `EventAgeExceeded`, `ZeroReservedConcurrency`, a loop. */
    condition: z.string(),
  }),
  requestPayload: z.union([NudgeMessage, CallMessage, AgentStepMessage]),
  responsePayload: z
    .object({ errorType: z.string().optional(), errorMessage: z.string().optional() })
    .nullish(),
})
export type FailureReport = z.infer<typeof FailureReport>

/** What `resume` is sent. */
const EndsMessage = z.union([
  TellMessage,
  EndMessage,
  EmitMessage,
  AskMessage,
  AnsweredMessage,
  GiveUpMessage,
  SweepMessage,
  FailureReport,
  ExecutionStatusEvent,
])

/** Lambda's record of a message that `resume` died over; `rescue` does what it asked for. */
export const RescueMessage = FailureReport.extend({ requestPayload: EndsMessage })

export const ToolMessage = z.union([CallMessage, ToolStepMessage])
export type ToolMessage = z.infer<typeof ToolMessage>
export const TurnMessage = z.union([NudgeMessage, AgentStepMessage])
export type TurnMessage = z.infer<typeof TurnMessage>
/** What a doer's own function is sent: the doer is a step of another, or a step of it is code. */
export const DoerMessage = z.union([AgentStepMessage, ToolStepMessage])
export type DoerMessage = z.infer<typeof DoerMessage>
export const ResumeMessage = z.union([NudgeMessage, EndsMessage, RescueMessage])
export type ResumeMessage = z.infer<typeof ResumeMessage>
export type RescueMessage = z.infer<typeof RescueMessage>
