import type { Statement } from './rights.ts'

/** IAM: at most 6,144 characters in a managed policy, 10,240 in a role. The rest is for `Effect` and the like. */
const LARGEST_POLICY = 5_800
/** An ARN of ours has at most some 140 characters. */
const RESOURCES_OF_A_PIECE = 12

/**
 * Statements divided over as many policies as their size needs, the first of which is to be inline: a large
 * palette does not fit into one. A role takes ten managed policies, hence about 400 functions.
 */
export function divideIntoPolicies(statements: readonly Statement[]): readonly Statement[][] {
  if (fits(statements)) return [[...statements]]
  const policies: Statement[][] = []
  for (const piece of statements.flatMap(divide)) {
    const last = policies.at(-1)
    if (last !== undefined && fits([...last, piece])) last.push(piece)
    else policies.push([piece])
  }
  return policies
}

const fits = (statements: readonly Statement[]): boolean =>
  JSON.stringify(statements).length <= LARGEST_POLICY

function divide({ actions, resources }: Statement): Statement[] {
  const pieces = Math.ceil(resources.length / RESOURCES_OF_A_PIECE)
  return Array.from({ length: pieces }, (_, index) => ({
    actions,
    resources: resources.slice(index * RESOURCES_OF_A_PIECE, (index + 1) * RESOURCES_OF_A_PIECE),
  }))
}
