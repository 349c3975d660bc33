import type { Place } from '../compile/plan.ts'
import type { Callable } from '../core/callable.ts'

const FOLDERS = { tool: 'tools', thinker: 'thinkers', doer: 'doers' } as const

/**
 * Where a definition belongs: `order_status` is the export `orderStatus` of
 * `functions/tools/order-status.ts`.
 */
export function conventionalPlace({ kind, name }: Pick<Callable, 'kind' | 'name'>): Place {
  return {
    name,
    file: `functions/${FOLDERS[kind]}/${name.replaceAll('_', '-')}.ts`,
    export: name.replaceAll(/_+([a-z0-9]?)/g, (_match, letter: string) => letter.toUpperCase()),
  }
}
