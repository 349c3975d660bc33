import type { Doer } from '../../core/doer.ts'
import { nodesOf, type PlanNode } from '../../core/doer-plan.ts'
import type { States } from '../asl.ts'
import type { Worst } from '../plan.ts'
import { ASSUMED_ITEMS } from '../worst-case/bounds.ts'
import type { Proof } from './prove-doer.ts'
import { grouped } from './refuse.ts'

/** A proof as figures, for the plan and for people. */
export function figuresOf(doer: Doer, proof: Proof): Worst {
  const { machine, worst, payloads } = proof
  const bounded = payloads.flatMap(({ bytes }) => bytes ?? [])
  return {
    states: countStates(machine),
    transitions: worst.transitions,
    dollars: Number(worst.dollars.toPrecision(6)),
    events: Math.max(...worst.histories.map(({ events }) => events)),
    ...(bounded.length === 0 ? {} : { payloadBytes: Math.max(...bounded) }),
    unboundedPayloads: payloads.flatMap(({ of, bytes }) => (bytes === undefined ? [of] : [])),
    split: nodesOf(doer.plan).flatMap((node) => describeSplit(node, proof)),
    assumptions: assumedLists(proof),
  }
}

/** At any depth. */
function countStates({ States }: States): number {
  return Object.values(States).reduce((all, state) => {
    if (state.Type === 'Map') return all + 1 + countStates(state.ItemProcessor)
    if (state.Type === 'Parallel')
      return all + 1 + state.Branches.reduce((sum, each) => sum + countStates(each), 0)
    return all + 1
  }, 0)
}

function describeSplit(node: PlanNode, { split }: Proof): string[] {
  const times = split.get(node.id)
  if (times === undefined) return []
  return node.kind === 'repeat'
    ? [`repeat "${node.name}" by ${grouped(times)} of ${grouped(node.maximum)} times`]
    : [`map "${node.name}" by item`]
}

function assumedLists({ bounds }: Proof): string[] {
  const open = [...bounds.lists].flatMap(([name, { most }]) => (most === undefined ? [name] : []))
  return open.map(
    (name) =>
      `map "${name}" has ${grouped(ASSUMED_ITEMS)} items (its list has no maximum: give its schema one, or the map \`atMost\`)`,
  )
}
