import type { History } from '../../../src/compile/worst-case/worst-case.ts'
import { EvaluationError } from '../../../src/local/step-functions/expressions/evaluate.ts'
import type { Execution, Thread } from '../../../src/local/step-functions/interpreter/execution.ts'
import { branchAt, type Cursor, createCursor, type Place } from './cursor.ts'
import { type Interpreted, interpret, parentOf } from './interpret.ts'

/**
 * Lets the stand-in's interpreter take a walk: expressions come out, tasks fail and branches are held back as the walk
 * says. A line that fails the others waits until they can do no more. Throws where the machine has no such way.
 */
export function driveAlong({ scope, walk }: History): Promise<Interpreted> {
  const cursors = new Map<number, Cursor>([[0, createCursor(scope, walk.path)]])
  const cursorOf = (thread: Thread): Cursor => {
    const cursor = cursors.get(thread.id) ?? branchCursor(cursors, thread)
    cursors.set(thread.id, cursor)
    return cursor
  }
  return interpret(scope, {
    next(execution) {
      const thread = nextToMove(execution, cursorOf)
      return { thread, signal: cursorOf(thread).move(thread) }
    },
    evaluate(thread, location) {
      const place = cursorOf(thread).place()
      if (LAST_FIELD.test(location) && failsInExpression(place))
        throw new EvaluationError(location, 'cannot be evaluated, as the walk has it')
      return valueFor(place, location)
    },
  })
}

/** Fields in which a walk lets expressions fail: nothing of the state comes after them. */
const LAST_FIELD = /^(Output|Assign|Seconds|Error|Cause|Choices)\b/

/** Lines that do not fail first; of those that fail the innermost. */
function nextToMove(execution: Execution, cursorOf: (thread: Thread) => Cursor): Thread {
  const threads = [...execution.threads.values()]
  const movable = threads.filter((thread) => !thread.isQuiet && cursorOf(thread).canMove(thread))
  const depth = (thread: Thread): number => {
    const parent = parentOf(execution, thread)
    return parent === undefined ? 0 : depth(parent) + 1
  }
  const next =
    movable.find((thread) => !cursorOf(thread).isAboutToFail(thread)) ??
    movable.toSorted((a, b) => depth(b) - depth(a)).at(0)
  if (next !== undefined) return next
  const where = threads.map(({ stateName, phase }) => `${stateName} (${phase.kind})`)
  throw new Error(`Nothing can move, and the walk is not over: ${where.join(', ')}`)
}

function branchCursor(cursors: ReadonlyMap<number, Cursor>, { parentId = 0, branchIndex }: Thread): Cursor {
  const place = cursors.get(parentId)?.place()
  const branch = place && branchAt(place, branchIndex)
  if (branch === undefined) throw new Error(`The walk has no branch ${branchIndex}`)
  return createCursor(branch.scope, branch.walk.path)
}

function failsInExpression({ state, visit: { how }, attempt }: Place): boolean {
  if (state.Type === 'Task') return attempt === 'cannot be evaluated'
  return (how.kind === 'caught' || how.kind === 'failed') && how.by === 'evaluation'
}

/** What values they have does not matter to the walk, but for conditions, lists and what a request has to be. */
function valueFor({ state, visit }: Place, location: string): unknown {
  const { how, branches } = visit
  if (location === 'Seconds') return 1
  if (location === 'Error' || location === 'Cause') return 'as the walk has it'
  if (location === 'Arguments') return { FunctionName: 'function', Payload: {} }
  if (location === 'Items') {
    const length = branches.reduce((all, { count }) => all + count, 0)
    // Of a distributed Map the history does not tell the iterations; one that runs keeps it from going on.
    return Array.from({ length: how.kind === 'interrupted' && length === 0 ? 1 : length }, () => 0)
  }
  const condition = /^Choices\[(\d+)\]\/Condition$/.exec(location)
  if (condition === null || state.Type !== 'Choice') return {}
  return how.kind === 'next' && state.Choices[Number(condition[1])]?.Next === how.to
}
