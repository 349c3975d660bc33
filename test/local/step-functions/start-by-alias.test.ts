import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateStateMachineAliasCommand,
  CreateStateMachineCommand,
  StateMachineDoesNotExist,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn'
import { expect, it } from 'vitest'
import { resolveMachine } from '../../../src/local/step-functions/api/require-machine.ts'
import { createMachineStore } from '../../../src/local/step-functions/store/machine-store.ts'
import { openDatabase } from '../../../src/local/step-functions/store/open-database.ts'
import { passing, ROLE_ARN, type Stage, setStage } from './stage.ts'

/** A machine with the versions 1, which gives "one", and 2, which gives "two", and an alias of both. */
async function createAlias({ client }: Stage, weights: readonly [number, number]): Promise<string> {
  const machine = { name: 'm', definition: passing('one'), roleArn: ROLE_ARN, publish: true }
  const { stateMachineArn = '' } = await client.send(new CreateStateMachineCommand(machine))
  const change = { stateMachineArn, definition: passing('two'), publish: true }
  await client.send(new UpdateStateMachineCommand(change))
  const routingConfiguration = weights.map((weight, index) => ({
    stateMachineVersionArn: `${stateMachineArn}:${index + 1}`,
    weight,
  }))
  await client.send(new CreateStateMachineAliasCommand({ name: 'live', routingConfiguration }))
  return stateMachineArn
}

it('runs the version that an alias leads to', async () => {
  await using stage = await setStage()
  const arn = await createAlias(stage, [100, 0])
  expect((await stage.ended(await stage.start(`${arn}:live`))).output).toBe('"one"')
  await expect(stage.start(`${arn}:gone`)).rejects.toThrow(StateMachineDoesNotExist)
})

it('chooses between the versions of an alias by weight', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-step-functions-'))
  let arn: string
  {
    await using stage = await setStage(undefined, { directory })
    arn = await createAlias(stage, [90, 10])
  }
  const database = openDatabase(directory)
  const machines = createMachineStore(database)
  const chosen = [0, 0.899, 0.9, 0.999].map((number) => {
    const { machine, ...arns } = resolveMachine(machines, `${arn}:live`, () => number)
    return { arn: machine.arn, definition: machine.definition, ...arns }
  })
  database.close()
  const version = (number: number, output: string) => ({
    arn,
    definition: passing(output),
    stateMachineVersionArn: `${arn}:${number}`,
    stateMachineAliasArn: `${arn}:live`,
  })
  const [one, two] = [version(1, 'one'), version(2, 'two')]
  expect(chosen).toEqual([one, one, two, two])
  rmSync(directory, { recursive: true })
})
