import { once } from 'node:events'
import { type ProjectOptions, startProject, startServedProject } from './start-project.ts'

/** `turnwise start`: the stand-ins and the gateway, until Ctrl-C. */
export async function serveGateway(options: ProjectOptions & { readonly port: number }): Promise<void> {
  const { stack, gateway, close } = await startServedProject(options)
  const lines = [
    stack.isRehearsal
      ? 'No OPENAI_API_KEY is set: the rehearsal model answers. It follows fixed rules and is no language model.'
      : `Models are those of catalog.json at ${options.env.OPENAI_BASE_URL ?? 'OpenAI'}`,
    `Gateway: ${gateway.url}`,
    'Try:',
    `  curl -s ${gateway.url}/runs -H 'Content-Type: application/json' -d '{"agent":"order_agent","input":{"question":"Where is order A-1007?"}}'`,
    `  curl -s ${gateway.url}/runs/ID`,
    'Ctrl-C ends it when what runs has ended or its timeout has passed, a second one at once; what is left goes on at the next start.',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  await untilStopped(close)
}

/** `turnwise local`: the AWS stand-ins alone, each named as the SDK reads it, until Ctrl-C. */
export async function serveStandIns(options: ProjectOptions): Promise<void> {
  const stack = await startProject(options)
  const { dynamoDb, stepFunctions, lambda } = stack.endpoints
  process.stdout.write(
    `AWS_ENDPOINT_URL_DYNAMODB=${dynamoDb}\nAWS_ENDPOINT_URL_SFN=${stepFunctions}\nAWS_ENDPOINT_URL_LAMBDA=${lambda}\n`,
  )
  await untilStopped(() => stack.close())
}

/** A second signal while it closes ends the process at once. */
async function untilStopped(close: () => Promise<void>): Promise<void> {
  const keepAlive = setInterval(() => undefined, 2 ** 30)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  process.once('SIGINT', () => process.exit(130))
  process.stderr.write('Closing …\n')
  await close()
  clearInterval(keepAlive)
}
