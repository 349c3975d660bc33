import * as z from 'zod'
import type { Doer } from '../core/doer.ts'
import { refuse } from '../core/step-names.ts'

/** Kinds of schemas that give something else than they are given. */
const CHANGING = new Set(['default', 'prefault', 'catch', 'pipe', 'transform'])

/**
 * Nothing parses what a doer gives, which its machine puts together: its callers get it as it is. Throws `DefinitionError` for an output
 * schema that may change it, such as one with a default. That an object may have fields beside those of its schema is not looked at.
 */
export function requireGivenOutput({ name, output }: Doer): void {
  z.toJSONSchema(output, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, path }) => {
      if (!changes(zodSchema)) return
      const where = ['output', ...path.filter((part) => part !== 'properties')].join('.')
      refuse(
        name,
        'the result',
        `its ${where} may be changed by its schema (a default, a transform, coercion or the like); what a plan gives is given on as it is`,
      )
    },
  })
}

function changes({ _zod: { def } }: z.core.$ZodTypes): boolean {
  const isCoerced = 'coerce' in def && def.coerce === true
  return CHANGING.has(def.type) || isCoerced || (def.checks ?? []).some(isOverwrite)
}

/** Such as `trim()`. */
const isOverwrite = ({ _zod: { def } }: z.core.$ZodCheck<never>): boolean => def.check === 'overwrite'
