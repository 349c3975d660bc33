import type * as z from 'zod'
import { ApiError } from '../errors.ts'
import { MAXIMUM_DEFINITION_BYTES, MAXIMUM_NAME_LENGTH } from '../limits.ts'
import { checkExpress } from './check-express.ts'
import { checkExpressions } from './check-expressions.ts'
import { checkState } from './check-state.ts'
import { checkTransitions } from './check-transitions.ts'
import { checkVariables } from './check-variables.ts'
import { jsonPathFields } from './json-path-fields.ts'
import type { Branch, Machine, MachineType, State } from './machine.ts'
import type { Report } from './report.ts'
import {
  branchFields,
  machineFields,
  processorFields,
  type StateFields,
  stateFields,
} from './state-fields.ts'

type QueryLanguage = 'JSONata' | 'JSONPath'

/** What is wrong with a definition: `{ code: 'MISSING_TRANSITION_TARGET', message: "Missing 'Next' target: x", location: '/States/a' }`. */
export interface Problem {
  readonly code: string
  readonly message: string
  /** A path of fields; undefined when the text could not be read. */
  readonly location?: string
}

/** Reads a definition and checks it as CreateStateMachine does. Throws `InvalidDefinition` naming every problem with its place. */
export function parseMachine(definition: string, type: MachineType = 'STANDARD'): Machine {
  const { machine, problems } = readDefinition(definition, type)
  if (machine !== undefined) return machine
  const text = problems.map(
    ({ code, message, location }) => `${code}: ${message}${location === undefined ? '' : ` at ${location}`}`,
  )
  throw new ApiError('InvalidDefinition', `Invalid State Machine Definition: '${text.join(', ')}'`)
}

/** Everything for which `parseMachine` would refuse a definition, in order of place; none for one that it takes. */
export function checkDefinition(definition: string, type: MachineType): readonly Problem[] {
  return readDefinition(definition, type).problems
}

const CODE = /^([A-Z_]+): /
const DEFAULT_CODE = 'SCHEMA_VALIDATION_FAILED'

function readDefinition(
  definition: string,
  type: MachineType,
): { readonly machine?: Machine; readonly problems: readonly Problem[] } {
  const unreadable = findUnreadable(definition)
  if (unreadable !== undefined) return { problems: [unreadable] }
  const problems: Problem[] = []
  const report: Report = (problem, path) => {
    const code = CODE.exec(problem)?.[1] ?? DEFAULT_CODE
    problems.push({ code, message: problem.replace(CODE, ''), location: path === '' ? '/' : path })
  }
  const raw: unknown = JSON.parse(definition)
  const fields = parseFields(machineFields, raw, '', report)
  if (fields === undefined) return { problems }
  const statesByName = new Map<string, State>()
  const branch = readBranch(fields, '', {
    language: fields.QueryLanguage ?? 'JSONPath',
    statesByName,
    report,
  })
  checkVariables(branch, '', report)
  if (type === 'EXPRESS') checkExpress(branch, '', report)
  if (problems.length > 0) return { problems }
  return { machine: { ...branch, timeoutSeconds: fields.TimeoutSeconds, statesByName }, problems }
}

function findUnreadable(definition: string): Problem | undefined {
  if (definition === '') return { code: DEFAULT_CODE, message: 'Definition must be a valid JSON object' }
  if (Buffer.byteLength(definition) > MAXIMUM_DEFINITION_BYTES)
    return {
      code: DEFAULT_CODE,
      message: `The definition is larger than ${MAXIMUM_DEFINITION_BYTES} bytes`,
    }
  try {
    JSON.parse(definition)
    return undefined
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { code: 'INVALID_JSON_DESCRIPTION', message: `The definition is not JSON: ${problem}` }
  }
}

/** What holds for the whole of a definition while it is read. */
interface Reading {
  /** Of the machine: states have it unless they say otherwise, at any depth. */
  readonly language: QueryLanguage
  readonly statesByName: Map<string, State>
  readonly report: Report
}

