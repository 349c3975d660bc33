import {
  ConflictException,
  CreateStateMachineAliasCommand,
  type CreateStateMachineAliasInput,
  CreateStateMachineCommand,
  DeleteStateMachineAliasCommand,
  DeleteStateMachineCommand,
  DeleteStateMachineVersionCommand,
  DescribeStateMachineAliasCommand,
  InvalidArn,
  InvalidToken,
  ListStateMachineAliasesCommand,
  type ListStateMachineAliasesInput,
  ResourceNotFound,
  StateMachineDoesNotExist,
  UpdateStateMachineAliasCommand,
  type UpdateStateMachineAliasInput,
  UpdateStateMachineCommand,
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
  arn = await createVersions(stage, `m-${machines}`)
})

/** A machine with the versions 1 to 3, which give "one", "two" and "three". */
async function createVersions({ client }: Stage, name: string): Promise<string> {
  const machine = { name, definition: passing('one'), roleArn: ROLE_ARN, publish: true }
  const { stateMachineArn = '' } = await client.send(new CreateStateMachineCommand(machine))
  for (const output of ['two', 'three'])
    await client.send(
      new UpdateStateMachineCommand({ stateMachineArn, definition: passing(output), publish: true }),
    )
  return stateMachineArn
}

/** `routes([1, 90], [2, 10])`: version and weight. */
const routes = (...pairs: readonly [number, number][]) =>
  pairs.map(([number, weight]) => ({ stateMachineVersionArn: `${arn}:${number}`, weight }))
const create = (input: Partial<CreateStateMachineAliasInput> = {}) =>
  stage.client.send(
    new CreateStateMachineAliasCommand({ name: 'live', routingConfiguration: routes([1, 100]), ...input }),
  )
const update = (input: Partial<UpdateStateMachineAliasInput>) =>
  stage.client.send(new UpdateStateMachineAliasCommand({ stateMachineAliasArn: `${arn}:live`, ...input }))
const remove = (stateMachineAliasArn: string) =>
  stage.client.send(new DeleteStateMachineAliasCommand({ stateMachineAliasArn }))
const describeAlias = async (stateMachineAliasArn = `${arn}:live`) => {
  const command = new DescribeStateMachineAliasCommand({ stateMachineAliasArn })
  const { $metadata, ...described } = await stage.client.send(command)
  return described
}
const list = async (input: Partial<ListStateMachineAliasesInput> = {}) => {
  const page = await stage.client.send(new ListStateMachineAliasesCommand({ stateMachineArn: arn, ...input }))
  const names = page.stateMachineAliases?.map(
    ({ stateMachineAliasArn }) => stateMachineAliasArn?.split(':')[7],
  )
  return { names, next: page.nextToken }
}

describe('CreateStateMachineAlias', () => {
  it('is described with its routes, and repeatable with the same members', async () => {
    const input = { description: 'what customers get', routingConfiguration: routes([1, 90], [2, 10]) }
    const createdMs = clock.now()
    const first = await create(input)
    clock.advance(1_000)
    expect((await create(input)).creationDate).toEqual(first.creationDate)
    expect(await describeAlias()).toEqual({
      stateMachineAliasArn: `${arn}:live`,
      name: 'live',
      ...input,
      creationDate: new Date(createdMs),
      updateDate: new Date(createdMs),
    })
    for (const other of [{ description: 'other' }, { routingConfiguration: routes([1, 100]) }]) {
      const refused = create({ ...input, ...other })
      await expect(refused).rejects.toThrow(ConflictException)
      await expect(refused).rejects.toThrow(
        'an alias with the same name and a different routing configuration',
      )
    }
  })

  it.each(['123', '', 'INVALID ALIAS', '!INVALID', 'ALIAS@', 'a'.repeat(81)])(
    'refuses the name "%s"',
    async (name) => {
      await expect(create({ name })).rejects.toThrow(ValidationException)
    },
  )

  it('refuses routes that are not one or two distinct versions of one machine with weights of 100', async () => {
    const own = { stateMachineVersionArn: arn, weight: 100 }
    const other = await createVersions(stage, `other-${machines}`)
    const foreign = { stateMachineVersionArn: `${other}:1`, weight: 50 }
    const cases = [
      [[], /routingConfiguration/],
      [routes([1, 50], [2, 30], [3, 20]), /routingConfiguration/],
      [routes([1, 101]), /routingConfiguration\[0\]\.weight/],
      [
        routes([1, 50], [1, 50]),
        `must contain distinct state machine version ARNs. Received: [${arn}:1, ${arn}:1]`,
      ],
      [[own], `must contain state machine version ARNs. Received: [${arn}]`],
      [[...routes([1, 50]), foreign], 'must contain versions of one state machine'],
      [routes([1, 70], [2, 29]), 'Sum of routing configuration weights must equal 100. Received: [70, 29]'],
      [routes([1, 70], [2, 31]), 'Sum of routing configuration weights must equal 100. Received: [70, 31]'],
    ] as const
    for (const [routingConfiguration, message] of cases) {
      const refused = create({ routingConfiguration: [...routingConfiguration] })
      await expect(refused).rejects.toThrow(ValidationException)
      await expect(refused).rejects.toThrow(message)
    }
    await expect(create({ routingConfiguration: routes([4, 100]) })).rejects.toThrow(ResourceNotFound)
  })
})

