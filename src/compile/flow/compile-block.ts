import type { Block, PlanNode, StepNode } from '../../core/doer-plan.ts'
import type { Template } from '../asl.ts'
import { compileStep, outputOf } from '../compile-step.ts'
import { embed, type Writer } from '../jsonata.ts'
import { compileAsk } from './compile-ask.ts'
import { compileChoose } from './compile-choose.ts'
import { compileEmit } from './compile-emit.ts'
import { compileGroup } from './compile-group.ts'
import { compileMap } from './compile-map.ts'
import { compileParallel } from './compile-parallel.ts'
import { compileRecover } from './compile-recover.ts'
import { compileRepeat } from './compile-repeat.ts'
import { type Entering, NOTHING_ENTERS } from './entering.ts'
import { type Flow, keep, type Own, ownOf, placeIn, type Sink, withAssign, writeAt } from './flow.ts'
import { quoted } from './quoted.ts'

/** Writes the states of a block, and answers the name of the first. `name` says for people which block it is. */
export function compileBlock(
  block: Block,
  flow: Flow,
  sink: Sink,
  name: string,
  entering: Entering = NOTHING_ENTERS,
): string {
  const { nodes, result } = block
  const last = nodes.at(-1)
  const end = flow.stateName(`(end of ${name})`)
  const isKept = sink.kind === 'end' || sink.variable !== undefined || sink.assign !== undefined
  const goes = sink.kind === 'go' && !isKept ? sink.next : end
  const [entry = goes, ...later] = entriesOf(nodes, goes, flow)
  const isFirstStep = nodes[0]?.kind === 'step'
  const start =
    isFirstStep || Object.keys(entering.assign).length === 0
      ? undefined
      : flow.stateName(`(start of ${name})`)
  if (start !== undefined)
    flow.states.set(start, {
      Type: 'Pass',
      Assign: entering.assign,
      Output: {},
      Next: entry,
    })
  const resultWith = (own: Own) =>
    writeAt(flow, `the result of ${name}`, () => flow.writer(own).template(result))
  for (const [index, node] of nodes.entries()) {
    const own = index === 0 && isFirstStep ? entering : NOTHING_ENTERS
    const kind = node.kind === 'step' && node.isCode ? 'code' : node.kind
    writeAt(flow, `${kind} "${node.name}"`, () => {
      if (node.kind === 'step' && node === last && isKept)
        flow.states.set(node.name, {
          ...stepTask(node, flow, own),
          // Nothing but the block's result can read what its last step gave.
          ...sunk(sink, resultWith([...own.own, ...ownOf(node)]), own.assign),
        })
      else compileNode(node, flow, later[index] ?? goes, own)
    })
  }
  if (isKept && last?.kind !== 'step' && last?.kind !== 'fail') {
    const own = start === undefined && nodes.length === 0 ? entering.own : []
    flow.states.set(end, { Type: 'Pass', ...sunk(sink, resultWith(own), {}) })
  }
  return start ?? entry
}

function sunk(sink: Sink, result: Template, assign: Readonly<Record<string, Template>>) {
  if (sink.kind === 'end')
    return { ...assigned(assign), Output: outputOfState(sink.output(result)), End: true } as const
  const { variable } = sink
  const kept = variable === undefined ? {} : { [variable]: result }
  return { ...assigned({ ...assign, ...kept, ...sink.assign }), Output: {}, Next: sink.next } as const
}

/** AWS takes any JSON; asl-validator wants texts and objects. */
const outputOfState = (value: Template): Template =>
  value === null || typeof value === 'number' || typeof value === 'boolean' ? embed(String(value)) : value

const assigned = (assign: Readonly<Record<string, Template>>) =>
  Object.keys(assign).length === 0 ? {} : { Assign: assign }

/** The state in which each node begins. A recover has none of its own, so it begins where its body does, or what comes after an empty one. */
function entriesOf(nodes: readonly PlanNode[], end: string, flow: Flow): readonly string[] {
  let next = end
  const fromBehind = nodes.toReversed().map((node) => {
    if (node.kind === 'recover') {
      const isKept = flow.isRead({ kind: 'result', id: node.id })
      const after = isKept ? flow.stateName(`(end of ${quoted(node.name)})`) : next
      next = entriesOf(node.body.nodes, after, flow)[0] ?? after
    } else next = node.name
    return next
  })
  return fromBehind.toReversed()
}

function compileNode(node: PlanNode, flow: Flow, next: string, entering: Entering): void {
  switch (node.kind) {
    case 'step': {
      const own = keep(flow, node, embed(outputOf(node))).Assign
      flow.states.set(node.name, {
        ...stepTask(node, flow, entering),
        ...assigned({ ...own, ...entering.assign }),
        Output: {},
        Next: next,
      })
      return
    }
    case 'map':
      compileMap(node, flow, next, compileBlock)
      return
    case 'parallel':
      compileParallel(node, flow, next, compileBlock)
      return
    case 'group':
      compileGroup(node, flow, next, compileBlock)
      return
    case 'job':
      throw new Error(`Job "${node.name}" stands in no group`)
    case 'choose':
      compileChoose(node, flow, next, compileBlock)
      return
    case 'recover':
      compileRecover(node, flow, next, compileBlock)
      return
    case 'repeat':
      compileRepeat(node, flow, next, compileBlock)
      return
    case 'wait': {
      const value = flow.writer().template(node.value)
      const how = node.how === 'for' ? { Seconds: value } : { Timestamp: value }
      flow.states.set(node.name, { Type: 'Wait', ...how, Output: {}, Next: next })
      return
    }
    case 'emit':
      flow.states.set(node.name, compileEmit(node, flow, next))
      return
    case 'ask':
      flow.states.set(node.name, compileAsk(node, flow, next))
      return
    case 'fail':
      flow.states.set(node.name, {
        Type: 'Pass',
        Output: { name: node.failure, message: flow.writer().template(node.message) },
        Next: flow.failure.described,
      })
  }
}

function stepTask(step: StepNode, flow: Flow, { own, assign }: Entering) {
  const write: Writer = flow.writer(own)
  const task = compileStep(step, {
    doer: flow.doer.name,
    place: placeIn(flow, step, write),
    input: write.template(step.input),
    wanted: flow.wantedOf(step),
    codeSeconds: flow.codeSeconds,
    onFailure: flow.failure.caught,
  })
  const Catch = withAssign(task.Catch, assign)
  return { ...task, ...(Catch === undefined ? {} : { Catch }) }
}

export type CompileBlock = typeof compileBlock
