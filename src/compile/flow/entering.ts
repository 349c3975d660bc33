import type { Template } from '../asl.ts'
import type { Own } from './flow.ts'

/** What the first state of a flow has in its input and must keep for those after it. */
export interface Entering {
  readonly own: Own
  readonly assign: Readonly<Record<string, Template>>
}

export const NOTHING_ENTERS: Entering = { own: [], assign: {} }
