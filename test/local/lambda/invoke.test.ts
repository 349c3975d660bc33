import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import { fixture, invoke, invokeWith, remove, startQuietly, temporaryDirectory } from './lambda-fixture.ts'

const directory = temporaryDirectory()
const printed: string[] = []
let lambda: LocalLambda

beforeAll(async () => {
  lambda = await startQuietly({
    directory,
    log: (line) => printed.push(line),
    environment: { SHARED: 'for all' },
    functions: [
      fixture('echo', 'handler', { name: 'echo', environment: { OWN: 'for one' } }),
      fixture('echo', 'nothing'),
      fixture('echo', 'absent'),
      fixture('fails-to-load', 'handler', { name: 'failsToLoad' }),
      fixture('troubles', 'throws'),
      fixture('troubles', 'loops', { timeoutSeconds: 1 }),
      fixture('troubles', 'waits', { timeoutSeconds: 1 }),
      fixture('troubles', 'exits'),
      fixture('troubles', 'fillsMemory', { memoryMb: 128 }),
      fixture('troubles', 'rejectsInTheBackground'),
      fixture('troubles', 'circular'),
      fixture('troubles', 'readsProjectFile'),
      fixture('troubles', 'printsNoNewline'),
      fixture('troubles', 'large'),
    ],
  })
})
afterAll(async () => {
  await lambda.close()
  remove(directory)
})

const call = (name: string, payload?: unknown) => invoke(lambda.url, name, payload)
const arn = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${name}`

describe('an invocation that succeeds', () => {
  it('gives the handler its event and context', async () => {
    const { status, functionError, requestId, payload } = await call('echo', { a: [1, 'ü'] })
    expect({ status, functionError, event: payload.event, context: payload.context }).toEqual({
      status: 200,
      functionError: undefined,
      event: { a: [1, 'ü'] },
      context: {
        awsRequestId: requestId,
        functionName: 'echo',
        functionVersion: '$LATEST',
        memoryLimitInMB: '256',
        invokedFunctionArn: arn('echo'),
        callbackWaitsForEmptyEventLoop: true,
        remainingMs: expect.closeTo(10_000, -3),
      },
    })
  })

  it('shows the function what Lambda sets and what is given, and nothing else of the host’s environment', async () => {
    const { payload } = await call('echo')
    const { PATH: _path, ...environment } = payload.environment
    const seen = Object.entries(environment).filter(([name]) => !/^AWS_ENDPOINT_URL_(?!LAMBDA)/.test(name))
    expect(Object.fromEntries(seen)).toEqual({
      AWS_ACCESS_KEY_ID: 'local',
      AWS_ENDPOINT_URL_LAMBDA: lambda.url,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
      AWS_LAMBDA_FUNCTION_NAME: 'echo',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_REGION: 'us-east-1',
      AWS_SECRET_ACCESS_KEY: 'local',
      OWN: 'for one',
      SHARED: 'for all',
      TZ: 'UTC',
      _X_AMZN_TRACE_ID: expect.stringMatching(
        /^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0;Lineage=[0-9a-f]{8}:1$/,
      ),
    })
  })

  it('uses the process again, for a name, an ARN and an ARN with a qualifier', async () => {
    const answers = [await call('echo'), await call(arn('echo')), await call(`${arn('echo')}:$LATEST`)]
    expect(new Set(answers.map(({ payload }) => payload.pid)).size).toBe(1)
  })

  it('answers null for a handler that returns nothing', async () => {
    expect((await call('nothing')).payload).toBe(null)
  })

  it('prints each line of the function with its name and request id', async () => {
    const { requestId } = await call('echo', { hello: 1 })
    expect(printed).toContain(`[echo ${requestId}] got {"hello":1}`)
  })

  it('gives who asks for it the tail of the log, at most 4 KB', async () => {
    const withTail = (event: string) =>
      invokeWith(lambda.url, { FunctionName: 'echo', LogType: 'Tail', Payload: JSON.stringify(event) })
    expect((await withTail('hello')).log).toBe('got "hello"\n')
    expect((await withTail('x'.repeat(5_000))).log).toBe(`${'x'.repeat(4_094)}"\n`)
    expect((await call('echo', { hello: 1 })).log).toBe(undefined)
  })

  it('has the last line in its log that the function prints without a newline', async () => {
    const call = (last: string, exits: boolean) =>
      invokeWith(lambda.url, {
        FunctionName: 'printsNoNewline',
        LogType: 'Tail',
        Payload: JSON.stringify({ last, exits }),
      })
    const first = await call('one', false)
    expect(first.log).toBe('first\none\n')
    expect((await call('two', false)).log).toBe('first\ntwo\n')
    expect(printed).toContain(`[printsNoNewline ${first.requestId}] one`)
    const exited = await call('three', true)
    await expect.poll(() => printed).toContain(`[printsNoNewline ${exited.requestId}] three`)
  })

  it('runs nothing for a dry run', async () => {
    expect(await invoke(lambda.url, 'exits', { code: 1 }, 'DryRun')).toMatchObject({
      status: 204,
      payload: undefined,
    })
  })
})

