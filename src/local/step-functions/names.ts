import { ApiError } from './errors.ts'
import { MAXIMUM_NAME_LENGTH } from './limits.ts'

/** Where the stand-in pretends to be. */
export interface Place {
  /** `us-east-1` */
  readonly region: string
  /** Twelve digits. */
  readonly accountId: string
}

/** `arn:aws:states:us-east-1:000000000000:stateMachine:customer_report` */
export function stateMachineArn({ region, accountId }: Place, name: string): string {
  return `arn:aws:states:${region}:${accountId}:stateMachine:${name}`
}

/** `arn:aws:states:us-east-1:000000000000:execution:customer_report:run-1` */
export function executionArn({ region, accountId }: Place, machineName: string, name: string): string {
  return `arn:aws:states:${region}:${accountId}:execution:${machineName}:${name}`
}

/** The ARN of a version, `…:stateMachine:customer_report:3`, or of an alias, `…:stateMachine:customer_report:live`. */
export function qualifiedArn(machineArn: string, qualifier: string | number): string {
  return `${machineArn}:${qualifier}`
}

/** `arn:aws:states:us-east-1:000000000000:express:customer_report:run-1:0c1d…`: names of express executions need not be unique. */
export function expressExecutionArn(
  { region, accountId }: Place,
  machineName: string,
  name: string,
  id: string,
): string {
  return `arn:aws:states:${region}:${accountId}:express:${machineName}:${name}:${id}`
}

// Step Functions: no white space, brackets, wildcards, control characters (U+0000–001F, U+007F–009F, U+FFFE–FFFF), surrogates or any of
// "#%\^|~`$&,;:/
const FORBIDDEN = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\p{Cs}\uFFFE\uFFFF\u{10000}-\u{10FFFF}]/u

/** Throws `InvalidName` unless the name is one that Step Functions takes: 1 to 80 characters, none of the forbidden. */
export function requireName(name: string): void {
  if (name.length === 0 || name.length > MAXIMUM_NAME_LENGTH || FORBIDDEN.test(name))
    throw new ApiError('InvalidName', `Invalid Name: '${name}'`)
}

/** Throws `InvalidArn` unless the text has the form of a state machine's (also of a version or alias) or execution's ARN. */
export function requireArn(arn: string, kind: 'stateMachine' | 'execution'): void {
  const parts = arn.split(':')
  if (parts[0] !== 'arn') throw invalidArn(`Invalid ARN prefix: ${arn}`)
  if (parts[2] !== 'states' || parts.length < 7 || parts.includes('', 5))
    throw invalidArn(`Invalid ARN: ${arn}`)
  if (parts[5] !== kind) throw invalidArn(`Resource type not valid in this context: ${parts[5]}`)
  if (parts.length > 8 || (kind === 'execution' && parts.length < 8)) throw invalidArn(`Invalid ARN: ${arn}`)
}

/** What an ARN of a state machine, version or alias names. */
export type MachineReference =
  | { readonly kind: 'machine'; readonly machineArn: string }
  | { readonly kind: 'version'; readonly machineArn: string; readonly number: number }
  | { readonly kind: 'alias'; readonly machineArn: string; readonly name: string }

const VERSION_NUMBER = /^\d+$/

/** Throws `InvalidArn`. An alias's name is never digits alone, so that a version's ARN is told from an alias's. */
export function parseMachineArn(arn: string): MachineReference {
  requireArn(arn, 'stateMachine')
  const [qualifier] = arn.split(':').slice(7)
  if (qualifier === undefined) return { kind: 'machine', machineArn: arn }
  const machineArn = arn.slice(0, -qualifier.length - 1)
  if (VERSION_NUMBER.test(qualifier)) return { kind: 'version', machineArn, number: Number(qualifier) }
  return { kind: 'alias', machineArn, name: qualifier }
}

/** Throws `InvalidArn` unless the ARN names a version. */
export function parseVersionArn(arn: string): MachineReference & { readonly kind: 'version' } {
  const reference = parseMachineArn(arn)
  if (reference.kind === 'version') return reference
  throw invalidArn(`Not the ARN of a version, such as ${qualifiedArn(reference.machineArn, 1)}: ${arn}`)
}

/** Throws `InvalidArn` unless the ARN names an alias. */
export function parseAliasArn(arn: string): MachineReference & { readonly kind: 'alias' } {
  const reference = parseMachineArn(arn)
  if (reference.kind === 'alias') return reference
  throw invalidArn(`Not the ARN of an alias, such as ${qualifiedArn(reference.machineArn, 'live')}: ${arn}`)
}

function invalidArn(problem: string): ApiError {
  return new ApiError('InvalidArn', `Invalid Arn: '${problem}'`)
}
