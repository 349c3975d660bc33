import {
  CreateStateMachineCommand,
  DescribeStateMachineCommand,
  InvalidDefinition,
  ListStateMachinesCommand,
  StateMachineAlreadyExists,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import { ROLE_ARN, setStage } from './stage.ts'

const passing = (output: string) => ({
  QueryLanguage: 'JSONata',
  StartAt: 'pass',
  States: { pass: { Type: 'Pass', Output: output, End: true } },
})

describe('CreateStateMachine', () => {
  it('is repeatable with the same definition and refused with another', async () => {
    await using stage = await setStage()
    const arn = await stage.create('m', passing('one'))
    expect(await stage.create('m', passing('one'))).toBe(arn)
    await expect(stage.create('m', passing('two'))).rejects.toThrow(StateMachineAlreadyExists)
  })

  it.each([
    [
      'a JSONPath field',
      { Type: 'Pass', InputPath: '$.a', End: true },
      /InputPath is a JSONPath field.*\/States\/s/,
    ],
    [
      'a path in what is assigned',
      { Type: 'Pass', QueryLanguage: 'JSONPath', Assign: { 'a.$': '$.a' }, End: true },
      /a\.\$ is/,
    ],
    ['an unknown field', { Type: 'Pass', Putput: 1, End: true }, /Putput.*\/States\/s/],
    ['an unknown type', { Type: 'Poss', End: true }, /\/States\/s\/Type/],
    ['no way out', { Type: 'Pass' }, /exactly one of \[Next, End\] at \/States\/s/],
    [
      'a target that is not there',
      { Type: 'Pass', Next: 'x' },
      /MISSING_TRANSITION_TARGET: Missing 'Next' target: x/,
    ],
    [
      'a slip in an expression',
      { Type: 'Pass', Output: { a: ['{% 1 + %}'] }, End: true },
      /INVALID_JSONATA.*Output\/a\[0\]/,
    ],
    [
      'States.ALL among others',
      {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Retry: [{ ErrorEquals: ['States.ALL', 'A'] }],
        End: true,
      },
      /States\.ALL must stand alone/,
    ],
    [
      'a resource it cannot call',
      { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage', End: true },
      /sqs:sendMessage is not supported/,
    ],
    [
      'a Wait for two things',
      { Type: 'Wait', Seconds: 1, Timestamp: '2026-01-01T00:00:00Z', End: true },
      /exactly one of \[Seconds, Timestamp\]/,
    ],
  ])('refuses %s and says where', async (_, state, message) => {
    await using stage = await setStage()
    const created = stage.create('m', { StartAt: 's', States: { s: state } })
    await expect(created).rejects.toThrow(InvalidDefinition)
    await expect(created).rejects.toThrow(message)
  })

  it('refuses a state that nothing leads to, and two states of one name at any depth', async () => {
    await using stage = await setStage()
    const end = { Type: 'Pass', End: true }
    const unreached = stage.create('m', { StartAt: 'a', States: { a: end, b: end } })
    await expect(unreached).rejects.toThrow('State "b" is not reachable.')
    const branch = { StartAt: 'a', States: { a: end } }
    const doubled = stage.create('m', {
      StartAt: 'p',
      States: { p: { Type: 'Parallel', Branches: [branch, branch], End: true } },
    })
    await expect(doubled).rejects.toThrow('Another state is also named "a" at /States/p/Branches[1]/States/a')
  })

  it('refuses text that is not JSON', async () => {
    await using stage = await setStage()
    const create = new CreateStateMachineCommand({ name: 'm', definition: '{', roleArn: ROLE_ARN })
    await expect(stage.client.send(create)).rejects.toThrow(InvalidDefinition)
  })
})

describe('UpdateStateMachine', () => {
  it('changes what is started afterwards, not what runs', async () => {
    await using stage = await setStage(async ({ payload }) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { result: payload }
    })
    const machine = (output: string) => ({
      QueryLanguage: 'JSONata',
      StartAt: 'work',
      States: {
        work: { Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:000000000000:function:f', Next: 'tell' },
        tell: { Type: 'Pass', Output: output, End: true },
      },
    })
    const stateMachineArn = await stage.create('m', machine('old'))
    const before = await stage.start(stateMachineArn)
    const definition = JSON.stringify(machine('new'))
    const { revisionId } = await stage.client.send(
      new UpdateStateMachineCommand({ stateMachineArn, definition }),
    )
    const after = await stage.start(stateMachineArn)
    expect([(await stage.ended(before)).output, (await stage.ended(after)).output]).toEqual([
      '"old"',
      '"new"',
    ])
    const described = await stage.client.send(new DescribeStateMachineCommand({ stateMachineArn }))
    expect(described).toMatchObject({
      definition,
      revisionId,
      status: 'ACTIVE',
      type: 'STANDARD',
      roleArn: ROLE_ARN,
    })
  })
})

describe('ListStateMachines', () => {
  it('comes in pages', async () => {
    await using stage = await setStage()
    for (const name of ['a', 'b', 'c']) await stage.create(name, passing(name))
    const list = async (nextToken?: string) => {
      const page = await stage.client.send(new ListStateMachinesCommand({ maxResults: 2, nextToken }))
      return { names: page.stateMachines?.map(({ name }) => name), next: page.nextToken }
    }
    const first = await list()
    expect([first.names, (await list(first.next)).names]).toEqual([['a', 'b'], ['c']])
  })
})
