import { createShapes } from '../../../src/compile/shape/shape-of-expression.ts'
import { createWantedAnswers } from '../../../src/compile/wanted-answers.ts'
import type { Doer } from '../../../src/core/doer.ts'
import {
  type Block,
  blocksOf,
  expressionsOf,
  type MapNode,
  type PlanNode,
  type StepNode,
} from '../../../src/core/doer-plan.ts'
import type { Expression } from '../../../src/core/expression.ts'

/** What generated doers are made of, and how many of 100 have it at least: about half of what it is. */
export const LEAST_OF_100 = {
  'a wait': 15,
  'a fail': 12,
  'a parallel': 20,
  'a choose': 40,
  'a recover': 25,
  'a repeat': 28,
  'a map': 28,
  code: 20,
  'another doer': 40,
  'a retry': 40,
  'a map over an artifact': 40,
  'a map over an artifact, of pointers': 28,
  'a map over an artifact, of loaded items': 12,
  'a map over an artifact, of bounded size': 33,
  'a map over an artifact, of any size': 27,
  'a map over an artifact that tolerates all': 15,
  'a map over an artifact that tolerates some': 28,
  'a map over an artifact in a map': 20,
  'a map over an artifact in a repeat': 7,
  'a map over an artifact in a branch': 28,
  'a map over what another gave': 11,
  'an item of a list in an item': 40,
  'another object where there is none': 45,
  'another list where there is none': 42,
  'two texts compared': 30,
  'a list that is searched': 4,
  'a text that is searched': 9,
} as const

/** The constructs of a doer. */
export function constructsOf(doer: Doer): ReadonlySet<string> {
  const shapeOf = createShapes(doer)
  const wanted = createWantedAnswers(doer, shapeOf)
  const found = new Set<string>()
  const isArtifact = ({ list }: MapNode) => shapeOf(list).isArtifact === true

  const ofKeptMap = (map: MapNode, around: readonly PlanNode[]): void => {
    const { keep } = wanted.ofItem(map)
    const isLoaded = keep !== 'passed' && Object.keys(keep).length > 0
    found.add('a map over an artifact')
    if (keep === 'passed') found.add('a map over an artifact, of pointers')
    if (isLoaded) found.add('a map over an artifact, of loaded items')
    found.add(`a map over an artifact, of ${map.atMost === undefined ? 'any' : 'bounded'} size`)
    if (map.tolerate !== undefined)
      found.add(`a map over an artifact that tolerates ${map.tolerate === 'all' ? 'all' : 'some'}`)
    for (const { kind } of around)
      if (kind === 'map' || kind === 'repeat') found.add(`a map over an artifact in a ${kind}`)
      else found.add('a map over an artifact in a branch')
    if (map.list.kind === 'root') found.add('a map over what another gave')
  }

  const ofStep = ({ isCode, callable, retry }: StepNode): void => {
    if (isCode) found.add('code')
    if (callable.kind === 'doer') found.add('another doer')
    if (retry.attempts > 1 && retry.on.some((name) => name !== 'Throttled')) found.add('a retry')
  }

  const ofNode = (node: PlanNode, around: readonly PlanNode[]): void => {
    for (const expression of expressionsOf(node)) ofExpression(expression)
    if (node.kind === 'step') ofStep(node)
    else if (node.kind === 'map' && isArtifact(node)) ofKeptMap(node, around)
    else found.add(`a ${node.kind}`)
    for (const block of blocksOf(node)) ofBlock(block, [...around, node])
  }

  const ofBlock = ({ nodes, result }: Block, around: readonly PlanNode[]): void => {
    for (const node of nodes) ofNode(node, around)
    ofExpression(result)
  }

  const ofExpression = (expression: Expression): void => {
    if (expression.kind === 'operation') ofOperation(expression)
    for (const part of partsOf(expression)) ofExpression(part)
  }

  const ofOperation = ({ operation, operands }: Extract<Expression, { kind: 'operation' }>): void => {
    const [first, second] = operands
    if (first === undefined || second === undefined) return
    if (operation === 'at' && JSON.stringify(first).includes('"at"'))
      found.add('an item of a list in an item')
    if (operation === 'orElse' && second.kind === 'object') found.add('another object where there is none')
    if (operation === 'orElse' && second.kind === 'list') found.add('another list where there is none')
    if (operation === 'eq' && second.kind === 'literal' && typeof second.value === 'string')
      found.add('two texts compared')
    if (operation === 'contains')
      found.add(shapeOf(first).isList === true ? 'a list that is searched' : 'a text that is searched')
  }

  ofBlock(doer.plan, [])
  return found
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'root':
    case 'literal':
      return []
    case 'field':
    case 'present':
      return [expression.of]
    case 'operation':
      return expression.operands
    case 'object':
      return Object.values(expression.fields)
    case 'list':
      return expression.items
  }
}
