import type * as z from 'zod'
import { ApiError } from '../errors.ts'
import { MAXIMUM_DEFINITION_BYTES, MAXIMUM_NAME_LENGTH } from '../limits.ts'
import { checkExpressions } from './check-expressions.ts'
import { checkState } from './check-state.ts'
import { checkTransitions } from './check-transitions.ts'
import { jsonPathFields } from './json-path-fields.ts'
import type { Branch, Machine, State } from './machine.ts'
import type { Report } from './report.ts'
import { branchFields, type StateFields, stateFields } from './state-fields.ts'

type QueryLanguage = 'JSONata' | 'JSONPath'

/** Reads a definition and checks it as CreateStateMachine does. Throws `InvalidDefinition` naming every problem with its place. */
export function parseMachine(definition: string): Machine {
  const problems: string[] = []
  const report: Report = (problem, path) => problems.push(`${problem} at ${path === '' ? '/' : path}`)
  const raw = parseJson(definition)
  const statesByName = new Map<string, State>()
  const branch = readBranch(raw, '', 'JSONPath', statesByName, report)
  if (problems.length > 0) throw invalid(problems.join(', '))
  const { TimeoutSeconds } = branchFields.parse(raw)
  return { ...branch, timeoutSeconds: TimeoutSeconds, statesByName }
}

function parseJson(definition: string): unknown {
  if (Buffer.byteLength(definition) > MAXIMUM_DEFINITION_BYTES)
    throw invalid(`The definition is larger than ${MAXIMUM_DEFINITION_BYTES} bytes`)
  try {
    return JSON.parse(definition)
  } catch (error) {
    throw invalid(`The definition is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function invalid(problem: string): ApiError {
  return new ApiError(
    'InvalidDefinition',
    `Invalid State Machine Definition: 'SCHEMA_VALIDATION_FAILED: ${problem}'`,
  )
}

function readBranch(
  raw: unknown,
  path: string,
  inherited: QueryLanguage,
  statesByName: Map<string, State>,
  report: Report,
): Branch {
  const fields = branchFields.safeParse(raw)
  if (!fields.success) {
    reportIssues(fields.error, path, report)
    return { startAt: '', states: [] }
  }
  const { StartAt, States, ProcessorConfig } = fields.data
  if (ProcessorConfig?.Mode === 'DISTRIBUTED')
    report('Mode DISTRIBUTED is not supported by this stand-in; use INLINE', `${path}/ProcessorConfig`)
  const language = fields.data.QueryLanguage ?? inherited
  const states = Object.entries(States).flatMap(([name, rawState]) =>
    readState(name, rawState, `${path}/States/${name}`, language, statesByName, report),
  )
  const branch = { startAt: StartAt, states }
  if (states.length === Object.keys(States).length) checkTransitions(branch, path, report)
  return branch
}

function readState(
  name: string,
  raw: unknown,
  path: string,
  inherited: QueryLanguage,
  statesByName: Map<string, State>,
  report: Report,
): State[] {
  const jsonPath = jsonPathFields(raw)
  for (const field of jsonPath)
    report(
      `${field} is a JSONPath field; this stand-in runs JSONata: set QueryLanguage and use Arguments and Output`,
      path,
    )
  if (jsonPath.length > 0) return []
  const fields = stateFields.safeParse(raw)
  if (!fields.success) {
    reportIssues(fields.error, path, report)
    return []
  }
  if (name.length > MAXIMUM_NAME_LENGTH)
    report(`The name has more than ${MAXIMUM_NAME_LENGTH} characters`, path)
  if (statesByName.has(name)) report(`Another state is also named "${name}"`, path)
  const language = fields.data.QueryLanguage ?? inherited
  const branches = nestedBranches(fields.data, path, report).map(([rawBranch, branchPath]) =>
    readBranch(rawBranch, branchPath, language, statesByName, report),
  )
  const state: State = { ...fields.data, name, usesJsonata: language === 'JSONata', branches }
  statesByName.set(name, state)
  checkState(state, path, report)
  checkExpressions(state, path, report)
  return [state]
}

function nestedBranches(fields: StateFields, path: string, report: Report): [unknown, string][] {
  if (fields.Type === 'Parallel')
    return fields.Branches.map((raw, index) => [raw, `${path}/Branches[${index}]`])
  if (fields.Type !== 'Map') return []
  const { ItemProcessor, Iterator } = fields
  if (ItemProcessor !== undefined) return [[ItemProcessor, `${path}/ItemProcessor`]]
  if (Iterator !== undefined) return [[Iterator, `${path}/Iterator`]]
  report('These fields are required: [ItemProcessor]', path)
  return []
}

function reportIssues(error: z.ZodError, path: string, report: Report): void {
  for (const issue of error.issues) {
    const place = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `/${String(key)}`)).join('')
    report(issue.message, path + place)
  }
}
