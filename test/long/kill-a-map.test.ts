import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { task } from '../local/step-functions/cases/case.ts'
import { createClient, ROLE_ARN } from '../local/step-functions/stage.ts'
import type { HostOptions } from '../support/stand-ins/stand-in-host.ts'
import { type StandInHost, startStandInHost } from '../support/stand-ins/start-stand-in-host.ts'

const ITEMS = Array.from({ length: 100 }, (_, index) => index)
/** Every second item is charged, which is tried once; the others are looked up, as often as it takes. */
const isCharge = (item: number) => item % 2 === 1
const PROCESSES = 4

const machine = {
  QueryLanguage: 'JSONata',
  StartAt: 'each',
  States: {
    each: {
      Type: 'Map',
      Items: ITEMS,
      MaxConcurrency: 8,
      ItemProcessor: {
        StartAt: 'which',
        States: {
          which: {
            Type: 'Choice',
            Choices: [{ Condition: '{% $states.input % 2 = 1 %}', Next: 'charge' }],
            Default: 'look up',
          },
          charge: task('charge', { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'unknown' }] }),
          'look up': task('look-up', {
            Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 5 }],
          }),
          unknown: { Type: 'Pass', Output: 'unknown', End: true },
        },
      },
      End: true,
    },
  },
}

function prepare() {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-kill-a-map-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const journal = join(directory, 'journal')
  const count = (word: string, item?: number) => {
    const lines = existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []
    return lines.filter((line) => (item === undefined ? line.startsWith(word) : line === `${word} ${item}`))
      .length
  }
  return {
    directory,
    journal,
    count,
    async untilEnded(calls: number) {
      while (count('end') < calls) await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}

async function start({ urls }: StandInHost): Promise<string> {
  const client = createClient(urls.stepFunctions ?? '')
  const definition = JSON.stringify(machine)
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({ name: 'm', definition, roleArn: ROLE_ARN }),
  )
  const { executionArn = '' } = await client.send(new StartExecutionCommand({ stateMachineArn }))
  return executionArn
}

async function outputsOf({ urls }: StandInHost, executionArn: string): Promise<unknown[]> {
  const client = createClient(urls.stepFunctions ?? '')
  for (;;) {
    const execution = await client.send(new DescribeExecutionCommand({ executionArn }))
    if (execution.status !== 'RUNNING') {
      expect(execution.status).toBe('SUCCEEDED')
      return z.array(z.unknown()).parse(JSON.parse(execution.output ?? ''))
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Kills the host after 20 calls have ended, and again after 60. */
async function outputsAfterKills(options: HostOptions, untilEnded: (calls: number) => Promise<void>) {
  let host = await startStandInHost(options)
  const executionArn = await start(host)
  for (const calls of [20, 60]) {
    await untilEnded(calls)
    await host.kill()
    host = await startStandInHost(options)
  }
  return outputsOf(host, executionArn)
}

it('finishes a Map of 100 whose stand-ins are killed together in its middle, twice, and charges nothing twice', async () => {
  const { directory, journal, count, untilEnded } = prepare()
  const options = { directory, journal, runsStepFunctions: true }
  const outputs = await outputsAfterKills(options, untilEnded)
  for (const item of ITEMS) {
    if (!isCharge(item)) expect([item, outputs[item], count('end', item) >= 1]).toEqual([item, item, true])
    else if (outputs[item] === item)
      expect([item, count('begin', item), count('end', item)]).toEqual([item, 1, 1])
    else expect([item, outputs[item], count('begin', item) <= 1]).toEqual([item, 'unknown', true])
  }
  // Of what ran when it was killed, or was about to, nobody can know whether it was done, and of nothing else.
  expect(outputs.filter((output) => output === 'unknown').length).toBeLessThanOrEqual(2 * PROCESSES)
})

it('finishes a Map of 100 whose Step Functions alone is killed in its middle, with every item done once', async () => {
  const { directory, journal, count, untilEnded } = prepare()
  const lambda = await startStandInHost({ directory, journal, runsStepFunctions: false })
  const options = { directory, journal, lambdaUrl: lambda.urls.lambda, runsStepFunctions: true }
  expect(await outputsAfterKills(options, untilEnded)).toEqual(ITEMS)
  expect(ITEMS.map((item) => count('begin', item))).toEqual(ITEMS.map(() => 1))
})
