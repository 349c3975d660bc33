import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
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
const journal = (name: string) => readJournal(join(directory, name))
let lambda: LocalLambda

beforeAll(async () => {
  const asynchronous = { retries: 2, maximumEventAgeSeconds: 21_600, onFailure: 'reports' } as const
  const journalled = (name: string) => ({ name, environment: { JOURNAL: join(directory, name) } })
  lambda = await startQuietly({
    directory,
    functions: [
      fixture('chain', 'invokesItself', { ...journalled('loops'), asynchronous }),
      fixture('journal', 'succeeds', journalled('reports')),
      fixture('echo', 'handler', { name: 'echo' }),
      fixture('echo', 'handler', { name: 'other', qualifiers: { '1': {} }, recursiveLoop: 'Allow' }),
    ],
  })
})
afterAll(async () => {
  await lambda.close()
  remove(directory)
})

describe('a function that invokes itself', () => {
  it('runs 16 times in one chain; what would be next is handed to the on-failure function', async () => {
    await invoke(lambda.url, 'loops', { run: 1, last: 100 }, 'Event')
    await eventually(() => journal('reports').length === 1)
    expect(journal('loops')).toEqual(Array.from({ length: 16 }, (_, i) => ({ run: i + 1 })))
    expect(journal('reports')[0]).toMatchObject({
      event: {
        requestContext: { condition: 'RecursiveInvocation', approximateInvokeCount: 0 },
        requestPayload: { run: 17 },
      },
    })
  })
})

describe('a synchronous invocation', () => {
  const root = 'Root=1-5759e988-bd862e3fe1be46a994272793'
  const call = (name: string, trace: string) =>
    invokeWith(lambda.url, { FunctionName: name, Payload: '{}' }, { 'X-Amzn-Trace-Id': trace })
  const traceOf = async (name: string, trace: string): Promise<string> =>
    (await call(name, trace)).payload.environment._X_AMZN_TRACE_ID

  async function traceAfter(invocations: number, name: string): Promise<string> {
    let trace = `${root};Sampled=1`
    for (let i = 0; i < invocations; i++) trace = await traceOf(name, trace)
    return trace
  }

  it('is refused when its chain has invoked the function 16 times', async () => {
    const trace = await traceAfter(16, 'echo')
    expect(trace).toMatch(new RegExp(`^${root};Parent=[0-9a-f]{16};Sampled=1;Lineage=[0-9a-f]{8}:16$`))
    await expect(call('echo', trace)).rejects.toMatchObject({
      name: 'RecursiveInvocationException',
      $metadata: { httpStatusCode: 400 },
    })
  })

  it('is counted by function, not by version', async () => {
    const trace = await traceOf('other:1', await traceOf('other', await traceAfter(3, 'echo')))
    expect(trace).toMatch(/;Lineage=[0-9a-f]{8}:3\|[0-9a-f]{8}:2$/)
  })

  it('runs on where that is allowed', async () => {
    expect(await traceAfter(18, 'other')).toMatch(/;Lineage=[0-9a-f]{8}:18$/)
  })
})