type BranchFields = z.output<typeof processorFields>

function readBranch(fields: BranchFields, path: string, reading: Reading): Branch {
  const { StartAt, States, ProcessorConfig } = fields
  const states = Object.entries(States).flatMap(([name, rawState]) =>
    readState(name, rawState, `${path}/States/${name}`, reading),
  )
  const branch = { startAt: StartAt, states, isDistributed: ProcessorConfig?.Mode === 'DISTRIBUTED' }
  if (states.length === Object.keys(States).length) checkTransitions(branch, path, reading.report)
  return branch
}

function readState(name: string, raw: unknown, path: string, reading: Reading): State[] {
  const { statesByName, report } = reading
  const jsonPath = jsonPathFields(raw)
  for (const field of jsonPath)
    report(
      `${field} is a JSONPath field; this stand-in runs JSONata: set QueryLanguage and use Arguments and Output`,
      path,
    )
  if (jsonPath.length > 0) return []
  const fields = parseFields(stateFields, raw, path, report)
  if (fields === undefined) return []
  if (name.length > MAXIMUM_NAME_LENGTH)
    report(`The name has more than ${MAXIMUM_NAME_LENGTH} characters`, path)
  if (statesByName.has(name)) report(`Another state is also named "${name}"`, path)
  const language = fields.QueryLanguage ?? reading.language
  if (reading.language === 'JSONata' && language === 'JSONPath')
    report("'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine", path)
  const branches = readNested(fields, path, reading)
  const state: State = { ...fields, name, usesJsonata: language === 'JSONata', branches }
  statesByName.set(name, state)
  checkState(state, path, report)
  checkExpressions(state, path, report)
  return [state]
}

function readNested(fields: StateFields, path: string, reading: Reading): Branch[] {
  const read = <T extends BranchFields>(schema: z.ZodType<T>, raw: unknown, place: string) => {
    const branch = parseFields(schema, raw, place, reading.report)
    return branch === undefined ? [] : [readBranch(branch, place, reading)]
  }
  if (fields.Type === 'Parallel')
    return fields.Branches.flatMap((raw, index) => read(branchFields, raw, `${path}/Branches[${index}]`))
  if (fields.Type !== 'Map') return []
  const { ItemProcessor, Iterator } = fields
  if (ItemProcessor !== undefined && Iterator !== undefined)
    reading.report('A Map has either ItemProcessor or Iterator, which is its older name', path)
  if (ItemProcessor !== undefined) return read(processorFields, ItemProcessor, `${path}/ItemProcessor`)
  if (Iterator !== undefined) return read(processorFields, Iterator, `${path}/Iterator`)
  reading.report('These fields are required: [ItemProcessor]', path)
  return []
}

/** Undefined, and what is wrong reported, when the fields are not those of the schema. */
function parseFields<T>(schema: z.ZodType<T>, raw: unknown, path: string, report: Report): T | undefined {
  const fields = schema.safeParse(raw)
  if (!fields.success) reportIssues(fields.error, path, report)
  return fields.data
}

function reportIssues(error: z.ZodError, path: string, report: Report): void {
  const missing = new Map<string, string[]>()
  for (const issue of error.issues) {
    if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
      const parent = placeOf(path, issue.path.slice(0, -1))
      missing.set(parent, [...(missing.get(parent) ?? []), String(issue.path.at(-1))])
    } else report(messageOf(issue), placeOf(path, issue.path))
  }
  for (const [parent, names] of missing) report(`These fields are required: [${names.join(', ')}]`, parent)
}

/** What is wrong with a key is said inside the issue. */
function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
}

function placeOf(path: string, keys: readonly PropertyKey[]): string {
  return path + keys.map((key) => (typeof key === 'number' ? `[${key}]` : `/${String(key)}`)).join('')
}
