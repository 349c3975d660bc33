import * as z from 'zod'

const tokenParts = z.tuple([z.string(), z.int().min(0), z.string()])

/** Where a token belongs. */
export interface TaskToken {
  readonly executionArn: string
  readonly threadId: number
}

/** A token that nobody guesses, and that says where it belongs without being looked up. */
export function createTaskToken({ executionArn, threadId }: TaskToken, secret: string): string {
  return Buffer.from(JSON.stringify([executionArn, threadId, secret])).toString('base64url')
}

/** Undefined for a text that is no token. */
export function parseTaskToken(token: string): TaskToken | undefined {
  try {
    const [executionArn, threadId] = tokenParts.parse(JSON.parse(Buffer.from(token, 'base64url').toString()))
    return { executionArn, threadId }
  } catch {
    return undefined
  }
}
