import { rm } from 'node:fs/promises'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { startServedProject } from '../src/cli/start-project.ts'
import { functionName } from '../src/core/function-name.ts'
import type { RunView } from '../src/gateway/run-view.ts'
import { LOCAL_CREDENTIALS, LOCAL_PREFIX } from '../src/local/stack/environment.ts'
import { median } from './median.ts'
import { time } from './time.ts'

const ROUNDS = 5
const RUNS = 50
/** A run of the example: a turn, a tool, a turn. */
const INVOCATIONS_PER_RUN = 3
const stateDirectory = '.turnwise/bench'

/** How much a run costs beyond the invocations that it consists of. */
export async function benchRuns(): Promise<void> {
  await rm(stateDirectory, { recursive: true, force: true })
  const project = await startServedProject({
    directory: '.',
    stateDirectory,
    // Always the rehearsal model: a provider's latency is no figure of ours.
    env: { PATH: process.env.PATH },
    log: () => undefined,
    port: 0,
  })
  const client = new LambdaClient({
    endpoint: project.stack.endpoints.lambda,
    region: 'us-east-1',
    credentials: LOCAL_CREDENTIALS,
  })
  try {
    await manyRuns(project.gateway.url)
    const runs: number[] = []
    const bare: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await time(() => bareInvocations(client)))
      runs.push(await time(() => manyRuns(project.gateway.url)))
    }
    const perRun = median(runs) / RUNS
    const perBareRun = median(bare) / RUNS
    process.stdout.write(
      `${RUNS} runs at once, ${ROUNDS} rounds: ${perRun.toFixed(1)} ms a run; ` +
        `${INVOCATIONS_PER_RUN} bare invocations with one read each: ${perBareRun.toFixed(1)} ms; ratio ${(perRun / perBareRun).toFixed(2)}\n`,
    )
  } finally {
    client.destroy()
    await project.close()
  }
}

async function manyRuns(gateway: string): Promise<void> {
  await Promise.all(Array.from({ length: RUNS }, (_, index) => oneRun(gateway, 1001 + index)))
}

async function oneRun(gateway: string, order: number): Promise<void> {
  const submission = { agent: 'order_agent', input: { question: `Where is order A-${order}?` } }
  let run = await ask(`${gateway}/runs`, { method: 'POST', body: JSON.stringify(submission) })
  while (run.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 50))
    run = await ask(`${gateway}/runs/${run.id}`)
  }
  if (run.status !== 'completed') throw new Error(`A run ended ${run.status}`)
}

const ask = async (url: string, request: RequestInit = {}): Promise<RunView> =>
  (await fetch(url, request)).json() as Promise<RunView>

/** As many invocations as the runs make, of a function that reads one item and finds nothing to do. */
async function bareInvocations(client: LambdaClient): Promise<void> {
  const command = () =>
    new InvokeCommand({
      FunctionName: functionName(LOCAL_PREFIX, 'resume'),
      Payload: JSON.stringify({ kind: 'nudge', runId: 'nobody' }),
    })
  await Promise.all(Array.from({ length: RUNS * INVOCATIONS_PER_RUN }, () => client.send(command())))
}
