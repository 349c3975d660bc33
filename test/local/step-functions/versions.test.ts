import {
  ConflictException,
  CreateStateMachineCommand,
  type CreateStateMachineInput,
  DeleteStateMachineCommand,
  DeleteStateMachineVersionCommand,
  DescribeStateMachineCommand,
  InvalidArn,
  InvalidToken,
  ListStateMachineVersionsCommand,
  type ListStateMachineVersionsInput,
  PublishStateMachineVersionCommand,
  type PublishStateMachineVersionInput,
  StateMachineDoesNotExist,
  UpdateStateMachineCommand,
  type UpdateStateMachineInput,
  ValidationException,
} from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { passing, ROLE_ARN, type Stage, setStage } from './stage.ts'

const clock = createManualClock()
let stage: Stage
let arn: string
let machines = 0
beforeAll(async () => {
  stage = await setStage(undefined, { clock })
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(async () => {
  machines += 1
  arn = (await create()).stateMachineArn ?? ''
})

const create = (input: Partial<CreateStateMachineInput> = {}) =>
  stage.client.send(
    new CreateStateMachineCommand({
      name: `m-${machines}`,
      definition: passing('one'),
      roleArn: ROLE_ARN,
      ...input,
    }),
  )
const update = (input: Partial<UpdateStateMachineInput>) =>
  stage.client.send(new UpdateStateMachineCommand({ stateMachineArn: arn, ...input }))
const publish = (input: Partial<PublishStateMachineVersionInput> = {}) =>
  stage.client.send(new PublishStateMachineVersionCommand({ stateMachineArn: arn, ...input }))
const remove = (stateMachineVersionArn: string) =>
  stage.client.send(new DeleteStateMachineVersionCommand({ stateMachineVersionArn }))
const describeMachine = (stateMachineArn: string) =>
  stage.client.send(new DescribeStateMachineCommand({ stateMachineArn }))
const list = async (input: Partial<ListStateMachineVersionsInput> = {}) => {
  const page = await stage.client.send(
    new ListStateMachineVersionsCommand({ stateMachineArn: arn, ...input }),
  )
  const numbers = page.stateMachineVersions?.map(({ stateMachineVersionArn }) =>
    Number(stateMachineVersionArn?.slice(arn.length + 1)),
  )
  return { numbers, next: page.nextToken }
}

describe('publish', () => {
  it('with the creation gives version 1, again when the creation is repeated', async () => {
    const input = { name: `p-${machines}`, publish: true, versionDescription: 'first' }
    const created = await create(input)
    expect(created.stateMachineVersionArn).toBe(`${created.stateMachineArn}:1`)
    expect((await create(input)).stateMachineVersionArn).toBe(created.stateMachineVersionArn)
    expect(await describeMachine(`${created.stateMachineArn}:1`)).toMatchObject({ description: 'first' })
  })

  it('with an update gives the next version, the same one while nothing changes', async () => {
    const same = { definition: passing('one'), publish: true }
    expect(await update(same)).toMatchObject({ stateMachineVersionArn: `${arn}:1` })
    expect(await update(same)).toMatchObject({ stateMachineVersionArn: `${arn}:1` })
    expect(await update({ ...same, definition: passing('two') })).toMatchObject({
      stateMachineVersionArn: `${arn}:2`,
    })
  })

  it('takes no description without a version', async () => {
    const requests = [
      () => create({ name: 'x', versionDescription: 'a' }),
      () => update({ definition: passing('two'), versionDescription: 'a' }),
    ]
    for (const request of requests) {
      const refused = request()
      await expect(refused).rejects.toThrow(ValidationException)
      await expect(refused).rejects.toThrow('Version description can only be set when publish is true')
    }
  })
})

describe('PublishStateMachineVersion', () => {
  it('keeps the machine as it stands, described under the ARN of the version', async () => {
    const { revisionId } = await update({ definition: passing('two') })
    clock.advance(5_000)
    const published = await publish({ description: 'Second' })
    expect([published.stateMachineVersionArn, published.creationDate]).toEqual([
      `${arn}:1`,
      new Date(clock.now()),
    ])
    await update({ definition: passing('three') })
    const { $metadata, ...described } = await describeMachine(`${arn}:1`)
    expect(described).toMatchObject({
      stateMachineArn: `${arn}:1`,
      name: `m-${machines}`,
      definition: passing('two'),
      description: 'Second',
      revisionId,
      creationDate: published.creationDate,
      status: 'ACTIVE',
    })
    expect((await describeMachine(arn)).description).toBeUndefined()
  })

  it('is the same version for the same revision, and checks the revision that is asked for', async () => {
    expect((await publish({ revisionId: 'INITIAL' })).stateMachineVersionArn).toBe(`${arn}:1`)
    expect((await publish({ description: 'other' })).stateMachineVersionArn).toBe(`${arn}:1`)
    const { revisionId } = await update({ definition: passing('two') })
    const late = publish({ revisionId: 'INITIAL' })
    await expect(late).rejects.toThrow(ConflictException)
    await expect(late).rejects.toThrow(
      `Failed to publish the State Machine version for revision INITIAL. The current State Machine revision is ${revisionId}.`,
    )
    expect((await publish({ revisionId })).stateMachineVersionArn).toBe(`${arn}:2`)
  })

  it('is for machines that are there, by their own ARN', async () => {
    await publish()
    await expect(publish({ stateMachineArn: `${arn}-x` })).rejects.toThrow(StateMachineDoesNotExist)
    await expect(publish({ stateMachineArn: `${arn}:1` })).rejects.toThrow(StateMachineDoesNotExist)
    await expect(publish({ stateMachineArn: 'invalid_arn' })).rejects.toThrow(InvalidArn)
    await expect(update({ stateMachineArn: `${arn}:1`, roleArn: ROLE_ARN })).rejects.toThrow(
      `State Machine Does Not Exist: '${arn}:1'`,
    )
  })
})

describe('DeleteStateMachineVersion', () => {
  it('gives no number twice, and is content with a version that is not there', async () => {
    await publish()
    await update({ definition: passing('two'), publish: true })
    await remove(`${arn}:2`)
    expect((await list()).numbers).toEqual([1])
    await expect(describeMachine(`${arn}:2`)).rejects.toThrow(StateMachineDoesNotExist)
    expect((await publish()).stateMachineVersionArn).toBe(`${arn}:3`)
    await remove(`${arn}:2`)
    await expect(remove(arn)).rejects.toThrow(`Not the ARN of a version, such as ${arn}:1`)
  })

  it('happens to all versions with their machine', async () => {
    await publish()
    await stage.client.send(new DeleteStateMachineCommand({ stateMachineArn: arn }))
    await create()
    expect((await list()).numbers).toEqual([])
    expect((await publish()).stateMachineVersionArn).toBe(`${arn}:1`)
  })
})

describe('ListStateMachineVersions', () => {
  it('has the newest first, in pages, and refuses the token of another machine', async () => {
    for (const output of ['two', 'three', 'four'])
      await update({ definition: passing(output), publish: true })
    const first = await list({ maxResults: 2 })
    const second = await list({ maxResults: 2, nextToken: first.next })
    expect([first.numbers, second]).toEqual([[3, 2], { numbers: [1], next: undefined }])
    const foreign = list({ stateMachineArn: `${arn}-x`, nextToken: first.next })
    await expect(foreign).rejects.toThrow(InvalidToken)
    await expect(list({ nextToken: 'InvalidToken' })).rejects.toThrow("Invalid Token: 'Invalid token'")
    await expect(list({ maxResults: 1_001 })).rejects.toThrow(ValidationException)
  })
})

describe('StartExecution', () => {
  it('of a version runs what was published', async () => {
    await publish()
    await update({ definition: passing('two') })
    const outputs = await Promise.all(
      [arn, `${arn}:1`].map(async (one) => (await stage.ended(await stage.start(one))).output),
    )
    expect(outputs).toEqual(['"two"', '"one"'])
    await expect(stage.start(`${arn}:2`)).rejects.toThrow(StateMachineDoesNotExist)
  })
})
