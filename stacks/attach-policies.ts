import { divideIntoPolicies } from './policies.ts'
import type { Statement } from './rights.ts'

/** What a role is given: statements of its own, and the ARNs of managed policies made for it alone. */
export function attachPolicies(owner: string, statements: readonly Statement[]) {
  const [inline = [], ...others] = divideIntoPolicies(statements)
  const managed = others.map(
    (own, index) => new aws.iam.Policy(`${owner}-policy-${index + 1}`, { policy: policyDocument(own) }).arn,
  )
  return { inline, managed }
}

export function policyDocument(statements: readonly Statement[]) {
  return aws.iam.getPolicyDocumentOutput({ statements: [...statements] }).json
}

/** Only this service may assume the role. */
export function trust(service: string) {
  return aws.iam.assumeRolePolicyForPrincipal({ Service: service })
}
