import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type InvocationType,
  InvokeCommand,
  type InvokeCommandInput,
  LambdaClient,
} from '@aws-sdk/client-lambda'
import type { LambdaOptions } from '../../../src/local/lambda/lambda-options.ts'
import type { LocalFunction } from '../../../src/local/lambda/local-function.ts'
import { type LocalLambda, startLambda } from '../../../src/local/lambda/start-lambda.ts'

/** A function of one of the fixture files: `fixture('troubles', 'throws')` is named `throws`. */
export function fixture(file: string, handler: string, settings: Partial<LocalFunction> = {}): LocalFunction {
  const entry = fileURLToPath(new URL(`./fixtures/${file}.ts`, import.meta.url))
  return { name: handler, entry, handler, timeoutSeconds: 10, memoryMb: 256, ...settings }
}

export const temporaryDirectory = () => mkdtempSync(join(tmpdir(), 'turnwise-lambda-'))
export const remove = (directory: string) => rmSync(directory, { recursive: true, force: true })

const clients = new Map<string, LambdaClient>()

/** One client for each URL, as a long-lived caller has it; it does not repeat what failed. */
export function lambdaClient(endpoint: string): LambdaClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client =
    clients.get(endpoint) ?? new LambdaClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
  clients.set(endpoint, client)
  return client
}

/** Invokes and reads the answer; `payload` of the answer is parsed JSON. */
export function invoke(
  url: string,
  name: string,
  payload: unknown = {},
  type: InvocationType = 'RequestResponse',
) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return invokeWith(url, { FunctionName: name, InvocationType: type, Payload: Buffer.from(body) })
}

/** The same, with anything that the request may carry. */
export async function invokeWith(
  url: string,
  input: InvokeCommandInput,
  headers: Readonly<Record<string, string>> = {},
) {
  const command = new InvokeCommand(input)
  command.middlewareStack.add(
    (next) => async (args) => {
      const { request } = args as { request: { headers: Record<string, string> } } // HTTP, as the SDK knows it here
      Object.assign(request.headers, headers)
      return next(args)
    },
    { step: 'build' },
  )
  const answer = await lambdaClient(url).send(command)
  const text = Buffer.from(answer.Payload ?? []).toString('utf8')
  return {
    status: answer.StatusCode,
    functionError: answer.FunctionError,
    requestId: answer.$metadata.requestId,
    executedVersion: answer.ExecutedVersion,
    log: answer.LogResult && Buffer.from(answer.LogResult, 'base64').toString('utf8'),
    payload: text === '' ? undefined : JSON.parse(text),
  }
}

export const startQuietly = (options: LambdaOptions): Promise<LocalLambda> =>
  startLambda({ closeGraceMs: 0, ...options })

/** A stand-in in a process of its own, that can be killed. */
export async function startHost(options: LambdaOptions): Promise<{ url: string; kill(): Promise<void> }> {
  const module = fileURLToPath(new URL('./fixtures/host.ts', import.meta.url))
  const host = fork(module, [JSON.stringify(options)], { execArgv: [], env: { PATH: process.env.PATH } })
  const [{ url }] = (await once(host, 'message')) as [{ url: string }]
  return {
    url,
    async kill() {
      host.kill('SIGKILL')
      await once(host, 'exit')
    },
  }
}

/** The entries of a journal that the fixtures wrote, in order. */
export function readJournal(file: string): readonly Record<string, unknown>[] {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

/** Waits until `look` finds something; for what other processes do. */
export async function eventually<T>(look: () => T | undefined | false, withinMs = 10_000): Promise<T> {
  const endMs = performance.now() + withinMs
  for (;;) {
    const found = look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > endMs) throw new Error(`Nothing within ${withinMs} ms: ${look}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
