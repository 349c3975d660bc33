import type { Plan, PlannedFunction } from '../src/compile/plan.ts'
import { attachPolicies, trust } from './attach-policies.ts'
import type { createEnvironment } from './environment.ts'
import type { Names } from './names.ts'
import type { Orders } from './orders.ts'
import { rightsOfFunction } from './rights.ts'

export interface FunctionsOptions {
  readonly plan: Plan
  readonly names: Names
  readonly environmentOf: ReturnType<typeof createEnvironment>
  readonly orders: Orders
}

/** One Lambda function, with a role of its own, for each that is planned; by id. */
export function createFunctions(options: FunctionsOptions): ReadonlyMap<string, sst.aws.Function> {
  const { functions } = options.plan
  const isDestination = ({ id }: PlannedFunction) =>
    functions.some(({ asynchronous }) => asynchronous.onFailure === id)
  // A destination has to be there when it is set, so those that are one come first.
  const [first, rest] = [functions.filter(isDestination), functions.filter((each) => !isDestination(each))]
  const created = new Map<string, sst.aws.Function>()
  for (const planned of [...first, ...rest])
    created.set(planned.id, createFunction(planned, options, created))
  return created
}

function createFunction(
  planned: PlannedFunction,
  { plan, names, environmentOf, orders }: FunctionsOptions,
  earlier: ReadonlyMap<string, sst.aws.Function>,
) {
  const { id, asynchronous } = planned
  const { inline, managed } = attachPolicies(id, [
    ...rightsOfFunction(planned, plan, names),
    ...orders.rightsOf(planned),
  ])
  const created = new sst.aws.Function(id, {
    name: names.functionName(id),
    handler: planned.entry.replace(/\.ts$/, '.handler'),
    runtime: 'nodejs24.x',
    architecture: 'arm64',
    timeout: `${planned.timeoutSeconds} seconds`,
    memory: `${planned.memoryMb} MB`,
    environment: { ...environmentOf(planned), ...orders.environmentOf(planned) },
    permissions: inline,
    policies: $resolve(managed),
    nodejs: { minify: true, splitting: true },
    logging: { format: 'json', retention: '1 month' },
    // Also in `sst dev` it runs on Lambda: the local stack is for work on this machine.
    dev: false,
    retries: asynchronous.retries,
    transform: {
      // SST lets the whole account assume the role, too.
      role: { assumeRolePolicy: trust('lambda.amazonaws.com') },
      eventInvokeConfig: configureEvents(planned, names, earlier),
    },
  })
  // Lambda would stop a chain of some 16 invocations; the runtime has limits of its own.
  new aws.lambda.FunctionRecursionConfig(`${id}-recursion`, {
    functionName: created.name,
    recursiveLoop: 'Allow',
  })
  return created
}

/** What Lambda does with an asynchronous invocation that fails. */
function configureEvents(
  { asynchronous: { maximumEventAgeSeconds, onFailure } }: PlannedFunction,
  names: Names,
  earlier: ReadonlyMap<string, sst.aws.Function>,
) {
  return (
    config: aws.lambda.FunctionEventInvokeConfigArgs,
    resource: $util.CustomResourceOptions,
  ): undefined => {
    config.maximumEventAgeInSeconds = maximumEventAgeSeconds
    if (onFailure === undefined) return
    // By its computed name: functions that may invoke each other would be a cycle of references.
    config.destinationConfig = { onFailure: { destination: names.functionArn(onFailure) } }
    resource.dependsOn = earlier.get(onFailure)
  }
}
