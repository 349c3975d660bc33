import type { StateOf } from '../definition/machine.ts'
import { type Document, isTooLarge, toDocument } from '../document.ts'
import type { Failure } from '../errors.ts'
import { MAXIMUM_INLINE_CONCURRENCY } from '../limits.ts'
import { evaluateField, evaluateWholeNumber, evaluationFailed, unexpectedType } from './evaluate-field.ts'
import type { Thread } from './execution.ts'
import { failState } from './fail-state.ts'
import { leaveState, ownExit, tooLarge } from './leave-state.ts'
import { branchThreads, record, recordAfter, removeThread, spawn, type Transition } from './transition.ts'

/** Starts the iterations of a Map, as many as may run at once. */
export async function performMap(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
): Promise<void> {
  const items = await evaluateItems(transition, thread, state)
  const limit = await concurrencyLimit(transition, thread, state)
  const startedEventId = record(transition, thread, 'MapStateStarted', { length: items.length })
  thread.data = { ...thread.data, items }
  if (items.length === 0) return finishBranching(transition, thread, state)
  const launched = Math.min(items.length, limit)
  thread.phase = { kind: 'branching', total: items.length, launched, finished: 0 }
  for (let index = 0; index < launched; index++)
    await launchIteration(transition, thread, state, index, startedEventId)
}

async function evaluateItems(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
): Promise<readonly unknown[]> {
  if (state.Items === undefined) {
    const { value, text } = thread.data.input
    if (!Array.isArray(value))
      throw evaluationFailed(thread, `Map state input must be an array but was: ${text}`, undefined)
    return value
  }
  const items = await evaluateField(transition, thread, state, state.Items, 'Items')
  if (!Array.isArray(items)) throw unexpectedType(thread, state.Items, 'Items', 'array', items)
  return items
}

async function concurrencyLimit(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
): Promise<number> {
  const { MaxConcurrency = 0 } = state
  const limit = await evaluateWholeNumber(transition, thread, state, MaxConcurrency, 'MaxConcurrency', 0)
  return limit === 0 ? MAXIMUM_INLINE_CONCURRENCY : Math.min(limit, MAXIMUM_INLINE_CONCURRENCY)
}

async function launchIteration(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
  index: number,
  previousEventId: number,
): Promise<void> {
  const item = thread.data.items?.[index]
  const input =
    state.ItemSelector === undefined
      ? item
      : await evaluateField(transition, thread, state, state.ItemSelector, 'ItemSelector', {
          item: { Index: index, Value: item },
        })
  const lastEventId = recordAfter(transition, previousEventId, 'MapIterationStarted', {
    name: state.name,
    index,
  })
  startBranch(transition, thread, state.branches[0]?.startAt, index, toDocument(input), lastEventId)
}

/** Starts the branches of a Parallel. */
export async function performParallel(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Parallel'>,
): Promise<void> {
  const input =
    state.Arguments === undefined
      ? thread.data.input
      : toDocument(await evaluateField(transition, thread, state, state.Arguments, 'Arguments'))
  const startedEventId = record(transition, thread, 'ParallelStateStarted')
  const total = state.branches.length
  thread.phase = { kind: 'branching', total, launched: total, finished: 0 }
  for (const [index, { startAt }] of state.branches.entries())
    startBranch(transition, thread, startAt, index, input, startedEventId)
}

function startBranch(
  transition: Transition,
  parent: Thread,
  startAt: string | undefined,
  branchIndex: number,
  input: Document,
  lastEventId: number,
): void {
  if (startAt === undefined) throw new Error(`The state "${parent.stateName}" has no branch ${branchIndex}`)
  const { variables } = parent.data
  spawn(transition, { parentId: parent.id, branchIndex, lastEventId, startAt, data: { input, variables } })
}

/** A branch ended well: the next iteration starts, or the state is done when it was the last. Throws `StateFailed` of the parent's. */
export async function branchSucceeded(
  transition: Transition,
  parent: Thread,
  state: StateOf<'Map'> | StateOf<'Parallel'>,
  branch: Thread,
  output: Document,
): Promise<void> {
  if (parent.phase.kind !== 'branching')
    throw new Error(`Thread ${parent.id} has a branch but does not wait for it`)
  const { total, launched } = parent.phase
  const finished = parent.phase.finished + 1
  const branchEventId = branch.lastEventId
  branch.phase = { kind: 'finished' }
  branch.data = { input: toDocument(null), variables: {}, result: output }
  transition.changed.add(branch).add(parent)
  const lastEventId =
    state.Type === 'Map'
      ? record(transition, branch, 'MapIterationSucceeded', { name: state.name, index: branch.branchIndex })
      : branchEventId
  parent.phase = { kind: 'branching', total, launched: Math.min(launched + 1, total), finished }
  if (state.Type === 'Map' && launched < total)
    return launchIteration(transition, parent, state, launched, branchEventId)
  if (finished < total) return
  parent.lastEventId = lastEventId
  return finishBranching(transition, parent, state)
}

async function finishBranching(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'> | StateOf<'Parallel'>,
): Promise<void> {
  const branches = branchThreads(transition.execution, thread)
  const text = `[${branches.map(({ data }) => data.result?.text ?? 'null').join(',')}]`
  if (isTooLarge(text)) throw tooLarge(state.name)
  const result = { value: branches.map(({ data }) => data.result?.value ?? null), text }
  record(transition, thread, `${state.Type}StateSucceeded`, undefined, 'aside')
  await leaveState(transition, thread, state, ownExit(state, result), { result: result.value })
  for (const branch of branches) removeThread(transition, branch)
}

/** A branch failed, and with it the state that it belongs to, as its Retry and Catch decide. */
export async function branchFailed(
  transition: Transition,
  parent: Thread,
  state: StateOf<'Map'> | StateOf<'Parallel'>,
  branch: Thread,
  failure: Failure,
): Promise<void> {
  parent.lastEventId = Math.max(branch.lastEventId, branch.enteredEventId)
  if (state.Type === 'Map')
    recordAfter(transition, parent.lastEventId, 'MapIterationFailed', {
      name: state.name,
      index: branch.branchIndex,
    })
  removeThread(transition, branch)
  await failState(transition, parent, failure)
}
