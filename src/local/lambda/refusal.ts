import type { ThrottleReason } from '@aws-sdk/client-lambda'

/** An exception of Lambda's API in the place of an invocation: the function did not run. */
export interface Refusal {
  readonly kind: 'refused'
  /** Its name, as the SDK's class has it: `TooManyRequestsException`. */
  readonly exception: string
  /** Of HTTP. */
  readonly status: number
  readonly message: string
  /** Of a TooManyRequestsException. */
  readonly reason?: ThrottleReason
}

export function refusal(status: number, exception: string, message: string): Refusal {
  return { kind: 'refused', exception, status, message }
}

/** Too much runs at once; recorded from AWS by LocalStack's tests of reserved concurrency. */
export function throttled(reason: ThrottleReason): Refusal {
  return { ...refusal(429, 'TooManyRequestsException', 'Rate Exceeded.'), reason }
}

export function functionNotFound(arn: string): Refusal {
  return refusal(404, 'ResourceNotFoundException', `Function not found: ${arn}`)
}

/** The wording is the stand-in's: AWS documents the exception and its status alone. */
export function recursiveInvocation(arn: string, maximum: number): Refusal {
  const message = `${arn} was invoked more than ${maximum} times in one chain of requests; set its recursiveLoop to Allow where that is meant`
  return refusal(400, 'RecursiveInvocationException', message)
}
