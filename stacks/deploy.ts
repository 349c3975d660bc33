import { createEnvironment } from './environment.ts'
import { createEvents } from './events.ts'
import { createFunctions } from './functions.ts'
import { createGateway } from './gateway.ts'
import { createMachines } from './machines.ts'
import { createNames } from './names.ts'
import { createOrders } from './orders.ts'
import { writePlan } from './plan.ts'
import { createRunsTable } from './storage.ts'

/** All that `sst deploy` makes, which is what the plan says; answers the outputs of the deployment. */
export async function deploy() {
  const plan = writePlan($cli.paths.root)
  const [{ partition }, { region }, { accountId }] = await Promise.all([
    aws.getPartition(),
    aws.getRegion(),
    aws.getCallerIdentity(),
  ])
  const names = createNames({ prefix: `${$app.name}-${$app.stage}`, partition, region, accountId })

  createRunsTable(names)
  const functions = createFunctions({
    plan,
    names,
    environmentOf: createEnvironment(names),
    orders: createOrders(names),
  })
  const resume = functions.get('resume')
  const gateway = functions.get('gateway')
  if (!resume || !gateway) throw new Error('The plan has no function "resume" or no function "gateway"')
  createMachines(plan, names)
  createEvents(names, resume)
  return { gateway: createGateway(gateway).functionUrl, prefix: names.prefix }
}
