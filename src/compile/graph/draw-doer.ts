import type { Callable } from '../../core/callable.ts'
import type { Doer } from '../../core/doer.ts'
import {
  type Block,
  type ChooseNode,
  type GroupNode,
  type MapNode,
  nodesOf,
  type ParallelNode,
  type PlanNode,
  type RecoverNode,
  type WaitNode,
} from '../../core/doer-plan.ts'
import type { Expression } from '../../core/expression.ts'
import { createFlowchart, type Shape, type Way } from './flowchart.ts'
import { sayValue } from './say-value.ts'

const START = 'start'
/** `end` is a word of Mermaid. */
const END = 'finish'

const SHAPE_OF_CALLABLE: Readonly<Record<Callable['kind'], Shape>> = {
  tool: 'rectangle',
  thinker: 'rounded',
  doer: 'doubleSided',
}

/**
 * A doer's order of work as a flowchart in Mermaid's language: a node for each step, a group for each body and
 * branch, dotted lines for the failures that are recovered from. Same doer, same text.
 */
export function drawDoer({ plan }: Pick<Doer, 'plan'>): string {
  const chart = createFlowchart()
  const names = new Map(nodesOf(plan).map(({ id, name }) => [id, name]))
  const say = (value: Expression) => sayValue(value, (id) => names.get(id) ?? `node ${id}`)

  /** Draws the node where the ways lead, and gives the ways that lead on from it. */
  function drawNode(node: PlanNode, ways: readonly Way[]): readonly Way[] {
    const id = `n${node.id}`
    const draw = (shape: Shape, ...about: readonly string[]): readonly Way[] => {
      chart.node(id, shape, node.name, ...about)
      chart.lead(ways, id)
      return [{ from: id }]
    }
    switch (node.kind) {
      case 'step': {
        const { kind, name } = node.callable
        return draw(SHAPE_OF_CALLABLE[kind], node.isCode ? 'code' : `${kind} ${name}`)
      }
      case 'wait':
        return draw('hexagon', waiting(node))
      case 'emit':
        return draw('rectangle', 'tells how it goes')
      case 'ask':
        return draw('hexagon', `asks a person, at most ${node.deadlineSeconds} seconds`)
      case 'fail':
        draw('flag', `fails with ${node.failure}`)
        return []
      case 'map':
        return drawGroup(id, mapTitle(node), node.body, ways)
      case 'repeat':
        return drawGroup(id, `${node.name}, at most ${times(node.maximum)}`, node.body, ways)
      case 'parallel':
        return drawParallel(node, id, ways)
      case 'group':
        return chart.group(id, `${node.name}, jobs`, () => drawJobs(node, ways))
      case 'job':
        return drawGroup(id, node.name, node.body, ways)
      case 'choose':
        return drawBranches(node, draw('diamond'))
      case 'recover':
        return drawRecover(node, id, ways)
    }
  }

  function drawBlock({ nodes }: Block, ways: readonly Way[]): readonly Way[] {
    return nodes.reduce((leading, node) => drawNode(node, leading), ways)
  }

  /** A block without a node gets one, so that ways lead through its group. */
  function drawGroup(id: string, title: string, block: Block, ways: readonly Way[]): readonly Way[] {
    return chart.group(id, title, () => {
      if (block.nodes.length > 0) return drawBlock(block, ways)
      const only = `${id}_value`
      chart.node(only, 'rounded', 'gives a value')
      chart.lead(ways, only)
      return [{ from: only }]
    })
  }

  function waiting({ how, value }: WaitNode): string {
    const said = say(value) ?? 'computed'
    return how === 'for' ? `waits ${said} seconds` : `waits until ${said}`
  }

  function mapTitle({ name, list, concurrency, tolerate }: MapNode): string {
    const failures =
      tolerate === undefined ? '' : `, of which ${tolerate === 'all' ? 'all' : tolerate} may fail`
    return `${name}, for each item of ${say(list) ?? 'a computed list'}${failures}, ${concurrency} at a time`
  }

  function drawParallel({ name, branches }: ParallelNode, id: string, ways: readonly Way[]): readonly Way[] {
    const all = Object.entries(branches)
    return chart.group(id, `${name}, all at the same time`, () => {
      const forks = ways.length > 1 && all.length > 1
      const fork = `${id}_fork`
      if (forks) {
        // Else each way would be drawn to each branch.
        chart.node(fork, 'circle', ' ')
        chart.lead(ways, fork)
      }
      const leading = forks ? [{ from: fork }] : ways
      return all.flatMap(([label, block], index) => drawGroup(`${id}_${index + 1}`, label, block, leading))
    })
  }

  /** Each job where those lead that it waits for; the group leads on from those that none waits for. */
  function drawJobs({ body }: GroupNode, ways: readonly Way[]): readonly Way[] {
    const jobs = body.nodes.filter((node) => node.kind === 'job')
    const ends = new Map<number, readonly Way[]>()
    for (const job of jobs) {
      const before = job.after.flatMap((id) => ends.get(id) ?? [])
      ends.set(job.id, drawNode(job, job.after.length === 0 ? ways : before))
    }
    const isAwaited = (id: number) => jobs.some(({ after }) => after.includes(id))
    return jobs.filter(({ id }) => !isAwaited(id)).flatMap(({ id }) => ends.get(id) ?? [])
  }

  function drawBranches({ branches, otherwise }: ChooseNode, ways: readonly Way[]): readonly Way[] {
    const labelled = (label: string) => ways.map((way) => ({ ...way, label }))
    return [
      ...branches.flatMap(({ label, block }) => drawBlock(block, labelled(label))),
      ...(otherwise === undefined ? [] : drawBlock(otherwise, labelled('otherwise'))),
    ]
  }

  function drawRecover({ name, body, on, handler }: RecoverNode, id: string, ways: readonly Way[]) {
    const done = drawGroup(id, name, body, ways)
    return [...done, ...drawBlock(handler, [{ from: id, failed: true, label: `on ${oneOf(on)}` }])]
  }

  chart.node(START, 'stadium', 'start')
  const ways = drawBlock(plan, [{ from: START }])
  chart.node(END, 'stadium', 'end')
  chart.lead(ways, END)
  return chart.text()
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

function oneOf(words: readonly string[]): string {
  const last = words.at(-1) ?? 'nothing'
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}
