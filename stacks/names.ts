import { functionName, machineName } from '../src/core/function-name.ts'

/** Whose names begin with what, and where: `{ prefix: 'turnwise-dev', partition: 'aws', … }`. */
export interface Deployment {
  readonly prefix: string
  readonly partition: string
  readonly region: string
  readonly accountId: string
}

/**
 * The names and ARNs of one deployment, computed from ids of the plan, so that no resource has to wait for
 * another to be named.
 */
export interface Names {
  readonly prefix: string
  readonly runsTable: string
  /** The example's. */
  readonly ordersTable: string
  /** `arn:aws:states:us-east-1:123456789012:` */
  readonly statesArn: string
  functionName(id: string): string
  functionArn(id: string): string
  machineName(id: string): string
  machineArn(id: string): string
  /** A role is the whole account's, hence the region in it. */
  machineRoleName(id: string): string
  /** Every execution of a machine. */
  executionArns(id: string): string
  /** What the executions that a distributed Map of a machine starts are executions of: `…:stateMachine:shop-report/MAP`. */
  childMachineArns(id: string): string
  /** Those: `…:execution:shop-report/MAP:ID`. */
  childExecutionArns(id: string): string
  tableArn(table: string): string
}

export function createNames({ prefix, partition, region, accountId }: Deployment): Names {
  const arn = (service: string, rest: string) => `arn:${partition}:${service}:${region}:${accountId}:${rest}`
  return {
    prefix,
    runsTable: `${prefix}-runs`,
    ordersTable: `${prefix}-orders`,
    statesArn: arn('states', ''),
    functionName: (id) => functionName(prefix, id),
    functionArn: (id) => arn('lambda', `function:${functionName(prefix, id)}`),
    machineName: (id) => machineName(prefix, id),
    machineArn: (id) => arn('states', `stateMachine:${machineName(prefix, id)}`),
    // IAM: a role's name has at most 64 characters, as a function's.
    machineRoleName: (id) => functionName(prefix, `machine-${id}-${region}`),
    executionArns: (id) => arn('states', `execution:${machineName(prefix, id)}:*`),
    childMachineArns: (id) => arn('states', `stateMachine:${machineName(prefix, id)}/*`),
    childExecutionArns: (id) => arn('states', `execution:${machineName(prefix, id)}/*`),
    tableArn: (table) => arn('dynamodb', `table/${table}`),
  }
}
