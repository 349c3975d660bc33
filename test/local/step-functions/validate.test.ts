import {
  CreateStateMachineCommand,
  InvalidDefinition,
  ValidateStateMachineDefinitionCommand,
  type ValidateStateMachineDefinitionInput,
} from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROLE_ARN, type Stage, setStage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const end = { Type: 'Pass', End: true }

describe('CreateStateMachine', () => {
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
      'a name that is read from the input of JSONata, of which there is none',
      { Type: 'Pass', Output: '{% phone & $states.input.phone %}', End: true },
      /UNSUPPORTED_JSONATA_EXPRESSION: Reference to 'phone' at the top level is not supported\. at \/States\/s\/Output/,
    ],
    ['the input of JSONata itself', { Type: 'Pass', Output: '{% $$.a %}', End: true }, /Reference to '\$\$'/],
    [
      'the result of a state that has none',
      { Type: 'Pass', Output: '{% $states.result %}', End: true },
      /\$states\.result is not available in this field\. at \/States\/s\/Output/,
    ],
    [
      'an error outside Catch',
      { Type: 'Pass', Assign: { a: '{% $states.errorOutput.Error %}' }, End: true },
      /\$states\.errorOutput is not available/,
    ],
    [
      "an operator that AWS's JSONata does not have",
      { Type: 'Pass', Output: '{% $states.input.a ?? 7 %}', End: true },
      /INVALID_JSONATA_EXPRESSION/,
    ],
    [
      'a variable of the name of an outer one',
      {
        Type: 'Parallel',
        Assign: { total: 1 },
        Branches: [{ StartAt: 'a', States: { a: { Type: 'Pass', Assign: { total: 2 }, End: true } } }],
        End: true,
      },
      /The variable total is assigned in an outer scope already at \/States\/s\/Branches\[0\]\/States\/a\/Assign/,
    ],
    [
      'a variable of the name of an outer one, in an execution of its own',
      {
        Type: 'Map',
        Items: [1],
        Assign: { total: 1 },
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
          StartAt: 'a',
          States: { a: { Type: 'Pass', Assign: { total: 2 }, End: true } },
        },
        End: true,
      },
      /The variable total is assigned in an outer scope already at \/States\/s\/ItemProcessor\/States\/a\/Assign/,
    ],
    [
      'a variable named states',
      { Type: 'Pass', Assign: { states: 1 }, End: true },
      /the name \$states is reserved/,
    ],
    [
      'the configuration of a Map in a branch',
      {
        Type: 'Parallel',
        Branches: [
          {
            ProcessorConfig: { Mode: 'DISTRIBUTED' },
            StartAt: 'a',
            States: { a: { Type: 'Pass', End: true } },
          },
        ],
        End: true,
      },
      /ProcessorConfig.*\/States\/s\/Branches\[0\]/,
    ],
    [
      'a time that is none',
      { Type: 'Wait', Timestamp: '2026-13-01', End: true },
      /String does not match RFC3339 timestamp at \/States\/s\/Timestamp/,
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
    const created = stage.create('m', { StartAt: 's', States: { s: state } })
    await expect(created).rejects.toThrow(InvalidDefinition)
    await expect(created).rejects.toThrow(message)
  })

  it('refuses a state that nothing leads to, and two states of one name at any depth', async () => {
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
    const create = new CreateStateMachineCommand({ name: 'm', definition: '{', roleArn: ROLE_ARN })
    await expect(stage.client.send(create)).rejects.toThrow(InvalidDefinition)
  })
})

