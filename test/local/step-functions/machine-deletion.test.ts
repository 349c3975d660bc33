import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeStateMachineCommand,
  InvalidArn,
  ListStateMachinesCommand,
  StateMachineDeleting,
  StateMachineDoesNotExist,
  UpdateStateMachineCommand,
  ValidationException,
} from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { ROLE_ARN, type Stage, setStage } from './stage.ts'

const definition = JSON.stringify({ StartAt: 'a', States: { a: { Type: 'Succeed' } } })
const create = ({ client }: Stage) =>
  client.send(new CreateStateMachineCommand({ name: 'm', definition, roleArn: ROLE_ARN }))
const update = ({ client }: Stage, stateMachineArn: string) =>
  client.send(new UpdateStateMachineCommand({ stateMachineArn, definition }))
const remove = ({ client }: Stage, stateMachineArn: string) =>
  client.send(new DeleteStateMachineCommand({ stateMachineArn }))
const describeMachine = ({ client }: Stage, stateMachineArn: string) =>
  client.send(new DescribeStateMachineCommand({ stateMachineArn }))

describe('DeleteStateMachine', () => {
  it('removes a machine of which nothing runs at once, and is content with one that is not there', async () => {
    await using stage = await setStage()
    const { stateMachineArn: arn = '' } = await create(stage)
    await remove(stage, arn)
    await expect(describeMachine(stage, arn)).rejects.toThrow(StateMachineDoesNotExist)
    expect((await stage.client.send(new ListStateMachinesCommand({}))).stateMachines).toEqual([])
    await remove(stage, arn)
    await expect(remove(stage, `${arn}:1`)).rejects.toThrow(ValidationException)
    await expect(remove(stage, arn.replace('stateMachine', 'activity'))).rejects.toThrow(InvalidArn)
  })

  it('ends what runs at its next transition, DELETING until then, and starts and changes nothing more', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    const wait = { Type: 'Wait', Seconds: 60, Next: 'never' }
    const never = { Type: 'Pass', End: true }
    const arn = await stage.create('m', { StartAt: 'wait', States: { wait, never } })
    const running = await stage.start(arn)
    await clock.untilPending(1)
    await remove(stage, arn)
    expect((await describeMachine(stage, arn)).status).toBe('DELETING')
    const deleting = `State Machine is being deleted: '${arn}'`
    for (const request of [() => stage.start(arn), () => update(stage, arn), () => create(stage)]) {
      const refused = request()
      await expect(refused).rejects.toThrow(StateMachineDeleting)
      await expect(refused).rejects.toThrow(deleting)
    }
    clock.advance(60_000)
    expect((await stage.ended(running)).status).toBe('ABORTED')
    expect(await stage.types(running)).not.toContain('PassStateEntered')
    await expect(describeMachine(stage, arn)).rejects.toThrow(StateMachineDoesNotExist)
    expect((await create(stage)).stateMachineArn).toBe(arn)
    expect((await describeMachine(stage, arn)).status).toBe('ACTIVE')
  })
})
