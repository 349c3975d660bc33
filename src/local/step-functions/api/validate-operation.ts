import * as z from 'zod'
import { checkDefinition } from '../definition/parse-machine.ts'
import { type Operation, operation } from './operation.ts'

/** Step Functions: at most 100 diagnostics, which is also what 0 means. */
const MAXIMUM_DIAGNOSTICS = 100

/**
 * ValidateStateMachineDefinition: the checks of CreateStateMachine, each finding with its place. All findings are errors: what AWS warns of
 * concerns JSONPath, so `severity` changes nothing.
 */
export function createValidateOperation(): Record<string, Operation> {
  return {
    ValidateStateMachineDefinition: operation(
      z.object({
        definition: z.string(),
        type: z.enum(['STANDARD', 'EXPRESS']).default('STANDARD'),
        severity: z.enum(['ERROR', 'WARNING']).default('ERROR'),
        maxResults: z.int().min(0).max(MAXIMUM_DIAGNOSTICS).optional(),
      }),
      ({ definition, type, maxResults }) => {
        const problems = checkDefinition(definition, type)
        const limit = maxResults || MAXIMUM_DIAGNOSTICS
        return {
          result: problems.length === 0 ? 'OK' : 'FAIL',
          diagnostics: problems.slice(0, limit).map((problem) => ({ severity: 'ERROR', ...problem })),
          truncated: problems.length > limit,
        }
      },
    ),
  }
}
