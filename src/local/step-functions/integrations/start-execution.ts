import * as z from 'zod'
import { StateFailed } from '../errors.ts'
import { type Integration, serviceEvents } from './integration.ts'

/** An execution that a task starts. */
export interface StartExecutionRequest {
  readonly service: 'states'
  /** Of a machine, a version or an alias. */
  readonly stateMachineArn: string
  /** Chosen with the attempt, so that a start that is repeated after a crash is the same one. */
  readonly name: string
  /** JSON text. */
  readonly input: string
  /** Whether the task's end before the execution's stops the execution. */
  readonly isWaitedFor: boolean
}

const startArguments = z.strictObject({
  StateMachineArn: z.string().min(1),
  Name: z.string().optional(),
  Input: z.unknown().optional(),
  TraceHeader: z.string().optional(),
})

type Pattern = '' | '.sync' | '.sync:2' | '.waitForTaskToken'

/** `states:startExecution`. With `.sync` the execution's output is the JSON text, with `.sync:2` its value. */
export function startExecution(pattern: Pattern): Integration {
  const isWaitedFor = pattern === '.sync' || pattern === '.sync:2'
  return {
    endsWith: isWaitedFor ? 'execution' : pattern === '' ? 'answer' : 'token',
    events: serviceEvents('states', `startExecution${pattern}`),
    request(argument, { uuid }) {
      const parsed = startArguments.safeParse(argument)
      if (!parsed.success)
        throw new StateFailed({
          error: 'States.Runtime',
          cause: `The Arguments of states:startExecution do not fit: ${z.prettifyError(parsed.error)}`,
        })
      const { StateMachineArn, Name = uuid(), Input } = parsed.data
      const input = typeof Input === 'string' ? Input : JSON.stringify(Input ?? {})
      return { service: 'states', stateMachineArn: StateMachineArn, name: Name, input, isWaitedFor }
    },
    result: pattern === '.sync:2' ? withParsedTexts : (answer) => answer,
  }
}

/** The execution that was started, from the service's answer. */
export function startedArn(answer: unknown): string {
  const { ExecutionArn } = answer as { readonly ExecutionArn: string } // from our own starting of executions
  return ExecutionArn
}

function withParsedTexts(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      (name === 'Input' || name === 'Output') && typeof value === 'string' ? JSON.parse(value) : value,
    ]),
  )
}
