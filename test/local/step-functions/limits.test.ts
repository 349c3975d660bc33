import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DescribeExecutionCommand } from '@aws-sdk/client-sfn'
import { expect, it, onTestFinished } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { startStepFunctions } from '../../../src/local/step-functions/start-step-functions.ts'
import { createClient, historyOf, setStage } from './stage.ts'

it('ends an execution whose next transition would pass 25,000 events', async () => {
  const directory = newDirectory()
  const clock = createManualClock()
  const loop = {
    StartAt: 'again',
    States: { again: { Type: 'Pass', Next: 'wait' }, wait: { Type: 'Wait', Seconds: 1, Next: 'again' } },
  }
  let executionArn: string
  {
    await using stage = await setStage(undefined, { directory, clock })
    executionArn = await stage.start(await stage.create('loops', loop))
    await clock.untilPending(1)
  }
  // As if it had gone round for a night: what is left holds a few more states and the event that ends it.
  const database = new DatabaseSync(join(directory, 'step-functions.sqlite'))
  database.exec('UPDATE execution SET event_count = 24993')
  database.close()
  await using stepFunctions = disposable(
    await startStepFunctions({ directory, clock, lambdaEndpoint: 'http://127.0.0.1:1' }),
  )
  const client = createClient(stepFunctions.url)
  const described = () => client.send(new DescribeExecutionCommand({ executionArn }))
  while ((await described()).status === 'RUNNING') {
    clock.advance(1_000)
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
  expect(await described()).toMatchObject({
    status: 'FAILED',
    error: 'States.Runtime',
    cause: 'The execution reached the maximum number of history events (25000).',
  })
  const events = await historyOf(client, executionArn)
  expect(events.at(-1)).toMatchObject({ id: expect.any(Number), type: 'ExecutionFailed' })
  expect(Math.max(...events.map(({ id }) => id ?? 0))).toBeLessThanOrEqual(25_000)
})

it('lets an output of 256 KiB pass and not one byte more', async () => {
  await using stage = await setStage()
  const passing = (text: string) => ({
    StartAt: 'pass',
    States: { pass: { Type: 'Pass', Output: text, End: true } },
  })
  const fits = await stage.run(passing('x'.repeat(262_142)))
  expect([fits.status, fits.output?.length]).toEqual(['SUCCEEDED', 262_144])
  expect(await stage.run(passing('x'.repeat(262_143)))).toMatchObject({
    status: 'FAILED',
    error: 'States.DataLimitExceeded',
  })
})

it.each([
  ['an Assign', { Assign: { a: 'x'.repeat(150_000), b: 'x'.repeat(150_000) } }],
  ['the Arguments of a Parallel', { Arguments: 'x'.repeat(300_000) }],
  ['an ItemSelector', { ItemSelector: 'x'.repeat(300_000) }],
  ["a task's Arguments", { Arguments: { FunctionName: 'work', Payload: 'x'.repeat(300_000) } }],
])('bounds %s by 256 KiB', async (what, fields) => {
  await using stage = await setStage()
  const inner = (name: string) => ({ StartAt: name, States: { [name]: { Type: 'Pass', End: true } } })
  const state = what.endsWith('Parallel')
    ? { Type: 'Parallel', Branches: [inner('branch')] }
    : what.endsWith('ItemSelector')
      ? { Type: 'Map', Items: [1], ItemProcessor: inner('item') }
      : what.startsWith('a task')
        ? { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke' }
        : { Type: 'Pass' }
  const machine = { StartAt: 'large', States: { large: { ...state, ...fields, End: true } } }
  expect(await stage.run(machine)).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' })
  expect(stage.invocations).toEqual([])
})

it('makes no batch above 256 KiB', async () => {
  await using stage = await setStage()
  const ItemProcessor = {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
    StartAt: 'size',
    States: { size: { Type: 'Pass', Output: '{% $count($states.input.Items) %}', End: true } },
  }
  const items = Array.from({ length: 20 }, () => 'x'.repeat(20_000))
  const ItemBatcher = { MaxItemsPerBatch: 20 }
  const { stateMachineArn } = {
    stateMachineArn: await stage.create('m', {
      StartAt: 'each',
      States: { each: { Type: 'Map', Items: items, ItemBatcher, ItemProcessor, End: true } },
    }),
  }
  expect((await stage.ended(await stage.start(stateMachineArn))).output).toBe('[13,7]')
})

it('stops an expression that runs for longer than a second', async () => {
  await using stage = await setStage()
  const endless = '{% ($f := function($n) { $f($n + 1) }; $f(0)) %}'
  const execution = await stage.run({
    StartAt: 'loop',
    States: { loop: { Type: 'Pass', Output: endless, End: true } },
  })
  expect(execution).toMatchObject({
    error: 'States.QueryEvaluationError',
    cause: expect.stringContaining('Expression evaluation timeout'),
  })
})

it('refuses a directory in which another stand-in works', async () => {
  const directory = newDirectory()
  const options = { directory, lambdaEndpoint: 'http://127.0.0.1:1' }
  await using _first = disposable(await startStepFunctions(options))
  await expect(startStepFunctions(options)).rejects.toThrow('another process may have it open')
})

function disposable<T extends { close(): Promise<void> }>(server: T): T & AsyncDisposable {
  return { ...server, [Symbol.asyncDispose]: () => server.close() }
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-limits-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
