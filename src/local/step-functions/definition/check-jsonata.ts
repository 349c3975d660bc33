import { compileExpression } from '../expressions/compile-expression.ts'
import { describeError } from '../expressions/evaluate.ts'

/** Which members of `$states` a field may read beside `input` and `context`. */
export type Available = 'result' | 'errorOutput' | undefined

/**
 * What Step Functions refuses of an expression when the machine is created, each with its code: a slip of syntax, `$states.result` and
 * `$states.errorOutput` where they are not, the input of JSONata (`$$`, or a name without a `$`), which there is none.
 */
export function checkJsonata(text: string, available: Available): readonly string[] {
  let ast: unknown
  try {
    ast = compileExpression(text).ast()
  } catch (error) {
    return [`INVALID_JSONATA_EXPRESSION: ${describeError(error)}`]
  }
  const unsupported = [...new Set([...namesAtTop(ast), ...(readsInput(ast) ? ['$$'] : [])])].map(
    (name) => `UNSUPPORTED_JSONATA_EXPRESSION: Reference to '${name}' at the top level is not supported.`,
  )
  const absent = (['result', 'errorOutput'] as const)
    .filter((member) => member !== available && readsState(ast, member))
    .map((member) => `UNSUPPORTED_JSONATA_EXPRESSION: $states.${member} is not available in this field.`)
  return [...unsupported, ...absent]
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Names that are looked up in the input, since nothing before them says otherwise. */
function namesAtTop(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(namesAtTop)
  if (!isNode(node)) return []
  switch (node.type) {
    case 'path': {
      const [first] = Array.isArray(node.steps) ? node.steps : []
      return isNode(first) && first.type === 'name' ? [String(first.value)] : namesAtTop(first)
    }
    case 'binary':
    case 'apply':
      return [...namesAtTop(node.lhs), ...namesAtTop(node.rhs)]
    case 'bind':
      return namesAtTop(node.rhs)
    case 'unary':
      return [...namesAtTop(node.expression), ...namesAtTop(node.expressions), ...namesAtTop(node.lhs)]
    case 'condition':
      return [...namesAtTop(node.condition), ...namesAtTop(node.then), ...namesAtTop(node.else)]
    case 'block':
      return namesAtTop(node.expressions)
    case 'function':
    case 'partial':
      return [...namesAtTop(node.procedure), ...namesAtTop(node.arguments)]
    default:
      return []
  }
}

function readsInput(ast: unknown): boolean {
  return someNode(ast, (node) => node.type === 'variable' && node.value === '$')
}

function readsState(ast: unknown, member: string): boolean {
  return someNode(ast, ({ type, steps }) => {
    if (type !== 'path' || !Array.isArray(steps)) return false
    const [first, second] = steps
    return (
      isNode(first) &&
      first.type === 'variable' &&
      first.value === 'states' &&
      isNode(second) &&
      second.value === member
    )
  })
}

function someNode(value: unknown, holds: (node: Node) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => someNode(item, holds))
  return isNode(value) && (holds(value) || Object.values(value).some((part) => someNode(part, holds)))
}
