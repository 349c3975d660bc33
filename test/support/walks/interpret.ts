import type { States } from '../../../src/compile/asl.ts'
import { parseMachine } from '../../../src/local/step-functions/definition/parse-machine.ts'
import { toDocument } from '../../../src/local/step-functions/document.ts'
import type { Evaluator } from '../../../src/local/step-functions/expressions/evaluate.ts'
import type { Execution, Thread } from '../../../src/local/step-functions/interpreter/execution.ts'
import { handleSignal, type Signal } from '../../../src/local/step-functions/interpreter/handle-signal.ts'
import {
  createTransition,
  type Services,
  spawn,
} from '../../../src/local/step-functions/interpreter/transition.ts'

/** Decides all that a machine leaves open: whose turn it is, what comes of tasks, and what values expressions have. */
export interface Guide {
  /** The line of states that moves next, and by what. */
  next(execution: Execution): { readonly thread: Thread; readonly signal: Signal }
  /** The value of a field of the state that a line is in. Throws `EvaluationError` where it has none. */
  evaluate(thread: Thread, location: string): unknown
}

/** What the stand-in's interpreter recorded of an execution. */
export interface Interpreted {
  readonly events: number
  readonly status: string
}

/** Runs states on the stand-in's interpreter, without a store or a service, as a guide has it. */
export async function interpret(scope: States, guide: Guide): Promise<Interpreted> {
  const execution = createExecution(scope)
  let moving: Thread | undefined
  const services = createServices((state, location) => {
    for (let thread = moving; thread !== undefined; thread = parentOf(execution, thread))
      if (thread.stateName === state) return guide.evaluate(thread, location)
    throw new Error(`No line is in "${state}"`)
  })
  spawn(createTransition(execution, services, 0), {
    parentId: undefined,
    branchIndex: 0,
    isQuiet: false,
    lastEventId: 1,
    startAt: scope.StartAt,
    data: { input: toDocument({}), variables: {} },
  })
  for (let nowMs = STEP_MS; execution.ended === undefined; nowMs += STEP_MS) {
    const { thread, signal } = guide.next(execution)
    moving = thread
    if (!(await handleSignal(createTransition(execution, services, nowMs), signal)))
      throw new Error(`"${thread.stateName}" did not take ${signal.kind}`)
  }
  return { events: execution.eventCount, status: execution.ended.outcome.status }
}

/** Between two transitions: longer than whatever a state waits for. */
const STEP_MS = 1e9

export const parentOf = ({ threads }: Execution, { parentId }: Thread): Thread | undefined =>
  parentId === undefined ? undefined : threads.get(parentId)

function createServices(evaluate: (state: string, location: string) => unknown): Services {
  const evaluator: Evaluator = {
    async evaluate(_template, location, { states }) {
      const { State } = states.context as { readonly State: { readonly Name: string } } // as `contextObject` makes it
      return evaluate(State.Name, location)
    },
  }
  return {
    evaluator,
    region: 'us-east-1',
    random: () => 0,
    uuid: () => 'uuid',
    createToken: (_, threadId) => `token ${threadId}`,
  }
}

function createExecution({ StartAt, States }: States): Execution {
  const definition = JSON.stringify({ QueryLanguage: 'JSONata', StartAt, States })
  return {
    id: 1,
    arn: 'arn:aws:states:us-east-1:000000000000:execution:machine:run',
    name: 'run',
    type: 'STANDARD',
    isSync: false,
    stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:machine',
    versionArn: undefined,
    aliasArn: undefined,
    roleArn: 'arn:aws:iam::000000000000:role/machine',
    input: toDocument({}),
    startedMs: 0,
    deadlineMs: undefined,
    redrive: undefined,
    startedBy: undefined,
    machine: parseMachine(definition, 'STANDARD'),
    // ExecutionStarted.
    eventCount: 1,
    nextThreadId: 0,
    threads: new Map(),
    ended: undefined,
  }
}
