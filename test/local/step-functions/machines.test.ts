import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  CreateStateMachineCommand,
  type CreateStateMachineInput,
  DescribeStateMachineCommand,
  InvalidLoggingConfiguration,
  InvalidName,
  InvalidToken,
  ListStateMachinesCommand,
  MissingRequiredParameter,
  StateMachineAlreadyExists,
  StateMachineDoesNotExist,
  UpdateStateMachineCommand,
  type UpdateStateMachineInput,
} from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { ROLE_ARN, type Stage, setStage } from './stage.ts'

const passing = (output: string) => ({
  QueryLanguage: 'JSONata',
  StartAt: 'pass',
  States: { pass: { Type: 'Pass', Output: output, End: true } },
})
const ONE = JSON.stringify(passing('one'))
const TWO = JSON.stringify(passing('two'))
const LOGGED = {
  level: 'ALL' as const,
  includeExecutionData: true,
  destinations: [
    {
      cloudWatchLogsLogGroup: { logGroupArn: 'arn:aws:logs:us-east-1:000000000000:log-group:machine:*' },
    },
  ],
}

const create = ({ client }: Stage, input: Partial<CreateStateMachineInput> = {}) =>
  client.send(new CreateStateMachineCommand({ name: 'm', definition: ONE, roleArn: ROLE_ARN, ...input }))
const update = ({ client }: Stage, stateMachineArn: string, input: Partial<UpdateStateMachineInput>) =>
  client.send(new UpdateStateMachineCommand({ stateMachineArn, ...input }))
const describeMachine = async ({ client }: Stage, stateMachineArn: string) => {
  const { $metadata, ...described } = await client.send(new DescribeStateMachineCommand({ stateMachineArn }))
  return described
}
const list = async ({ client }: Stage, nextToken?: string) => {
  const page = await client.send(new ListStateMachinesCommand({ maxResults: 2, nextToken }))
  return { names: page.stateMachines?.map(({ name }) => name), next: page.nextToken }
}

describe('CreateStateMachine', () => {
  it('is repeatable with the same members, whatever the role and tags, and refused with others', async () => {
    await using stage = await setStage()
    const first = await create(stage, { type: 'EXPRESS', loggingConfiguration: LOGGED })
    const same = { type: 'EXPRESS', loggingConfiguration: LOGGED } as const
    const again = await create(stage, { ...same, roleArn: `${ROLE_ARN}-2`, tags: [{ key: 'a', value: 'b' }] })
    expect([again.stateMachineArn, again.creationDate]).toEqual([first.stateMachineArn, first.creationDate])
    expect((await describeMachine(stage, first.stateMachineArn ?? '')).roleArn).toBe(ROLE_ARN)
    for (const other of [
      { definition: TWO },
      { type: 'STANDARD' as const },
      { loggingConfiguration: { ...LOGGED, level: 'FATAL' as const } },
      { tracingConfiguration: { enabled: true } },
      { publish: true },
    ]) {
      const refused = create(stage, { ...same, ...other })
      await expect(refused).rejects.toThrow(StateMachineAlreadyExists)
      await expect(refused).rejects.toThrow(`State Machine Already Exists: '${first.stateMachineArn}'`)
    }
  })

  it('keeps type and configurations for the description', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    const plain = await create(stage)
    const described = {
      stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:m',
      name: 'm',
      status: 'ACTIVE',
      definition: ONE,
      roleArn: ROLE_ARN,
      type: 'STANDARD',
      creationDate: new Date(clock.now()),
      loggingConfiguration: { level: 'OFF', includeExecutionData: false },
      tracingConfiguration: { enabled: false },
      encryptionConfiguration: { type: 'AWS_OWNED_KEY' },
    }
    expect(await describeMachine(stage, plain.stateMachineArn ?? '')).toEqual(described)
    const configured = { loggingConfiguration: LOGGED, tracingConfiguration: { enabled: true } }
    const express = await create(stage, { name: 'e', type: 'EXPRESS', ...configured })
    expect(await describeMachine(stage, express.stateMachineArn ?? '')).toMatchObject({
      type: 'EXPRESS',
      ...configured,
    })
  })

  it('refuses logging without exactly one destination, and names with surrogates', async () => {
    await using stage = await setStage()
    for (const loggingConfiguration of [
      { level: 'ALL' as const },
      { level: 'ALL' as const, destinations: [...LOGGED.destinations, ...LOGGED.destinations] },
      { destinations: [{}] },
    ])
      await expect(create(stage, { loggingConfiguration })).rejects.toThrow(InvalidLoggingConfiguration)
    await expect(create(stage, { name: 'm😀' })).rejects.toThrow(InvalidName)
  })
})

