import type { Block, DoerPlan, PlanNode } from './doer-plan.ts'
import type { Expression, Root } from './expression.ts'
import { createReference, type Ref, type Scope } from './reference.ts'
import { createStepNames, refuse, type Use } from './step-names.ts'
import { toCondition, toExpression } from './to-expression.ts'

/** A run of calls that become nodes: the whole plan, a body or a branch. */
export interface OpenBlock {
  readonly scope: Scope
  readonly nodes: PlanNode[]
  /** The number that its last step has in the record. */
  lastNumber: number
  /** No more nodes, and its references may no longer be used. */
  close(): void
}

/** A node without what every node has. */
type NodeOf<K extends PlanNode['kind']> = Omit<Extract<PlanNode, { kind: K }>, 'name' | 'id' | 'kind'>

/** What stands in a body or a branch. */
export type Job = (scope: Scope) => unknown

export interface Branch {
  readonly label: string
  readonly place: string
  readonly job: Job
}

export type Draft = ReturnType<typeof createDraft>

/** A plan while its calls are recorded: names, ids and numbers, and the blocks that are open. */
export function createDraft(doer: string) {
  const names = createStepNames(doer)
  const whole = openBlock(doer)
  let current = whole
  let lastId = 0

  function claim(kind: string, name: string): Use {
    const place = names.claim(kind, name)
    if (!whole.scope.isOpen()) refuse(doer, place, 'called after the plan had returned; a plan is not async')
    if (current.nodes.at(-1)?.kind === 'fail')
      refuse(doer, place, `stands after fail "${current.nodes.at(-1)?.name}", and would never run`)
    return { doer, place }
  }

  /** The next in the record. */
  const nextNumber = (): number => {
    current.lastNumber += 1
    return current.lastNumber
  }

  const nextId = (): number => {
    lastId += 1
    return lastId
  }

  function add<K extends PlanNode['kind'], T>(name: string, kind: K, node: NodeOf<K>): Ref<T> {
    return addAs(nextId(), name, kind, node)
  }

  /** Whoever calls vouches for `T`. */
  function addAs<K extends PlanNode['kind'], T>(id: number, name: string, kind: K, node: NodeOf<K>): Ref<T> {
    current.nodes.push({ ...node, kind, name, id } as unknown as PlanNode) // `NodeOf<K>` has what a node of this kind has
    return refer({ kind: 'result', id }, current.scope, `"${name}"`)
  }

  /** Branches that run at the same time, or of which one runs: their steps have the same numbers. */
  function planBranches(branches: readonly Branch[]): (readonly [string, Block])[] {
    const before = current.lastNumber
    let highest = before
    const planned = branches.map(({ label, place, job }) => {
      current.lastNumber = before
      const block = planBlock(place, job)
      highest = Math.max(highest, current.lastNumber)
      return [label, block] as const
    })
    current.lastNumber = highest
    return planned
  }

  function planBlock(place: string, job: Job): Block {
    const outer = current
    const block = openBlock(doer, place, outer)
    current = block
    try {
      const returned = job(block.scope)
      const result = toExpression(returned === undefined ? null : returned, { doer, place }, 'its result')
      return { nodes: block.nodes, result }
    } finally {
      block.close()
      current = outer
      outer.lastNumber = block.lastNumber
    }
  }

  /** What `until` computes with stands in it alone, and it makes no node: it is looked at before each time. */
  function planUntil(use: Use, until: (scope: Scope) => unknown): Expression {
    const outer = current
    const block = openBlock(doer, `the until of ${use.place}`, outer)
    current = block
    try {
      const condition = toCondition(until(block.scope), use)
      const [made] = block.nodes
      if (made !== undefined)
        refuse(
          doer,
          use.place,
          `until makes ${made.kind} "${made.name}"; do it in the body and give what it found back in the state`,
        )
      return condition
    } finally {
      block.close()
      current = outer
    }
  }

  return {
    doer,
    claim,
    nextId,
    nextNumber,
    add,
    addAs,
    planBlock,
    planBranches,
    planUntil,
    /** The innermost. */
    block: (): OpenBlock => current,
    input: <T>(): Ref<T> => refer({ kind: 'input' }, whole.scope, 'input'),
    /** Takes what the plan returned, once. */
    finish(returned: unknown): DoerPlan {
      const given = returned === undefined && whole.nodes.at(-1)?.kind === 'fail' ? null : returned
      const result = toExpression(given, { doer, place: 'the plan' }, 'its result')
      whole.close()
      return { nodes: whole.nodes, result }
    },
  }
}

export function refer<T>(root: Root, scope: Scope, label: string): Ref<T> {
  return createReference({ expression: { kind: 'root', root }, scopes: [scope], label })
}

function openBlock(doer: string, within?: string, outer?: OpenBlock): OpenBlock {
  let isOpen = true
  return {
    scope: {
      doer,
      ...(within === undefined ? {} : { within }),
      isOpen: () => isOpen && (outer?.scope.isOpen() ?? true),
      isPlanOver: () => outer?.scope.isPlanOver() ?? !isOpen,
    },
    nodes: [],
    lastNumber: outer?.lastNumber ?? 0,
    close: () => {
      isOpen = false
    },
  }
}
