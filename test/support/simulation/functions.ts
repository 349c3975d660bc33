import type { Doer } from '../../../src/core/doer.ts'
import type { Thinker } from '../../../src/core/thinker.ts'
import { advance } from '../../../src/runtime/advance.ts'
import { cancelRun } from '../../../src/runtime/cancel-run.ts'
import { AgentStepMessage, ResumeMessage, ToolMessage, TurnMessage } from '../../../src/runtime/messages.ts'
import type { Ports } from '../../../src/runtime/ports.ts'
import { answerQuestion } from '../../../src/runtime/questions.ts'
import { resume } from '../../../src/runtime/resume.ts'
import { runCall } from '../../../src/runtime/run-call.ts'
import { runStep } from '../../../src/runtime/run-step.ts'
import { submitStep } from '../../../src/runtime/submit-step.ts'
import { createScript, createTools, QUESTION } from './cast.ts'
import type { Watch } from './watch.ts'
import type { Message, Worker } from './workers.ts'
import type { World } from './world.ts'

export interface Deployment {
  readonly world: World
  readonly watch: Watch
  readonly thinkers: readonly Thinker[]
  readonly doers: readonly Doer[]
  /** How often a tool hangs, and a model's reply cannot be used; from 0 to 1. */
  readonly hang: number
  readonly badModel: number
}

/** What the function of each id does with a message, as its door would; clients that cancel and answer are functions, too, so that they can die. */
export function createFunctions({ world, watch, thinkers, doers, hang, badModel }: Deployment) {
  return async (ports: Ports, worker: Worker, message: Message): Promise<unknown> => {
    const { functionId, invocation } = worker
    const name = functionId.slice(functionId.indexOf('-') + 1)
    switch (functionId.split('-')[0]) {
      case 'cancel':
        await cancelRun(ports, runIdOf(message))
        return watch.cancelled()
      case 'person':
        return answerQuestion(
          ports,
          found(doers[0]),
          { runId: runIdOf(message), step: QUESTION },
          { yes: true },
        )
      case 'resume':
      case 'rescue':
        return resume(ports, ResumeMessage.parse(message))
      case 'doer':
        return submitStep(ports, named(doers, name), AgentStepMessage.parse(message))
      case 'turn': {
        const thinker = named(thinkers, name)
        const parsed = TurnMessage.parse(message)
        if (parsed.kind === 'step') return submitStep(ports, thinker, parsed)
        const model = createScript(world, worker, watch, badModel)
        return advance(ports, { thinker, model }, invocation, parsed)
      }
      case 'tool': {
        const tool = named(Object.values(createTools(world, worker, watch, hang)), name)
        const parsed = ToolMessage.parse(message)
        if (parsed.kind === 'call') return runCall(ports, tool, invocation, parsed, {})
        const answer = await runStep(ports, tool, invocation, parsed, {})
        if (answer.kind === 'output') return { output: answer.output }
        throw Object.assign(new Error('Its code goes on'), { name: 'Runtime.ExitError' })
      }
      default:
        throw new Error(`Nothing is deployed as ${functionId}`)
    }
  }
}

const runIdOf = (message: Message): string => ('runId' in message ? message.runId : '')

function named<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  return found(all.find((one) => one.name === name))
}

function found<T>(one: T | undefined): T {
  if (one === undefined) throw new Error('It is not in the cast')
  return one
}
