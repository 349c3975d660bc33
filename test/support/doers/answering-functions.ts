import {
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  type SFNClient,
  TaskTimedOut,
} from '@aws-sdk/client-sfn'
import { doerFunctionId } from '../../../src/compile/reach.ts'
import type { Doer } from '../../../src/core/doer.ts'
import { type StepNode, stepsOf } from '../../../src/core/doer-plan.ts'
import type { FailureName } from '../../../src/core/errors.ts'
import {
  AgentStepMessage,
  EndMessage,
  GiveUpMessage,
  ListMessage,
  ToolStepMessage,
} from '../../../src/runtime/messages.ts'
import { stepCall } from '../../../src/store/keys.ts'
import type { Invocation, Reply } from '../../local/step-functions/fake-lambda.ts'
import { tryStep } from './evaluate-plan.ts'
import { comparable } from './kept-list.ts'
import { PlanFailed } from './plan-failed.ts'
import { createStepRecords } from './step-records.ts'

/** How often machines asked for something. */
export interface Done {
  readonly load: number
  readonly save: number
  readonly finish: number
  readonly code: number
  readonly doer: number
  readonly retried: number
}

/** The functions of generated doers, which answer their machines as the runtime does. `client` answers task tokens. */
export function answeringFunctions(client: () => SFNClient) {
  const records = createStepRecords()
  const doers = new Map<string, Doer>()
  const outputs = new Map<string, unknown>()
  const tries = new Map<string, FailedTry>()
  const faults: unknown[] = []
  const done = { load: 0, save: 0, finish: 0, code: 0, doer: 0, retried: 0 }

  const runStep = (functionName: string, message: ToolStepMessage): Promise<unknown> => {
    const { runId, step } = message
    const node = stepsOf(doers.get(runId)?.plan ?? NO_PLAN).find(({ name }) => name === step.name)
    if (node === undefined) throw new Error(`No doer has the step ${step.name}`)
    if (functionName !== functionOf(node, message))
      throw new Error(`${step.name} was asked of ${functionName}`)
    if (node.isCode) done.code += 1
    const attempt = beginTry(message)
    return records
      .answer(message, (input) => tryStep(node, input, attempt))
      .catch((error: unknown) => {
        if (error instanceof PlanFailed)
          tries.set(keyOf(message), { attempt, failed: error.failure, message })
        throw error
      })
  }

  /** As the runtime counts: another try only where the last failed, may be repeated, and the machine has asked again since. */
  const beginTry = (message: ToolStepMessage): number => {
    const last = tries.get(keyOf(message))
    if (last === undefined) return 0
    const { retry } = message
    const isAnother = retry?.on.includes(last.failed) && retry.count > (last.message.retry?.count ?? 0)
    if (!isAnother) return last.attempt
    done.retried += 1
    return last.attempt + 1
  }

  /** A run of another doer, which ends at once. */
  const answerToken = async (functionName: string, message: AgentStepMessage): Promise<void> => {
    const { taskToken } = message
    done.doer += 1
    const answer = await runStep(functionName, message).then(
      (output) => new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }),
      (error: unknown) => {
        if (!(error instanceof PlanFailed)) throw error
        return new SendTaskFailureCommand({ taskToken, error: error.failure, cause: error.message })
      },
    )
    try {
      await (answer instanceof SendTaskSuccessCommand ? client().send(answer) : client().send(answer))
    } catch (error) {
      // What it stands beside has failed meanwhile, so nobody waits for it.
      if (!(error instanceof TaskTimedOut)) throw error
    }
  }

  const resultOf = async ({ functionName, payload }: Invocation): Promise<unknown> => {
    const agentStep = AgentStepMessage.safeParse(payload)
    if (agentStep.success) return answerToken(functionName, agentStep.data)
    const toolStep = ToolStepMessage.safeParse(payload)
    if (toolStep.success) return { output: await runStep(functionName, toolStep.data) }
    const ofList = ListMessage.safeParse(payload)
    if (ofList.success) {
      done[ofList.data.kind] += 1
      return records.answerList(ofList.data)
    }
    // Runs of other doers end at once, so none is left to stop.
    if (GiveUpMessage.safeParse(payload).success) return null
    const { runId, outcome } = EndMessage.parse(payload)
    if (outcome.kind === 'completed')
      outputs.set(runId, comparable(await records.follow(runId, outcome.output)))
    return null
  }

  return {
    done,
    /** Whose steps a run asks for. */
    expect: (runId: string, doer: Doer) => void doers.set(runId, doer),
    outputOf: (runId: string): unknown => outputs.get(runId),
    /** Throws what no function may throw. */
    throwFaults(): void {
      const [fault] = faults.splice(0)
      if (fault !== undefined) throw fault
    },
    async answer(invocation: Invocation): Promise<Reply> {
      try {
        return { result: (await resultOf(invocation)) ?? null }
      } catch (error) {
        if (!(error instanceof PlanFailed)) faults.push(error)
        const errorType = error instanceof PlanFailed ? error.failure : 'Fault'
        return { functionError: { errorType, errorMessage: String(error) } }
      }
    },
  }
}

interface FailedTry {
  readonly attempt: number
  readonly failed: FailureName
  readonly message: ToolStepMessage
}

function functionOf({ isCode, callable }: StepNode, { agent }: ToolStepMessage): string {
  if (isCode) return `shop-${doerFunctionId(agent)}`
  return `shop-${callable.kind === 'doer' ? doerFunctionId(callable.name) : `tool-${callable.name}`}`
}

const keyOf = ({ runId, step }: ToolStepMessage): string => `${runId} ${stepCall(runId, step).sk}`
const NO_PLAN = { nodes: [], result: { kind: 'literal', value: null } } as const
