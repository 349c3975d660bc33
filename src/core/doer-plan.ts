import type * as z from 'zod'
import type { Typed } from './callable.ts'
import type { FailureName } from './errors.ts'
import type { Expression } from './expression.ts'
import { isTool } from './tool.ts'

/** Added to a tool's timeout, so that its result can be recorded. */
export const RECORDING_SECONDS = 5
const LEAST_CODE_SECONDS = 60

/** A doer's order of work as data. */
export type DoerPlan = Block

/** Nodes that run one after the other, and what comes of them. */
export interface Block {
  readonly nodes: readonly PlanNode[]
  readonly result: Expression
}

interface Named {
  /** Unique in the doer. */
  readonly name: string
  /** From 1, in the order in which the plan was written; for roots. */
  readonly id: number
}

export type PlanNode =
  | StepNode
  | MapNode
  | ParallelNode
  | ChooseNode
  | RecoverNode
  | RepeatNode
  | WaitNode
  | FailNode
  | EmitNode
  | AskNode
  | GroupNode
  | JobNode

export interface StepNode extends Named {
  readonly kind: 'step'
  /** In the record. Steps that may run at the same time, or of which only one runs, share one. */
  readonly number: number
  readonly callable: Typed<unknown, unknown>
  /** The callable is a tool of the doer's own, which runs in the doer's function. */
  readonly isCode: boolean
  readonly input: Expression
  readonly retry: StepRetry
  /** How long an agent may take; absent for tools, which have their own timeout. */
  readonly timeoutSeconds?: number
}

/** A step that failed with one of the names is tried again. */
export interface StepRetry {
  readonly on: readonly FailureName[]
  /** Tries in all; at least 1. */
  readonly attempts: number
}

export interface MapNode extends Named {
  readonly kind: 'map'
  readonly list: Expression
  /** 1 to 40. */
  readonly concurrency: number
  /** How many items may fail: then each item gives `{ ok: true, value }` or `{ ok: false, error }`. Absent: the first failure is the map's. */
  readonly tolerate?: 'all' | number
  /** A list with more items fails the map. */
  readonly atMost?: number
  readonly body: Block
}

export interface ParallelNode extends Named {
  readonly kind: 'parallel'
  readonly branches: Readonly<Record<string, Block>>
  /** `cancel`: the first failure ends the others; `finish`: all come to their end first. */
  readonly onFailure: 'cancel' | 'finish'
}

/** Jobs some of which wait for others. Its body has jobs alone, each after those that it waits for. */
export interface GroupNode extends Named {
  readonly kind: 'group'
  readonly body: Block
}

export interface JobNode extends Named {
  readonly kind: 'job'
  /** The ids of the jobs that it waits for, and whose results it may read. */
  readonly after: readonly number[]
  readonly body: Block
}

/** Takes the first branch whose condition holds. */
export interface ChooseNode extends Named {
  readonly kind: 'choose'
  readonly branches: readonly { readonly label: string; readonly when: Expression; readonly block: Block }[]
  /** Absent: a value that none of the branches is for fails the run. */
  readonly otherwise?: Block
}

export interface RecoverNode extends Named {
  readonly kind: 'recover'
  readonly body: Block
  readonly on: readonly FailureName[]
  readonly handler: Block
}

export interface RepeatNode extends Named {
  readonly kind: 'repeat'
  readonly from: Expression
  readonly until: Expression
  /** At least 1. */
  readonly maximum: number
  /** Its result is the next state. */
  readonly body: Block
}

export interface WaitNode extends Named {
  readonly kind: 'wait'
  /** For so many seconds, or until a time in ISO 8601. */
  readonly how: 'for' | 'until'
  readonly value: Expression
}

/** Tells whoever watches the run how it goes. */
export interface EmitNode extends Named {
  readonly kind: 'emit'
  /** In the record, as a step's. */
  readonly number: number
  readonly message: Expression
}

/** Asks a person; its result is the answer. */
export interface AskNode extends Named {
  readonly kind: 'ask'
  /** In the record, as a step's. */
  readonly number: number
  readonly question: Expression
  readonly answer: z.ZodType
  readonly deadlineSeconds: number
}

export interface FailNode extends Named {
  readonly kind: 'fail'
  readonly failure: FailureName
  readonly message: Expression
}

