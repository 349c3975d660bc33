import { describe, expect, it } from 'vitest'
import { compilePlan } from '../../src/compile/compile-plan.ts'
import { createRegistry } from '../../src/core/registry.ts'
import { LOCAL_PREFIX, LOCAL_STATES_ARN, RUNS_TABLE } from '../../src/local/stack/environment.ts'
import { OPEN_RUNS_INDEX as INDEX_OF_STORE } from '../../src/store/dynamo-table.ts'
import { createNames } from '../../stacks/names.ts'
import { OPEN_RUNS_INDEX, rightsOfFunction } from '../../stacks/rights.ts'
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

describe('the names of a deployment', () => {
  it('are made as those of the local stack, so that the same code finds the same things', () => {
    expect(names.runsTable).toBe(RUNS_TABLE)
    expect(names.statesArn).toBe(LOCAL_STATES_ARN)
    expect(OPEN_RUNS_INDEX).toBe(INDEX_OF_STORE)
  })
})