describe('UpdateStateMachine', () => {
  it('changes what is started afterwards, not what runs', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    const machine = (output: string) => ({
      QueryLanguage: 'JSONata',
      StartAt: 'wait',
      States: {
        wait: { Type: 'Wait', Seconds: 60, Next: 'tell' },
        tell: { Type: 'Pass', Output: output, End: true },
      },
    })
    const arn = await stage.create('m', machine('old'))
    const before = await stage.start(arn)
    await update(stage, arn, { definition: JSON.stringify(machine('new')) })
    const after = await stage.start(arn)
    await clock.untilPending(2)
    clock.advance(60_000)
    expect([(await stage.ended(before)).output, (await stage.ended(after)).output]).toEqual([
      '"old"',
      '"new"',
    ])
  })

  it('gives a new revision for a change alone, and never another type', async () => {
    await using stage = await setStage()
    const { stateMachineArn: arn = '' } = await create(stage)
    expect((await update(stage, arn, { definition: ONE })).revisionId).toBeUndefined()
    const { revisionId } = await update(stage, arn, { definition: TWO })
    expect(revisionId).toMatch(/^[\w-]{36}$/)
    expect((await update(stage, arn, { definition: TWO, roleArn: ROLE_ARN })).revisionId).toBe(revisionId)
    const logged = await update(stage, arn, { loggingConfiguration: LOGGED })
    expect([undefined, revisionId]).not.toContain(logged.revisionId)
    expect(await describeMachine(stage, arn)).toMatchObject({
      definition: TWO,
      revisionId: logged.revisionId,
      loggingConfiguration: LOGGED,
      type: 'STANDARD',
    })
  })

  it('refuses a request that changes nothing, and an ARN of no machine', async () => {
    await using stage = await setStage()
    const { stateMachineArn: arn = '' } = await create(stage)
    await expect(update(stage, arn, {})).rejects.toThrow(MissingRequiredParameter)
    await expect(update(stage, arn, { publish: true })).rejects.toThrow(MissingRequiredParameter)
    await expect(update(stage, `${arn}x`, { definition: ONE })).rejects.toThrow(StateMachineDoesNotExist)
    await expect(update(stage, 'm', { definition: ONE })).rejects.toThrow(
      "Invalid Arn: 'Invalid ARN prefix: m'",
    )
  })
})

describe('ListStateMachines', () => {
  it('comes in pages, with the types, and refuses a token that is not its own', async () => {
    await using stage = await setStage()
    for (const name of ['a', 'b', 'c'])
      await create(stage, { name, type: name === 'b' ? 'EXPRESS' : 'STANDARD' })
    const first = await list(stage)
    expect([first.names, (await list(stage, first.next)).names]).toEqual([['a', 'b'], ['c']])
    const all = await stage.client.send(new ListStateMachinesCommand({}))
    expect(all.stateMachines?.map(({ type }) => type)).toEqual(['STANDARD', 'EXPRESS', 'STANDARD'])
    for (const token of ['no token', Buffer.from('["other","a"]').toString('base64url')])
      await expect(list(stage, token)).rejects.toThrow(InvalidToken)
  })
})

it('opens a directory whose machines were written before they had a type', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-step-functions-'))
  const arn = 'arn:aws:states:us-east-1:000000000000:stateMachine:m'
  const old = new DatabaseSync(join(directory, 'step-functions.sqlite'))
  old.exec(`CREATE TABLE machine (
    arn TEXT PRIMARY KEY, name TEXT NOT NULL, definition TEXT NOT NULL, role_arn TEXT NOT NULL,
    created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, revision_id TEXT
  ) WITHOUT ROWID`)
  old
    .prepare('INSERT INTO machine VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(arn, 'm', ONE, ROLE_ARN, 1_767_225_600_000, 1_767_225_600_000, 'revision')
  old.close()
  for (const _ of ['migrated', 'opened again']) {
    await using stage = await setStage(undefined, { directory })
    expect(await describeMachine(stage, arn)).toMatchObject({ type: 'STANDARD', revisionId: 'revision' })
    expect((await create(stage)).creationDate).toEqual(new Date('2026-01-01T00:00:00Z'))
  }
  rmSync(directory, { recursive: true })
})
