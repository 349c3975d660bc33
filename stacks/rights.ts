import type { Plan, PlannedFunction, PlannedMachine } from '../src/compile/plan.ts'
import type { Names } from './names.ts'

/** One statement of an IAM policy; it allows. SST takes no readonly lists. */
export interface Statement {
  readonly actions: string[]
  readonly resources: string[]
}

/** The runtime reads by key and writes one item at a time; it deletes nothing and scans nothing. */
const TABLE_ACTIONS = ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:UpdateItem']
/** Its entries are what is open; only the sweep of `resume` reads it. */
export const OPEN_RUNS_INDEX = 'openRuns'

/** What the role of a function may do: what the plan says that it reaches, and what its door needs. */
export function rightsOfFunction(planned: PlannedFunction, plan: Plan, names: Names): readonly Statement[] {
  return reaching(
    allow(TABLE_ACTIONS, [names.tableArn(names.runsTable)]),
    allow(['lambda:InvokeFunction'], planned.invokes.map(names.functionArn)),
    allow(['states:StartExecution'], planned.starts.map(names.machineArn)),
    ...rightsOfDoor(planned, plan, names),
  )
}

/**
 * What the role of a machine may do: invoke the functions of its steps, and run a part of itself in executions of their
 * own (Step Functions Developer Guide, "IAM policies for using Distributed Map states").
 */
export function rightsOfMachine(
  { id, invokes, startsItself }: PlannedMachine,
  names: Names,
): readonly Statement[] {
  const own = startsItself ? [id] : []
  return reaching(
    allow(['lambda:InvokeFunction'], invokes.map(names.functionArn)),
    allow(['states:StartExecution'], own.map(names.machineArn)),
    allow(
      ['states:DescribeExecution', 'states:StopExecution'],
      own.flatMap((each) => [names.executionArns(each), names.childExecutionArns(each)]),
    ),
  )
}

function rightsOfDoor({ door, starts }: PlannedFunction, plan: Plan, names: Names): Statement[] {
  const machines = plan.machines.map(({ id }) => id)
  const split = plan.machines.filter(({ startsItself }) => startsItself).map(({ id }) => id)
  switch (door) {
    case 'tool':
    case 'lists':
      return []
    case 'turn':
    case 'doer':
      // A cancel that stopped midway is brought to its end by whoever looks at the run.
      return [allow(['states:StopExecution'], starts.map(names.executionArns))]
    case 'gateway':
      // A cancel goes down the whole tree of a run.
      return [allow(['states:StopExecution'], machines.map(names.executionArns))]
    case 'resume':
      return [
        allow(['dynamodb:Query'], [`${names.tableArn(names.runsTable)}/index/${OPEN_RUNS_INDEX}`]),
        allow(['states:DescribeExecution', 'states:StopExecution'], machines.map(names.executionArns)),
        allow(
          ['states:SendTaskSuccess', 'states:SendTaskFailure'],
          [...machines.map(names.machineArn), ...split.map(names.childMachineArns)],
        ),
      ]
  }
}

const allow = (actions: readonly string[], resources: readonly string[]): Statement => ({
  actions: [...actions],
  resources: [...resources],
})

/** A statement about nothing is an error in IAM. */
const reaching = (...statements: readonly Statement[]): readonly Statement[] =>
  statements.filter(({ resources }) => resources.length > 0)
