/** What a Task calls, from its `Resource`. */
export type Resource =
  | { readonly kind: 'lambda-invoke'; readonly waitsForToken: boolean }
  /** A function's ARN itself: the payload is the result, without AWS's envelope. */
  | { readonly kind: 'lambda-function'; readonly arn: string }

const FUNCTION_ARN = /^arn:aws[\w-]*:lambda:[\w-]*:\d*:function:.+$/

/** Undefined for a resource that the stand-in cannot call. */
export function parseResource(resource: string): Resource | undefined {
  switch (resource) {
    case 'arn:aws:states:::lambda:invoke':
      return { kind: 'lambda-invoke', waitsForToken: false }
    case 'arn:aws:states:::lambda:invoke.waitForTaskToken':
      return { kind: 'lambda-invoke', waitsForToken: true }
    default:
      return FUNCTION_ARN.test(resource) ? { kind: 'lambda-function', arn: resource } : undefined
  }
}
