import type { History } from '../../../src/compile/worst-case/worst-case.ts'
import { parseMachine } from '../../../src/local/step-functions/definition/parse-machine.ts'
import { toDocument } from '../../../src/local/step-functions/document.ts'
import type { Execution, Thread } from '../../../src/local/step-functions/interpreter/execution.ts'
import { handleSignal } from '../../../src/local/step-functions/interpreter/handle-signal.ts'
import {
  createTransition,
  type Services,
  spawn,
} from '../../../src/local/step-functions/interpreter/transition.ts'
import { branchAt, type Cursor, createCursor, type Place } from './cursor.ts'
import { createScriptedEvaluator } from './scripted-evaluator.ts'

/** What the stand-in's interpreter recorded. */
export interface Driven {
  readonly events: number
  readonly status: string | undefined
}

/**
 * Lets the stand-in's interpreter take a walk: expressions come out, tasks fail and branches are held back as the walk
 * says. A line that fails the others waits until they can do no more. Throws where the machine has no such way.
 */
export async function driveAlong({ scope, walk }: History): Promise<Driven> {
  const cursors = new Map<number, Cursor>()
  const execution = createExecution(scope)
  let moving: Thread | undefined
  const services = createServices((state) => {
    for (let thread = moving; thread !== undefined; thread = parentOf(execution, thread)) {
      const cursor = cursors.get(thread.id)
      if (thread.stateName === state && cursor !== undefined) return cursor.place()
    }
    throw new Error(`No line is in "${state}"`)
  })
  spawn(createTransition(execution, services, 0), startOf(scope))
  cursors.set(0, createCursor(scope, walk.path))
  for (let nowMs = STEP_MS; execution.ended === undefined; nowMs += STEP_MS) {
    const [thread, cursor] = nextToMove(execution, cursors)
    moving = thread
    const signal = cursor.move(thread)
    if (!(await handleSignal(createTransition(execution, services, nowMs), signal)))
      throw new Error(`"${thread.stateName}" did not take ${signal.kind}`)
    for (const branch of execution.threads.values())
      if (!cursors.has(branch.id) && !branch.isQuiet) cursors.set(branch.id, branchCursor(cursors, branch))
  }
  return { events: execution.eventCount, status: execution.ended.outcome.status }
}

/** Between two transitions: longer than whatever a state waits for. */
const STEP_MS = 1e9

const parentOf = ({ threads }: Execution, { parentId }: Thread): Thread | undefined =>
  parentId === undefined ? undefined : threads.get(parentId)

/** Lines that do not fail first; of those that fail the innermost. */
function nextToMove(execution: Execution, cursors: ReadonlyMap<number, Cursor>): readonly [Thread, Cursor] {
  const movable = [...execution.threads.values()].flatMap((thread): [Thread, Cursor][] => {
    const cursor = cursors.get(thread.id)
    return cursor?.canMove(thread) === true ? [[thread, cursor]] : []
  })
  const depth = (thread: Thread): number => {
    const parent = parentOf(execution, thread)
    return parent === undefined ? 0 : depth(parent) + 1
  }
  const next =
    movable.find(([thread, cursor]) => !cursor.isAboutToFail(thread)) ??
    movable.toSorted(([a], [b]) => depth(b) - depth(a)).at(0)
  if (next !== undefined) return next
  const where = [...execution.threads.values()].map(({ stateName, phase }) => `${stateName} (${phase.kind})`)
  throw new Error(`Nothing can move, and the walk is not over: ${where.join(', ')}`)
}

function branchCursor(cursors: ReadonlyMap<number, Cursor>, { parentId = 0, branchIndex }: Thread): Cursor {
  const place = cursors.get(parentId)?.place()
  const branch = place && branchAt(place, branchIndex)
  if (branch === undefined) throw new Error(`The walk has no branch ${branchIndex}`)
  return createCursor(branch.scope, branch.walk.path)
}

function createServices(placeOf: (state: string) => Place): Services {
  return {
    evaluator: createScriptedEvaluator(placeOf),
    region: 'us-east-1',
    random: () => 0,
    uuid: () => 'uuid',
    createToken: (_, threadId) => `token ${threadId}`,
  }
}

function startOf({ StartAt }: History['scope']) {
  const data = { input: toDocument({}), variables: {} }
  return { parentId: undefined, branchIndex: 0, isQuiet: false, lastEventId: 1, startAt: StartAt, data }
}

function createExecution({ StartAt, States }: History['scope']): Execution {
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