describe('ValidateStateMachineDefinition', () => {
  const validate = async (input: Partial<ValidateStateMachineDefinitionInput>) => {
    const command = new ValidateStateMachineDefinitionCommand({ definition: '', ...input })
    const { result, diagnostics, truncated } = await stage.client.send(command)
    return { result, diagnostics, truncated }
  }
  const machine = (states: Record<string, unknown>) =>
    JSON.stringify({ QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0], States: states })

  it('finds nothing in what can be created', async () => {
    const definition = machine({ a: end })
    expect(await validate({ definition })).toEqual({ result: 'OK', diagnostics: [], truncated: false })
    expect((await validate({ definition, severity: 'WARNING' })).result).toBe('OK')
  })

  it('gives each problem with its code and place', async () => {
    const definition = machine({
      a: { Type: 'Pass', Next: 'x' },
      b: { Type: 'Pass', Output: '{% 1 + %}', End: true },
    })
    expect(await validate({ definition })).toEqual({
      result: 'FAIL',
      truncated: false,
      diagnostics: [
        {
          severity: 'ERROR',
          code: 'INVALID_JSONATA_EXPRESSION',
          message: expect.stringMatching(/./),
          location: '/States/b/Output',
        },
        {
          severity: 'ERROR',
          code: 'MISSING_TRANSITION_TARGET',
          message: "Missing 'Next' target: x",
          location: '/States/a',
        },
        {
          severity: 'ERROR',
          code: 'MISSING_TRANSITION_TARGET',
          message: 'State "b" is not reachable.',
          location: '/States',
        },
      ],
    })
  })

  it('says when there are more problems than were asked for; 0 asks for all', async () => {
    const definition = machine({ a: { Type: 'Pass', Next: 'x' }, b: end })
    const cut = await validate({ definition, maxResults: 1 })
    expect([cut.diagnostics?.length, cut.truncated]).toEqual([1, true])
    const all = await validate({ definition, maxResults: 0 })
    expect([all.diagnostics?.length, all.truncated]).toEqual([2, false])
    await expect(validate({ definition, maxResults: 101 })).rejects.toThrow('maxResults')
  })

  it('tells text that is not JSON and no text from JSON that is no machine', async () => {
    expect((await validate({ definition: 'not a definition' })).diagnostics).toMatchObject([
      { code: 'INVALID_JSON_DESCRIPTION' },
    ])
    expect((await validate({ definition: '' })).diagnostics).toEqual([
      {
        severity: 'ERROR',
        code: 'SCHEMA_VALIDATION_FAILED',
        message: 'Definition must be a valid JSON object',
      },
    ])
    expect((await validate({ definition: '{}' })).diagnostics).toEqual([
      {
        severity: 'ERROR',
        code: 'SCHEMA_VALIDATION_FAILED',
        message: 'These fields are required: [StartAt, States]',
        location: '/',
      },
    ])
  })

  it('refuses a JSONPath state in a JSONata machine', async () => {
    const definition = machine({ a: { ...end, QueryLanguage: 'JSONPath' } })
    expect((await validate({ definition })).diagnostics).toMatchObject([
      { message: expect.stringContaining("'QueryLanguage' can not be 'JSONPath'"), location: '/States/a' },
    ])
  })

  it('refuses an express machine that waits for a token, as its creation does', async () => {
    const Resource = 'arn:aws:states:::lambda:invoke.waitForTaskToken'
    const Arguments = { FunctionName: 'f' }
    const ask = { StartAt: 'ask', States: { ask: { Type: 'Task', Resource, Arguments, End: true } } }
    const definition = machine({ both: { Type: 'Parallel', Branches: [ask], End: true } })
    expect((await validate({ definition, type: 'STANDARD' })).result).toBe('OK')
    expect((await validate({ definition, type: 'EXPRESS' })).diagnostics).toEqual([
      {
        severity: 'ERROR',
        code: 'SCHEMA_VALIDATION_FAILED',
        message: "Express state machine does not support '.waitForTaskToken' service integration",
        location: '/States/both/Branches[0]/States/ask/Resource',
      },
    ])
    const create = new CreateStateMachineCommand({
      name: 'e',
      definition,
      roleArn: ROLE_ARN,
      type: 'EXPRESS',
    })
    await expect(stage.client.send(create)).rejects.toThrow(InvalidDefinition)
  })
})
