import type { Plan, PlannedMachine } from '../src/compile/plan.ts'
import { renderMachine } from '../src/compile/render-machine.ts'
import { attachPolicies, policyDocument, trust } from './attach-policies.ts'
import type { Names } from './names.ts'
import { rightsOfMachine } from './rights.ts'

/** One state machine, with a role of its own, for each that is planned. */
export function createMachines({ machines }: Plan, names: Names): void {
  for (const planned of machines) createMachine(planned, names)
}

function createMachine(planned: PlannedMachine, names: Names): void {
  const { id, definition } = planned
  const { inline, managed } = attachPolicies(`machine-${id}`, rightsOfMachine(planned, names))
  const role = new aws.iam.Role(`machine-${id}-role`, {
    name: names.machineRoleName(id),
    assumeRolePolicy: trust('states.amazonaws.com'),
    inlinePolicies: [{ name: 'steps', policy: policyDocument(inline) }],
    managedPolicyArns: managed,
  })
  new aws.sfn.StateMachine(`machine-${id}`, {
    name: names.machineName(id),
    type: 'STANDARD',
    roleArn: role.arn,
    definition: JSON.stringify(renderMachine(definition, { prefix: names.prefix })),
  })
}
