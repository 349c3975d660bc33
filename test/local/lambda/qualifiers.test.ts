import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import { fixture, invoke, invokeWith, remove, startQuietly, temporaryDirectory } from './lambda-fixture.ts'

const directory = temporaryDirectory()
const arn = 'arn:aws:lambda:us-east-1:000000000000:function:echo'
let lambda: LocalLambda

beforeAll(async () => {
  const qualifiers = { '3': {}, live: { version: '3' }, next: { version: '$LATEST' }, old: { version: '2' } }
  const functions = [fixture('echo', 'handler', { name: 'echo', qualifiers })]
  lambda = await startQuietly({ directory, functions })
})
afterAll(async () => {
  await lambda.close()
  remove(directory)
})

/** What the answer and the function say of the version. */
async function versionsOf(FunctionName: string, Qualifier?: string) {
  const answer = await invokeWith(lambda.url, { FunctionName, Qualifier, Payload: '{}' })
  const { context, environment } = answer.payload
  return [
    answer.executedVersion,
    context.functionVersion,
    environment.AWS_LAMBDA_FUNCTION_VERSION,
    context.invokedFunctionArn,
  ]
}

describe('an invocation', () => {
  it('without a qualifier runs $LATEST', async () => {
    expect(await versionsOf('echo')).toEqual(['$LATEST', '$LATEST', '$LATEST', arn])
    expect(await versionsOf(`${arn}:$LATEST`)).toEqual(['$LATEST', '$LATEST', '$LATEST', `${arn}:$LATEST`])
  })

  it('of a version runs that, in a process of its own', async () => {
    expect(await versionsOf('echo', '3')).toEqual(['3', '3', '3', `${arn}:3`])
    const pids = await Promise.all(
      ['echo', 'echo:3'].map(async (name) => (await invoke(lambda.url, name)).payload.pid),
    )
    expect(new Set(pids).size).toBe(2)
  })

  it('of an alias runs the alias’s version, however the alias is named', async () => {
    const live = ['3', '3', '3', `${arn}:live`]
    expect(await versionsOf('echo', 'live')).toEqual(live)
    expect(await versionsOf('echo:live')).toEqual(live)
    expect(await versionsOf(`${arn}:live`)).toEqual(live)
    expect(await versionsOf('000000000000:function:echo:live', 'live')).toEqual(live)
    expect(await versionsOf('echo:next')).toEqual(['$LATEST', '$LATEST', '$LATEST', `${arn}:next`])
  })

  it('of a version that only an alias names runs it', async () => {
    expect(await versionsOf('echo:2')).toEqual(['2', '2', '2', `${arn}:2`])
  })

  it('of a version or alias that is not there is refused, asynchronous ones too', async () => {
    const name = 'ResourceNotFoundException'
    await expect(invoke(lambda.url, 'echo:4')).rejects.toMatchObject({
      name,
      message: `Function not found: ${arn}:4`,
      $metadata: { httpStatusCode: 404 },
    })
    await expect(invoke(lambda.url, 'echo:constructor', {}, 'Event')).rejects.toMatchObject({ name })
  })

  it('with two qualifiers that differ is refused', async () => {
    await expect(versionsOf('echo:live', '3')).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message: 'The derived qualifier from the function name does not match the specified qualifier.',
    })
  })
})

describe('a definition', () => {
  it('is refused when its alias names no version, or its version does', async () => {
    const problem = /An alias names its version, as in \{ live: \{ version: "3" \} \}; a version names none/
    const withAlias = fixture('echo', 'echoes', { qualifiers: { live: {} } })
    await expect(lambda.addFunctions([withAlias])).rejects.toThrow(problem)
    const withVersion = fixture('echo', 'echoes', { qualifiers: { '3': { version: '2' } } })
    await expect(lambda.addFunctions([withVersion])).rejects.toThrow(problem)
  })

  it('is refused when a destination of an alias is not there', async () => {
    const asynchronous = { retries: 0, maximumEventAgeSeconds: 60, onSuccess: 'nobody' } as const
    const lost = fixture('echo', 'echoes', { qualifiers: { live: { version: '1', asynchronous } } })
    await expect(lambda.addFunctions([lost])).rejects.toThrow(
      '"echoes" sends its successes to "nobody"; known: echo, echoes',
    )
  })
})
