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

// Step Functions: no white space, brackets, wildcards, control characters (U+0000–001F, U+007F–009F, U+FFFE–FFFF) or any of "#%\^|~`$&,;:/
const FORBIDDEN = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\uFFFE\uFFFF]/u

/** Throws `InvalidName` unless the name is one that Step Functions takes: 1 to 80 characters, none of the forbidden. */
export function requireName(name: string): void {
  if (name.length === 0 || name.length > MAXIMUM_NAME_LENGTH || FORBIDDEN.test(name))
    throw new ApiError('InvalidName', `Invalid Name: '${name}'`)
}

/** Throws `InvalidArn` unless the text has the form of a state machine's or execution's ARN. */
export function requireArn(arn: string, kind: 'stateMachine' | 'execution'): void {
  const parts = arn.split(':')
  const expected = kind === 'stateMachine' ? 7 : 8
  if (parts[0] !== 'arn' || parts[2] !== 'states' || parts[5] !== kind || parts.length !== expected)
    throw new ApiError('InvalidArn', `Invalid Arn: 'Invalid ARN: ${arn}'`)
}
