import type { State } from '../definition/machine.ts'
import { type Document, isTooLarge, toDocument } from '../document.ts'
import { StateFailed } from '../errors.ts'
import { MAXIMUM_PAYLOAD_BYTES, MAXIMUM_VARIABLES_BYTES } from '../limits.ts'
import { evaluateField, type FieldExtras } from './evaluate-field.ts'
import type { Thread } from './execution.ts'
import { record, type Transition } from './transition.ts'

/** The way out of a state: its own, a choice rule's or a catcher's. */
export interface Exit {
  /** Undefined: the thread ends here. */
  readonly next: string | undefined
  /** Output as the definition has it; undefined: `otherwise` is the output. */
  readonly output: unknown
  readonly otherwise: Document
  readonly assign: Readonly<Record<string, unknown>> | undefined
  /** Where the fields stand, for messages: `Catch[0]/`; empty for the state itself. */
  readonly prefix: string
}

/** The way out that a state's own fields name. */
export function ownExit(state: State, otherwise: Document): Exit {
  return {
    next: 'Next' in state ? state.Next : undefined,
    output: 'Output' in state ? state.Output : undefined,
    otherwise,
    assign: 'Assign' in state ? state.Assign : undefined,
    prefix: '',
  }
}

/**
 * Leaves a state: evaluates Output and Assign (both see the variables as they were), records the exit and moves the thread on, or ends
 * it. Throws `StateFailed` before anything is recorded.
 */
export async function leaveState(
  transition: Transition,
  thread: Thread,
  state: State,
  exit: Exit,
  extras: FieldExtras = {},
): Promise<void> {
  const { next, prefix } = exit
  const output =
    exit.output === undefined
      ? exit.otherwise
      : toDocument(await evaluateField(transition, thread, state, exit.output, `${prefix}Output`, extras))
  const assigned = await evaluateAssign(transition, thread, state, exit, extras)
  if (isTooLarge(output.text)) throw tooLarge(state.name)
  record(transition, thread, `${state.Type}StateExited`, {
    name: state.name,
    output: output.text,
    outputDetails: { truncated: false },
    ...describeAssigned(assigned),
  })
  if (next === undefined) {
    transition.ended.push({ kind: 'succeeded', thread, output })
    return
  }
  thread.stateName = next
  thread.phase = { kind: 'ready' }
  thread.retryCounts = []
  thread.data = {
    input: output,
    variables: assigned === undefined ? thread.data.variables : { ...thread.data.variables, ...assigned },
  }
}

/** `States.DataLimitExceeded` for what a state or its task gave. */
export function tooLarge(name: string): StateFailed {
  return new StateFailed({
    error: 'States.DataLimitExceeded',
    cause: `The state/task '${name}' returned a result with a size exceeding the maximum number of bytes service limit.`,
  })
}

async function evaluateAssign(
  transition: Transition,
  thread: Thread,
  state: State,
  { assign, prefix }: Exit,
  extras: FieldExtras,
): Promise<Record<string, unknown> | undefined> {
  if (assign === undefined || Object.keys(assign).length === 0) return undefined
  const assigned: [string, unknown][] = []
  for (const [name, template] of Object.entries(assign))
    assigned.push([
      name,
      await evaluateField(transition, thread, state, template, `${prefix}Assign/${name}`, extras),
    ])
  const values = Object.fromEntries(assigned)
  requireRoom(thread, values)
  return values
}

function requireRoom(thread: Thread, assigned: Readonly<Record<string, unknown>>): void {
  const refuse = (what: string, bytes: number) =>
    new StateFailed({
      error: 'States.DataLimitExceeded',
      cause: `The state '${thread.stateName}' assigned ${what}, which is more than the maximum of ${bytes} bytes.`,
    })
  if (
    isTooLarge(
      Object.values(assigned)
        .map((value) => JSON.stringify(value))
        .join(''),
    )
  )
    throw refuse('variables of too large a size together', MAXIMUM_PAYLOAD_BYTES)
  const all = JSON.stringify({ ...thread.data.variables, ...assigned })
  if (all.length * 3 > MAXIMUM_VARIABLES_BYTES && Buffer.byteLength(all) > MAXIMUM_VARIABLES_BYTES)
    throw refuse('a variable beside those that are there', MAXIMUM_VARIABLES_BYTES)
}

function describeAssigned(assigned: Record<string, unknown> | undefined): Record<string, unknown> {
  if (assigned === undefined) return {}
  const texts = Object.entries(assigned).map(([name, value]) => [name, JSON.stringify(value)])
  return { assignedVariables: Object.fromEntries(texts), assignedVariablesDetails: { truncated: false } }
}