/** The blocks that stand in a node. */
export function blocksOf(node: PlanNode): readonly Block[] {
  switch (node.kind) {
    case 'step':
    case 'wait':
    case 'fail':
    case 'emit':
    case 'ask':
      return []
    case 'map':
    case 'repeat':
    case 'group':
    case 'job':
      return [node.body]
    case 'parallel':
      return Object.values(node.branches)
    case 'choose':
      return [
        ...node.branches.map(({ block }) => block),
        ...(node.otherwise === undefined ? [] : [node.otherwise]),
      ]
    case 'recover':
      return [node.body, node.handler]
  }
}

/** Every node of a block, those in its nodes included, in the order of the plan. */
export function nodesOf({ nodes }: Block): readonly PlanNode[] {
  return nodes.flatMap((node) => [node, ...blocksOf(node).flatMap(nodesOf)])
}

/** The same by their ids. */
export function nodesById(block: Block): ReadonlyMap<number, PlanNode> {
  return new Map(nodesOf(block).map((node) => [node.id, node]))
}

/** By the id of each node what is around it: `outermost` at first, and in a node what `inside` makes of what is around that. */
export function aroundEach<T>(
  block: Block,
  outermost: T,
  inside: (node: PlanNode, around: T) => T,
): ReadonlyMap<number, T> {
  const found = new Map<number, T>()
  const walk = ({ nodes }: Block, around: T): void => {
    for (const node of nodes) {
      found.set(node.id, around)
      const within = inside(node, around)
      for (const inner of blocksOf(node)) walk(inner, within)
    }
  }
  walk(block, outermost)
  return found
}

/** The steps of a block, at any depth. */
export function stepsOf(block: Block): readonly StepNode[] {
  return nodesOf(block).filter((node) => node.kind === 'step')
}

/** Whether something in a block is on record, with its number and place. */
export function hasRecord(block: Block): boolean {
  return nodesOf(block).some(({ kind }) => kind === 'step' || kind === 'emit' || kind === 'ask')
}

/**
 * What of a block may still be under way when something else of it has failed: agents and questions to people, which the end of their state does
 * not end, and calls that run beside others.
 */
export function lastingIn(block: Block): readonly (StepNode | AskNode)[] {
  const runsBeside = aroundEach(block, false, (node, around) => around || runsAtOnce(node))
  return nodesOf(block).filter((node): node is StepNode | AskNode => {
    if (node.kind === 'ask') return true
    return node.kind === 'step' && (node.callable.kind !== 'tool' || runsBeside.get(node.id) === true)
  })
}

/**
 * Whether what stands in a node runs at the same time, and may be cut short when some of it fails: also in a parallel whose branches finish, since an
 * expression that fails ends it at once.
 */
const runsAtOnce = (node: PlanNode): boolean =>
  node.kind === 'parallel' || node.kind === 'group' || (node.kind === 'map' && node.concurrency > 1)

/** The names of the inputs of a step, sorted. */
export function inputNamesOf({ input }: Pick<StepNode, 'input'>): readonly string[] {
  const fields = input.kind === 'object' ? input.fields : input.kind === 'literal' ? Object(input.value) : {}
  return Object.keys(fields).toSorted()
}

/** The step of a name that is code of the doer's own, or undefined. */
export function codeOf(block: Block, name: string): StepNode | undefined {
  return stepsOf(block).find((step) => step.isCode && step.name === name)
}

/** How long the function of a doer's own code may run: as long as the longest of it, and 5 s in which the result is recorded. At least a minute. */
export function codeSeconds(block: Block): number {
  const timeouts = stepsOf(block).flatMap(({ isCode, callable }) =>
    isCode && isTool(callable) ? [callable.timeoutSeconds + RECORDING_SECONDS] : [],
  )
  return Math.max(LEAST_CODE_SECONDS, ...timeouts)
}

/** What a node reads itself, without what stands in it. */
export function expressionsOf(node: PlanNode): readonly Expression[] {
  switch (node.kind) {
    case 'step':
      return [node.input]
    case 'map':
      return [node.list]
    case 'parallel':
    case 'recover':
    case 'group':
    case 'job':
      return []
    case 'choose':
      return node.branches.map(({ when }) => when)
    case 'repeat':
      return [node.from, node.until]
    case 'wait':
      return [node.value]
    case 'fail':
    case 'emit':
      return [node.message]
    case 'ask':
      return [node.question]
  }
}
