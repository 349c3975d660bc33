import { asDefinition } from '../core/definition.ts'
import { inputNamesOf, RECORDING_SECONDS, type StepNode } from '../core/doer-plan.ts'
import type { WantedAnswer } from '../core/keep.ts'
import type { Tool } from '../core/tool.ts'
import type { TaskState, Template } from './asl.ts'
import { catchAll, functionNameOf } from './failure.ts'
import { doerFunctionId } from './reach.ts'
import { AGENT_RETRY, stepRetry, toolRetry } from './retry.ts'

const COLD_START_SECONDS = 10

/** A step's task, but for what comes of its result and after it. */
export type StepTask = Pick<
  TaskState,
  'Type' | 'Comment' | 'Resource' | 'Arguments' | 'TimeoutSeconds' | 'Retry' | 'Catch'
>

export interface StepSurroundings {
  readonly doer: string
  /** In which run, and where in its plan. */
  readonly place: { readonly runId: Template; readonly step: Template }
  readonly input: Template
  /** How long the function of the doer's own code may run. */
  readonly codeSeconds: number
  /** What of its result is read later. */
  readonly wanted: WantedAnswer
  /** Where a failure goes. */
  readonly onFailure: string
}

/** The task of one step, by the kind of its callable. */
export function compileStep(step: StepNode, surroundings: StepSurroundings): StepTask {
  const definition = asDefinition(step.callable)
  switch (definition.kind) {
    case 'tool':
      return toolTask(step, definition, surroundings)
    case 'thinker':
      return agentTask(step, `turn-${definition.name}`, surroundings)
    case 'doer':
      return agentTask(step, doerFunctionId(definition.name), surroundings)
  }
}

/** Where the output of a step's callable stands in the result of its task. */
export function outputOf(step: StepNode): string {
  // A tool's function answers `{ output }`; an agent's run answers the task token with its answer.
  return step.callable.kind === 'tool' ? '$states.result.Payload.output' : '$states.result'
}

function toolTask(step: StepNode, tool: Tool, surroundings: StepSurroundings): StepTask {
  const repeatable = tool.readOnly || tool.idempotent
  // Code that blocks its process runs until its function is killed, and so long its claim holds.
  const functionSeconds = step.isCode ? surroundings.codeSeconds : tool.timeoutSeconds + RECORDING_SECONDS
  return {
    Type: 'Task',
    Comment: commentOf(step),
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: functionNameOf(step.isCode ? doerFunctionId(surroundings.doer) : `tool-${tool.name}`),
      Payload: stepMessage(step, surroundings),
    },
    TimeoutSeconds: functionSeconds + COLD_START_SECONDS,
    Retry: [...stepRetry(step.retry), ...toolRetry(tool, functionSeconds, step.retry)],
    Catch: catchAll(step.name, repeatable ? 'Internal' : 'Interrupted', surroundings.onFailure),
  }
}

/** `target`: the function that makes the agent's run. */
function agentTask(step: StepNode, target: string, surroundings: StepSurroundings): StepTask {
  return {
    Type: 'Task',
    Comment: commentOf(step),
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    Arguments: {
      FunctionName: functionNameOf(target),
      InvocationType: 'Event',
      Payload: {
        ...stepMessage(step, surroundings),
        target,
        taskToken: '{% $states.context.Task.Token %}',
      },
    },
    ...(step.timeoutSeconds !== undefined && { TimeoutSeconds: step.timeoutSeconds }),
    Retry: [...stepRetry(step.retry), ...AGENT_RETRY],
    Catch: catchAll(step.name, 'Internal', surroundings.onFailure),
  }
}

function commentOf({ number, isCode, callable }: StepNode): string {
  return `Step ${number}: ${isCode ? 'code' : callable.displayName}`
}

function stepMessage(step: StepNode, surroundings: StepSurroundings) {
  const { retry, isCode } = step
  const { doer, place, input, wanted } = surroundings
  return {
    kind: 'step' as const,
    runId: place.runId,
    agent: doer,
    step: place.step,
    input,
    ...(isCode && { inputs: [...inputNamesOf(step)] }),
    wanted: templateOf(wanted),
    ...(retry.on.length > 0 && { retry: { on: retry.on, count: '{% $states.context.State.RetryCount %}' } }),
  }
}

/** Data as it stands in a machine. */
export const templateOf = (wanted: WantedAnswer): Template => JSON.parse(JSON.stringify(wanted))
