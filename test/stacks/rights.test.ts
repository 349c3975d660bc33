import { describe, expect, it } from 'vitest'
import { compilePlan } from '../../src/compile/compile-plan.ts'
import type { PlannedMachine } from '../../src/compile/plan.ts'
import { createRegistry } from '../../src/core/registry.ts'
import { LOCAL_PREFIX, LOCAL_STATES_ARN, RUNS_TABLE } from '../../src/local/stack/environment.ts'
import { OPEN_RUNS_INDEX as INDEX_OF_STORE } from '../../src/store/dynamo-table.ts'
import { createNames } from '../../stacks/names.ts'
import { OPEN_RUNS_INDEX, rightsOfFunction, rightsOfMachine } from '../../stacks/rights.ts'
import { agents } from '../fixtures/palettes/functions/agents.ts'

const names = createNames({
  prefix: LOCAL_PREFIX,
  partition: 'aws',
  region: 'us-east-1',
  accountId: '000000000000',
})
const registry = createRegistry(agents)
const plan = compilePlan(
  registry,
  new Map(registry.all.map(({ definition: { name } }) => [name, { name, file: `${name}.ts`, export: name }])),
)

describe('W4 rights of a role', () => {
  it.each(plan.functions)('$id invokes what the plan says, deletes nothing and scans nothing', (planned) => {
    const statements = rightsOfFunction(planned, plan, names)
    const invoking = statements.filter(({ actions }) => actions.includes('lambda:InvokeFunction'))
    expect(invoking.flatMap(({ resources }) => resources)).toEqual(planned.invokes.map(names.functionArn))
    expect(statements.flatMap(({ actions }) => actions).join()).not.toMatch(/\*|Delete|Scan|Batch/)
  })

  it('none is about nothing, which IAM refuses: there is no doer here', () => {
    const all = plan.functions.flatMap((planned) => rightsOfFunction(planned, plan, names))
    expect(all.filter(({ resources }) => resources.length === 0)).toEqual([])
    expect(all.flatMap(({ actions }) => actions).filter((action) => action.startsWith('states:'))).toEqual([])
  })
})

describe('W5 rights of a machine', () => {
  const invoking = { actions: ['lambda:InvokeFunction'], resources: [names.functionArn('resume')] }
  const machine = (startsItself: boolean): PlannedMachine => ({
    id: 'report',
    definition: { Comment: 'c', QueryLanguage: 'JSONata', StartAt: 'x', States: {} },
    invokes: ['resume'],
    startsItself,
    worst: {
      states: 1,
      transitions: 1,
      dollars: 0,
      events: 4,
      unboundedPayloads: [],
      split: [],
      assumptions: [],
    },
  })
  const states = (rest: string) => `arn:aws:states:us-east-1:000000000000:${rest}`

  it('are those of its steps alone where it runs in one execution', () => {
    expect(rightsOfMachine(machine(false), names)).toEqual([invoking])
  })

  it('let one that is split start itself, and look after what it started', () => {
    expect(rightsOfMachine(machine(true), names)).toEqual([
      invoking,
      { actions: ['states:StartExecution'], resources: [states(`stateMachine:${LOCAL_PREFIX}-report`)] },
      {
        actions: ['states:DescribeExecution', 'states:StopExecution'],
        resources: [
          states(`execution:${LOCAL_PREFIX}-report:*`),
          states(`execution:${LOCAL_PREFIX}-report/*`),
        ],
      },
    ])
  })

  it('let resume answer tokens of the executions that it started', () => {
    const [resume] = plan.functions.filter(({ id }) => id === 'resume')
    const split = { ...plan, machines: [machine(true)] }
    const statements = resume === undefined ? [] : rightsOfFunction(resume, split, names)
    expect(statements.find(({ actions }) => actions.includes('states:SendTaskSuccess'))?.resources).toEqual([
      states(`stateMachine:${LOCAL_PREFIX}-report`),
      states(`stateMachine:${LOCAL_PREFIX}-report/*`),
    ])
  })
})

describe('the names of a deployment', () => {
  it('are made as those of the local stack, so that the same code finds the same things', () => {
    expect(names.runsTable).toBe(RUNS_TABLE)
    expect(names.statesArn).toBe(LOCAL_STATES_ARN)
    expect(OPEN_RUNS_INDEX).toBe(INDEX_OF_STORE)
  })
})
