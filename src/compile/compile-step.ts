import type { StepNode } from '../core/doer-plan.ts'
import { DefinitionError } from '../core/errors.ts'
import { asDefinition } from '../core/registry.ts'
import type { Thinker } from '../core/thinker.ts'
import type { Tool } from '../core/tool.ts'
import type { TaskState, Template } from './asl.ts'
import { catchAll, functionNameOf } from './failure.ts'
import { THINKER_RETRY, toolRetry } from './retry.ts'

/**
 * Added to a tool's timeout: 5 s in which its function records the result, and the start of a cold function.
 */
const TASK_MARGIN_SECONDS = 15

/** A step's task, but for what comes of its result and after it. */
export type StepTask = Pick<
  TaskState,
  'Type' | 'Comment' | 'Resource' | 'Arguments' | 'TimeoutSeconds' | 'Retry' | 'Catch'
>

export interface StepSurroundings {
  readonly doer: string
  readonly input: Template
  /** Which item or time it is, of each map and repeat around it. */
  readonly indexes: readonly Template[]
  /** Where a failure goes. */
  readonly onFailure: string
}

/**
 * The task of one step, by the kind of its callable. Throws `DefinitionError` for a kind that cannot be a
 * step.
 */
export function compileStep(step: StepNode, surroundings: StepSurroundings): StepTask {
  const definition = asDefinition(step.callable)
  switch (definition.kind) {
    case 'tool':
      return toolTask(step, definition, surroundings)
    case 'thinker':
      return thinkerTask(step, definition, surroundings)
    case 'doer':
      throw new DefinitionError(
        `doer "${surroundings.doer}", step "${step.name}": "${definition.name}" is a doer, and a doer cannot be a step yet`,
      )
  }
}

/** Where the output of a step's callable stands in the result of its task. */
export function outputOf(step: StepNode): string {
  // A tool's function answers `{ output }`; a thinker's run answers the task token with its answer.
  return step.callable.kind === 'tool' ? '$states.result.Payload.output' : '$states.result'
}

function toolTask(step: StepNode, tool: Tool, surroundings: StepSurroundings): StepTask {
  const repeatable = tool.readOnly || tool.idempotent
  return {
    Type: 'Task',
    Comment: `Step ${step.number}: ${tool.displayName}`,
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: functionNameOf(`tool-${tool.name}`),
      Payload: stepMessage(step, surroundings),
    },
    TimeoutSeconds: tool.timeoutSeconds + TASK_MARGIN_SECONDS,
    Retry: toolRetry(tool),
    Catch: catchAll(step.name, repeatable ? 'Internal' : 'Interrupted', surroundings.onFailure),
  }
}

function thinkerTask(step: StepNode, thinker: Thinker, surroundings: StepSurroundings): StepTask {
  return {
    Type: 'Task',
    Comment: `Step ${step.number}: ${thinker.displayName}`,
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    Arguments: {
      FunctionName: functionNameOf(`turn-${thinker.name}`),
      InvocationType: 'Event',
      Payload: {
        ...stepMessage(step, surroundings),
        thinker: thinker.name,
        taskToken: '{% $states.context.Task.Token %}',
      },
    },
    Retry: THINKER_RETRY,
    Catch: catchAll(step.name, 'Internal', surroundings.onFailure),
  }
}

function stepMessage({ number, name }: StepNode, { doer, input, indexes }: StepSurroundings) {
  const step = indexes.length === 0 ? { number, name } : { number, name, indexes }
  return { kind: 'step', runId: '{% $runId %}', agent: doer, step, input } as const
}