describe('UpdateStateMachineAlias', () => {
  it('changes what it is given, later', async () => {
    await create({ description: 'old' })
    const { creationDate } = await describeAlias()
    clock.advance(1_000)
    expect((await update({ description: 'new' })).updateDate).toEqual(new Date(clock.now()))
    await update({ routingConfiguration: routes([2, 50], [3, 50]) })
    expect(await describeAlias()).toEqual({
      stateMachineAliasArn: `${arn}:live`,
      name: 'live',
      description: 'new',
      routingConfiguration: routes([2, 50], [3, 50]),
      creationDate,
      updateDate: new Date(clock.now()),
    })
  })

  it('refuses a request that changes nothing, versions of another machine and an alias that is not there', async () => {
    await create()
    const other = await createVersions(stage, `other-${machines}`)
    const foreign = [{ stateMachineVersionArn: `${other}:1`, weight: 100 }]
    await expect(update({})).rejects.toThrow(ValidationException)
    await expect(update({ routingConfiguration: foreign })).rejects.toThrow(ValidationException)
    await expect(update({ routingConfiguration: routes([4, 100]) })).rejects.toThrow(ResourceNotFound)
    const absent = update({ stateMachineAliasArn: `${arn}:gone`, description: 'a' })
    await expect(absent).rejects.toThrow(ResourceNotFound)
    await expect(absent).rejects.toThrow('Request references a resource that does not exist.')
  })
})

describe('DeleteStateMachineAlias', () => {
  it('leaves the versions, and is content with an alias that is not there', async () => {
    await create()
    const version = new DeleteStateMachineVersionCommand({ stateMachineVersionArn: `${arn}:1` })
    const held = stage.client.send(version)
    await expect(held).rejects.toThrow(ConflictException)
    await expect(held).rejects.toThrow('Current list of aliases referencing this version: [live]')
    await remove(`${arn}:live`)
    await remove(`${arn}:live`)
    await expect(describeAlias()).rejects.toThrow(ResourceNotFound)
    await expect(remove(`${arn}:1`)).rejects.toThrow(InvalidArn)
    await stage.client.send(version)
  })

  it('happens to all aliases with their machine', async () => {
    await create()
    await stage.client.send(new DeleteStateMachineCommand({ stateMachineArn: arn }))
    await expect(describeAlias()).rejects.toThrow(ResourceNotFound)
    await expect(list()).rejects.toThrow(StateMachineDoesNotExist)
    await createVersions(stage, `m-${machines}`)
    expect((await list()).names).toEqual([])
  })
})

describe('ListStateMachineAliases', () => {
  it('comes in pages in order of name, or gives those of a version', async () => {
    for (const name of ['a', 'b', 'c'])
      await create({ name, routingConfiguration: name === 'b' ? routes([1, 100]) : routes([2, 60], [3, 40]) })
    const first = await list({ maxResults: 2 })
    const second = await list({ maxResults: 2, nextToken: first.next })
    expect([first.names, second]).toEqual([['a', 'b'], { names: ['c'], next: undefined }])
    expect((await list({ stateMachineArn: `${arn}:3` })).names).toEqual(['a', 'c'])
    await expect(list({ nextToken: 'InvalidToken' })).rejects.toThrow(InvalidToken)
  })
})
