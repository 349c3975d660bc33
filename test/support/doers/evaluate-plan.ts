import type { Split } from '../../../src/compile/flow/split.ts'
import type { Doer } from '../../../src/core/doer.ts'
import type { Block, DoerPlan, MapNode, PlanNode, StepNode } from '../../../src/core/doer-plan.ts'
import type { Tool } from '../../../src/core/tool.ts'
import { evaluate, type Values } from './evaluate-expression.ts'
import { KeptList } from './kept-list.ts'
import { PlanFailed, Undetermined } from './plan-failed.ts'
import { runStub } from './stub-tools.ts'

/**
 * Does what a plan says without a machine, one thing after the other. `split`: what runs in executions of its own, and so to its end.
 * Throws `PlanFailed`, and `Undetermined` where it depends on who is faster.
 */
export function evaluatePlan(plan: DoerPlan, input: unknown, split: Split = new Map()): unknown {
  return evaluateBlock(plan, new Map([['input', input]]), split)
}

/** One try of a step. Throws `PlanFailed`. */
export function tryStep({ callable }: StepNode, input: unknown, attempt: number): unknown {
  if (callable.kind === 'doer') return evaluatePlan((callable as Doer).plan, input)
  if (callable.name !== 'code') return runStub(callable.name, input, attempt)
  const { code } = callable as Tool
  return code(input, {} as Parameters<typeof code>[1]) // which generated code does not use
}

function evaluateBlock({ nodes, result }: Block, outer: Values, split: Split): unknown {
  const values = new Map(outer)
  for (const node of nodes) values.set(`result ${node.id}`, evaluateNode(node, values, split))
  return evaluate(result, values)
}

function evaluateNode(node: PlanNode, values: Values, split: Split): unknown {
  const within = (block: Block, added: Added = []) =>
    evaluateBlock(block, new Map([...values, ...added]), split)
  switch (node.kind) {
    case 'step':
      return evaluateStep(node, evaluate(node.input, values))
    case 'map':
      return evaluateMap(node, evaluate(node.list, values), within, split)
    case 'parallel': {
      const results = Object.entries(node.branches).map(
        ([label, block]) => [label, settle(() => within(block))] as const,
      )
      failWithAny(results.map(([, result]) => result))
      return Object.fromEntries(
        results.map(([label, result]) => [label, result.ok ? result.value : undefined]),
      )
    }
    case 'choose': {
      const taken = node.branches.find(({ when }) => evaluate(when, values) === true)?.block ?? node.otherwise
      if (taken === undefined) throw new PlanFailed('Internal', 'no branch')
      return within(taken)
    }
    case 'recover': {
      const body = settle(() => within(node.body))
      if (body.ok) return body.value
      if (!node.on.includes(body.error.failure)) throw body.error
      const { failure: name, message } = body.error
      return within(node.handler, [[`failure ${node.id}`, { name, message }]])
    }
    case 'repeat': {
      let state = evaluate(node.from, values)
      for (let index = 0; index < node.maximum; index++) {
        const now = [
          [`state ${node.id}`, state],
          [`index ${node.id}`, index],
        ] as const
        if (evaluate(node.until, new Map([...values, ...now])) === true) break
        state = within(node.body, now)
      }
      return state
    }
    case 'group':
    case 'job':
      return within(node.body)
    case 'wait':
    case 'emit':
      return null
    case 'ask':
      throw new Error('Nobody answers in a generated doer')
    case 'fail':
      throw new PlanFailed(node.failure, String(evaluate(node.message, values)))
  }
}

type Added = readonly (readonly [string, unknown])[]

function evaluateStep(step: StepNode, input: unknown): unknown {
  const { on, attempts } = step.retry
  for (let attempt = 0; ; attempt++) {
    const tried = settle(() => tryStep(step, input, attempt))
    if (tried.ok) return tried.value
    if (!on.includes(tried.error.failure) || attempt + 1 >= attempts) throw tried.error
  }
}

function evaluateMap(
  node: MapNode,
  list: unknown,
  within: (block: Block, added: Added) => unknown,
  split: Split,
): unknown {
  const { id, body, tolerate, atMost, concurrency } = node
  const items = list instanceof KeptList ? list.items : (list as readonly unknown[])
  if (atMost !== undefined && items.length > atMost) throw new PlanFailed('Internal', 'too many items')
  const settled = items.map((item, index) =>
    settle(() =>
      within(body, [
        [`item ${id}`, item],
        [`index ${id}`, index],
      ]),
    ),
  )
  const failures = settled.flatMap((item) => (item.ok ? [] : [item.error]))
  if (tolerate === undefined) {
    if (failures[0] !== undefined && (split.has(id) || concurrency === 1)) throw failures[0]
    failWithAny(settled)
  } else if (tolerate !== 'all' && failures.length > tolerate) throw new PlanFailed('Internal', 'too many')
  const results = settled.map((item) => {
    if (tolerate === undefined) return item.ok ? item.value : undefined
    return item.ok ? item : { ok: false, error: { name: item.error.failure, message: item.error.message } }
  })
  return list instanceof KeptList ? new KeptList(results) : results
}

/** Of things that run at the same time. */
function failWithAny(all: readonly Settled[]): void {
  const failures = all.flatMap((one) => (one.ok ? [] : [one.error]))
  if (new Set(failures.map(({ failure }) => failure)).size > 1) throw new Undetermined('Who fails first?')
  if (failures[0] !== undefined) throw failures[0]
}

type Settled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: PlanFailed }

function settle(run: () => unknown): Settled {
  try {
    return { ok: true, value: run() }
  } catch (error) {
    if (error instanceof PlanFailed) return { ok: false, error }
    throw error
  }
}
