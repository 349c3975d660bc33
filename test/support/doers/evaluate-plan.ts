import type { Block, DoerPlan, PlanNode } from '../../../src/core/doer-plan.ts'
import type { FailureName } from '../../../src/core/errors.ts'
import type { Expression, Root } from '../../../src/core/expression.ts'

/** A step, a map or a fail node failed. */
export class PlanFailed extends Error {
  readonly failure: FailureName
  constructor(failure: FailureName, message: string) {
    super(message)
    this.failure = failure
  }
}

/** What a step's callable gives for an input; throws `PlanFailed`. */
export type RunStep = (callable: string, input: unknown) => unknown

/** What roots stand for, inner scopes behind outer ones. */
type Values = ReadonlyMap<string, unknown>

/** Does what a plan says without a machine, one thing after the other. Throws `PlanFailed`. */
export function evaluatePlan(plan: DoerPlan, input: unknown, runStep: RunStep): unknown {
  return evaluateBlock(plan, new Map([['input', input]]), runStep)
}

function evaluateBlock({ nodes, result }: Block, outer: Values, runStep: RunStep): unknown {
  const values = new Map(outer)
  for (const node of nodes) values.set(`result ${node.id}`, evaluateNode(node, values, runStep))
  return evaluate(result, values)
}

function evaluateNode(node: PlanNode, values: Values, runStep: RunStep): unknown {
  const within = (block: Block, added: readonly (readonly [string, unknown])[] = []) =>
    evaluateBlock(block, new Map([...values, ...added]), runStep)
  switch (node.kind) {
    case 'step':
      return runStep(node.callable.name, evaluate(node.input, values))
    case 'map': {
      const list = evaluate(node.list, values) as readonly unknown[]
      const items = list.map((item, index) =>
        settle(() =>
          within(node.body, [
            [`item ${node.id}`, item],
            [`index ${node.id}`, index],
          ]),
        ),
      )
      const failures = items.flatMap((item) => (item.ok ? [] : [item.error]))
      const { tolerate } = node
      if (tolerate === undefined) {
        if (failures[0] !== undefined) throw failures[0]
        return items.map((item) => (item.ok ? item.value : undefined))
      }
      if (tolerate !== 'all' && failures.length > tolerate) throw new PlanFailed('Internal', 'too many')
      return items.map((item) => (item.ok ? item : { ok: false, error: { name: item.error.failure } }))
    }
    case 'parallel': {
      const results = Object.entries(node.branches).map(
        ([label, block]) => [label, settle(() => within(block))] as const,
      )
      for (const [, result] of results) if (!result.ok) throw result.error
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

const keyOf = (root: Root): string => (root.kind === 'input' ? 'input' : `${root.kind} ${root.id}`)

function evaluate(expression: Expression, values: Values): unknown {
  const of = (each: Expression) => evaluate(each, values)
  switch (expression.kind) {
    case 'root':
      return values.get(keyOf(expression.root))
    case 'field':
      return (of(expression.of) as Record<string, unknown>)[expression.name]
    case 'present':
      return of(expression.of)
    case 'literal':
      return expression.value
    case 'list':
      return expression.items.map(of)
    case 'object':
      return Object.fromEntries(
        Object.entries(expression.fields)
          .map(([name, field]) => [name, of(field)])
          .filter(([, value]) => value !== undefined),
      )
    case 'operation':
      return operate(expression.operation, expression.operands.map(of))
  }
}

function operate(operation: string, operands: readonly unknown[]): unknown {
  const [a, b] = operands
  switch (operation) {
    case 'add':
      return Number(a) + Number(b)
    case 'subtract':
      return Number(a) - Number(b)
    case 'multiply':
      return Number(a) * Number(b)
    case 'divide':
      return Number(a) / Number(b)
    case 'at':
      return (a as readonly unknown[])[Number(b)]
    case 'size':
      return (a as string | readonly unknown[]).length
    case 'orElse':
      return a ?? b
    case 'join':
      return operands
        .map((each) => (typeof each === 'number' ? String(Number(each.toPrecision(15))) : String(each)))
        .join('')
    case 'eq':
      return a === b
    case 'lt':
      return (a as number) < (b as number)
    case 'lte':
      return (a as number) <= (b as number)
    case 'contains':
      return (a as string | readonly unknown[]).includes(b as never)
    case 'isPresent':
      return a !== undefined && a !== null
    case 'and':
      return operands.every((each) => each === true)
    case 'or':
      return operands.some((each) => each === true)
    case 'not':
      return a !== true
    default:
      throw new Error(`No operation ${operation}`)
  }
}
