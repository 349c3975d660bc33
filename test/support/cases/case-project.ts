import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import {
  DescribeExecutionCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  SFNClient,
} from '@aws-sdk/client-sfn'
import type { RunView } from '../../../src/gateway/run-view.ts'
import type { Fault, FaultyInvocation } from '../../../src/local/lambda/faults.ts'
import { LOCAL_CREDENTIALS } from '../../../src/local/stack/environment.ts'
import type { Note } from '../../fixtures/doer-cases/functions/lib/note.ts'
import { historyOf } from '../../local/step-functions/stage.ts'
import { functionProcesses, killProcess } from '../faults/function-processes.ts'
import { createSkippableTime } from '../faults/skippable-time.ts'
import { type GatewayClient, startTestProject } from '../test-project.ts'
import { type CaseModel, startCaseModel } from './case-model.ts'
import { childOf, endedAfterWaits } from './skip-waits.ts'

export interface CaseProject {
  readonly gateway: GatewayClient
  readonly model: CaseModel
  /** Submits a doer and looks until it has ended; what its thinker waits for is skipped. */
  run(agent: string, input: unknown): Promise<RunView>
  /** The same for one that was submitted. */
  ended(id: string): Promise<RunView>
  /** The run of a doer's last step. */
  childOf(run: RunView): Promise<RunView>
  /** What tools did with an item. */
  notesOf(item: string): readonly Note[]
  skip(ms: number): void
  /** SIGKILL to every process of a function. */
  killFunctions(): Promise<void>
  /** Has the next invocations of a function go wrong, so many of them. */
  fail(functionId: string, fault: Fault, times: number): void
  /** The invocations of a function whose payload has the text, in their order. */
  invocationsOf(functionId: string, text: string): readonly FaultyInvocation[]
  /** Sends the invocation to its function once more, and waits for its end. */
  deliverAgain(invocation: FaultyInvocation): Promise<void>
  /** The inputs of all executions of a doer under the id of a run. */
  executionInputs(doer: string, runId: string): Promise<readonly (string | undefined)[]>
  history(doer: string, runId: string): Promise<readonly HistoryEvent[]>
  close(): Promise<void>
}

/** The fixture of doers on a stack of its own, in time that can be skipped, with a model that answers by question. */
export async function startCaseProject(): Promise<CaseProject> {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-cases-'))
  const journal = join(directory, 'journal.jsonl')
  writeFileSync(journal, '')
  const time = createSkippableTime()
  const model = await startCaseModel()
  const invocations: FaultyInvocation[] = []
  const isOf = (functionId: string, { functionName }: FaultyInvocation) =>
    functionName.endsWith(`-${functionId}`)
  let decide: (invocation: FaultyInvocation) => Fault | undefined = () => undefined
  const project = await startTestProject({
    functionsDirectory: 'test/fixtures/doer-cases/functions',
    modelUrl: model.url,
    stack: {
      sweepEveryMs: 500,
      projectEnvironment: { ...time.environment, CASES_JOURNAL: journal },
      faults(invocation) {
        invocations.push(invocation)
        return decide(invocation)
      },
    },
  })
  const { gateway, environment } = project
  const clientOptions = (service: string) => ({
    endpoint: String(environment[`AWS_ENDPOINT_URL_${service}`]),
    region: 'us-east-1',
    credentials: LOCAL_CREDENTIALS,
  })
  const machines = new SFNClient(clientOptions('SFN'))
  const lambda = new LambdaClient(clientOptions('LAMBDA'))
  const arnOf = (kind: string, doer: string) =>
    `${environment.TURNWISE_STATES_ARN}${kind}:${environment.TURNWISE_PREFIX}-${doer}`
  const ended = (id: string) => endedAfterWaits(gateway, time, id)

  return {
    gateway,
    model,
    ended,
    run: async (agent, input) => ended((await gateway.submit(agent, input)).id),
    childOf: (run) => childOf(gateway, run),
    notesOf: (item) =>
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line): Note => JSON.parse(line))
        .filter((note) => note.item === item),
    skip: time.skip,
    async killFunctions() {
      for (const pid of await functionProcesses(project.directory)) killProcess(pid)
    },
    fail(functionId, fault, times) {
      let left = times
      decide = (invocation) => {
        if (left === 0 || !isOf(functionId, invocation)) return undefined
        left -= 1
        return fault
      }
    },
    invocationsOf: (functionId, text) =>
      invocations.filter(
        (invocation) => isOf(functionId, invocation) && String(invocation.payload).includes(text),
      ),
    async deliverAgain({ functionName, payload }) {
      await lambda.send(new InvokeCommand({ FunctionName: functionName, Payload: String(payload) }))
    },
    async executionInputs(doer, runId) {
      const { executions = [] } = await machines.send(
        new ListExecutionsCommand({ stateMachineArn: arnOf('stateMachine', doer) }),
      )
      const own = executions.filter(({ name }) => name === runId)
      return Promise.all(
        own.map(
          async ({ executionArn }) =>
            (await machines.send(new DescribeExecutionCommand({ executionArn }))).input,
        ),
      )
    },
    history: (doer, runId) => historyOf(machines, `${arnOf('execution', doer)}:${runId}`),
    async close() {
      machines.destroy()
      lambda.destroy()
      await project.close()
      await model.close()
      time.remove()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
