import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalFunction } from '../../../src/local/lambda/local-function.ts'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import {
  eventually,
  fixture,
  invoke,
  invokeWith,
  readJournal,
  remove,
  startQuietly,
  temporaryDirectory,
} from './lambda-fixture.ts'

const directory = temporaryDirectory()
const clock = createManualClock()
let lambda: LocalLambda
const logged: string[] = []
const journal = (name: string) => readJournal(join(directory, name))
const arn = 'arn:aws:lambda:us-east-1:000000000000:function:'

const reported = {
  retries: 2,
  maximumEventAgeSeconds: 60,
  onFailure: 'failed',
  onSuccess: 'succeeded',
} as const
const unretried = { retries: 0, maximumEventAgeSeconds: 60, onFailure: 'aliased' } as const

beforeAll(async () => {
  const journalled = (name: string, settings: Partial<LocalFunction> = {}) => ({
    name,
    environment: { JOURNAL: join(directory, name) },
    ...settings,
  })
  leaveAnEvent()
  lambda = await startQuietly({
    directory,
    clock,
    log: (line) => logged.push(line),
    functions: [
      fixture('echo', 'echoes', { asynchronous: reported }),
      fixture('journal', 'fails', journalled('fails', { asynchronous: reported })),
      fixture(
        'journal',
        'fails',
        journalled('qualified', {
          asynchronous: unretried,
          qualifiers: { '3': {}, live: { version: '3', asynchronous: unretried } },
        }),
      ),
      ...['succeeded', 'failed', 'aliased', 'left'].map((name) =>
        fixture('journal', 'succeeds', journalled(name)),
      ),
    ],
  })
})
afterAll(async () => {
  await lambda.close()
  remove(directory)
})

describe('a destination', () => {
  it('is told what an asynchronous event came to that succeeded', async () => {
    const { requestId } = await invoke(lambda.url, 'echoes', { a: 1 }, 'Event')
    const [entry] = await eventually(() => journal('succeeded').length === 1 && journal('succeeded'))
    expect(entry).toEqual({
      requestId: expect.not.stringContaining(requestId ?? ''),
      event: {
        version: '1.0',
        timestamp: new Date(clock.now()).toISOString(),
        requestContext: {
          requestId,
          functionArn: `${arn}echoes:$LATEST`,
          condition: 'Success',
          approximateInvokeCount: 1,
        },
        requestPayload: { a: 1 },
        responseContext: { statusCode: 200, executedVersion: '$LATEST' },
        responsePayload: { a: 1 },
      },
    })
  })

  it('is not told what would be more than 1 MB, which is a line in the log', async () => {
    const { requestId } = await invoke(lambda.url, 'echoes', { text: 'x'.repeat(600_000) }, 'Event')
    const line = await eventually(() => logged.find((each) => each.includes('not delivered')))
    expect(line).toMatch(
      new RegExp(
        `^\\[echoes ${requestId}\\] not delivered to succeeded: the record has 120\\d{4} bytes, an event at most 1048576$`,
      ),
    )
    await invoke(lambda.url, 'echoes', {}, 'Event') // would be told after it
    await eventually(() => journal('succeeded').length === 2)
    expect(journal('succeeded').map(({ event }) => Object(event).requestPayload)).toEqual([{ a: 1 }, {}])
  })

  it('is told at once when the next retry would come after the event’s age', async () => {
    await invoke(lambda.url, 'fails', {}, 'Event')
    const [entry] = await eventually(() => journal('failed').length === 1 && journal('failed'))
    expect(entry).toMatchObject({
      event: {
        requestContext: { condition: 'EventAgeExceeded', approximateInvokeCount: 1 },
        responsePayload: { errorType: 'NotToday' },
      },
    })
  })
})

describe('the settings of a version or an alias', () => {
  it('are its own: what an alias does is reported under its name', async () => {
    await invoke(lambda.url, 'qualified:live', {}, 'Event')
    const [entry] = await eventually(() => journal('aliased').length === 1 && journal('aliased'))
    expect(entry).toMatchObject({
      event: {
        requestContext: { functionArn: `${arn}qualified:live`, condition: 'RetriesExhausted' },
        responseContext: { executedVersion: '3' },
      },
    })
  })

  it('are AWS’s defaults where it has none, whatever $LATEST has', async () => {
    const known = journal('qualified').length
    const asked = { FunctionName: 'qualified', Qualifier: '3', Payload: '{}' }
    await invokeWith(lambda.url, { ...asked, InvocationType: 'Event' })
    for (const delayMs of [60_000, 120_000]) {
      await eventually(() => clock.isDueIn(delayMs))
      clock.advance(delayMs)
    }
    await eventually(() => journal('qualified').length === known + 3)
    await invoke(lambda.url, 'qualified:live', {}, 'Event') // is reported after what came before it
    await eventually(() => journal('aliased').length === 2)
    const reports = journal('aliased').map(({ event }) => Object(event).requestContext.functionArn)
    expect(reports).toEqual(Array(2).fill(`${arn}qualified:live`))
  })
})

describe('a directory of a stand-in of before', () => {
  it('is opened, and its events run', async () => {
    await eventually(() => journal('left').length === 1)
    expect(journal('left')).toEqual([{ requestId: 'r-1', event: { a: 1 } }])
  })
})

/** In a database as the first stand-ins made it. */
function leaveAnEvent(): void {
  const old = new DatabaseSync(join(directory, 'events.sqlite'))
  old.exec(`
    CREATE TABLE events (
      id INTEGER PRIMARY KEY AUTOINCREMENT, requestId TEXT NOT NULL, functionName TEXT NOT NULL,
      payload TEXT NOT NULL, receivedAtMs INTEGER NOT NULL, dueAtMs INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0, running INTEGER NOT NULL DEFAULT 0, lastError TEXT
    );
    CREATE INDEX eventsOfFunction ON events (functionName, id);
    INSERT INTO events (requestId, functionName, payload, receivedAtMs, dueAtMs)
    VALUES ('r-1', 'left', '{"a":1}', ${clock.now()}, ${clock.now()});
  `)
  old.close()
}