describe('an invocation that fails', () => {
  it('reports what the handler throws by its name', async () => {
    const { status, functionError, payload } = await call('throws')
    expect({ status, functionError, payload }).toEqual({
      status: 200,
      functionError: 'Unhandled',
      payload: { errorType: 'OutOfStock', errorMessage: 'No more of "A-1"', trace: expect.any(Array) },
    })
    expect(payload.trace[0]).toBe('OutOfStock: No more of "A-1"')
  })

  it('reports a module that does not load, and a handler that is not there', async () => {
    const [loading, absent] = [await call('failsToLoad'), await call('absent')]
    expect(loading.payload).toMatchObject({
      errorType: 'TypeError',
      errorMessage: 'The module does not load',
    })
    expect(absent.payload).toMatchObject({
      errorType: 'Runtime.HandlerNotFound',
      errorMessage: 'absent is undefined or not exported',
    })
  })

  it('reports a rejection that nobody handles', async () => {
    expect((await call('rejectsInTheBackground')).payload).toMatchObject({
      errorType: 'Runtime.UnhandledPromiseRejection',
      errorMessage: 'nobody waits for this',
    })
  })

  it('reports a result that is not JSON', async () => {
    expect((await call('circular')).payload).toMatchObject({ errorType: 'Runtime.MarshalError' })
  })

  it('does not find the files of the project, which are not deployed with its bundle', async () => {
    expect((await call('readsProjectFile')).payload).toMatchObject({
      errorMessage: "ENOENT: no such file or directory, open 'package.json'",
    })
  })

  it('reports a process that exits, with its status', async () => {
    const { requestId, functionError, payload } = await call('exits', { code: 3 })
    expect({ functionError, payload }).toEqual({
      functionError: 'Unhandled',
      payload: {
        errorType: 'Runtime.ExitError',
        errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: exit status 3`,
      },
    })
    expect((await call('exits', { code: 0 })).payload.errorMessage).toMatch(
      'Runtime exited without providing a reason',
    )
  })
})

describe('N3 a tool has its own timeout', () => {
  it('kills a function that loops at its timeout', async () => {
    const startedAtMs = performance.now()
    const { requestId, functionError, payload } = await call('loops')
    expect({ functionError, payload }).toEqual({
      functionError: 'Unhandled',
      payload: {
        errorType: 'Sandbox.Timedout',
        errorMessage: `RequestId: ${requestId} Error: Task timed out after 1.00 seconds`,
      },
    })
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(1_000)
    expect(printed).toContain(`[loops ${requestId}] about to loop`)
  })

  it('kills a function that waits, too', async () => {
    expect((await call('waits')).payload).toMatchObject({ errorType: 'Sandbox.Timedout' })
  })

  it('kills a function that fills its memory and leaves another’s call alone', async () => {
    const other = call('waits') // runs all the while
    const { requestId, payload } = await call('fillsMemory')
    expect(payload).toEqual({
      errorType: 'Runtime.ExitError',
      errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: signal: killed`,
    })
    expect((await other).payload.errorType).toBe('Sandbox.Timedout') // its own end, not the neighbour’s
    expect((await call('echo', 1)).payload.event).toBe(1)
  })
})

describe('what Lambda refuses', () => {
  it('does not know a function', async () => {
    await expect(call('nobody')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: `Function not found: ${arn('nobody')}`,
      $metadata: { httpStatusCode: 404 },
    })
  })

  it('takes JSON alone', async () => {
    await expect(call('echo', '{"a":')).rejects.toMatchObject({ name: 'InvalidRequestContentException' })
  })

  it('takes 6 MB in a synchronous request, and not a byte more', async () => {
    const limitBytes = 6 * 1024 * 1024
    expect((await call('nothing', JSON.stringify('x'.repeat(limitBytes - 2)))).status).toBe(200)
    await expect(call('nothing', JSON.stringify('x'.repeat(limitBytes - 1)))).rejects.toMatchObject({
      name: 'RequestTooLargeException',
      $metadata: { httpStatusCode: 413 },
    })
  })

  it('takes 1 MB in an asynchronous request, and not a byte more', async () => {
    const limitBytes = 1024 * 1024
    const send = (length: number) =>
      invoke(lambda.url, 'nothing', JSON.stringify('x'.repeat(length - 2)), 'Event')
    expect((await send(limitBytes)).status).toBe(202)
    await expect(send(limitBytes + 1)).rejects.toMatchObject({ name: 'RequestTooLargeException' })
  })

  it('turns a response above 6 MB into an error', async () => {
    const limitBytes = 6 * 1024 * 1024 + 100
    expect((await call('large', { sizeBytes: limitBytes })).functionError).toBe(undefined)
    expect((await call('large', { sizeBytes: limitBytes + 1 })).payload).toEqual({
      errorType: 'Function.ResponseSizeTooLarge',
      errorMessage: 'Response payload size exceeded maximum allowed payload size (6291556 bytes).',
    })
  })

  it('knows one function by a name', async () => {
    const again = fixture('echo', 'nothing')
    await expect(lambda.addFunctions([again])).rejects.toThrow('Two functions are named "nothing"')
  })

  it('names the definition that is outside Lambda’s bounds', async () => {
    const tooLong = fixture('echo', 'nothing', { name: 'tooLong', timeoutSeconds: 901 })
    await expect(lambda.addFunctions([tooLong])).rejects.toThrow(
      /Lambda refuses "tooLong":\n.*<=900\n.*timeoutSeconds/,
    )
    const lost = fixture('echo', 'nothing', {
      name: 'lost',
      asynchronous: { retries: 0, maximumEventAgeSeconds: 60, onFailure: 'nobody' },
    })
    await expect(lambda.addFunctions([lost])).rejects.toThrow(
      '"lost" sends its failures to "nobody"; known: echo,',
    )
  })
})
