import { readFile } from 'node:fs/promises'
import type { CallView, RunView } from '../../src/gateway/run-view.ts'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import {
  type RecordedRequest,
  type ScriptedReply,
  startScriptedModel,
} from '../../src/local/models/scripted.ts'
import type { Note } from '../fixtures/shop/functions/lib/note.ts'
import { type GatewayClient, startTestProject } from '../support/test-project.ts'

/** What the model says in one turn; a function is asked when the turn comes, and may take its time. */
export type Reply = ScriptedReply | ((request: RecordedRequest) => ScriptedReply | Promise<ScriptedReply>)

export interface Shop {
  readonly gateway: GatewayClient
  readonly environment: Readonly<Record<string, string>>
  readonly model: ModelServer
  /** Says what the model replies to a task, turn by turn; answers the task's text, which is nobody else's. */
  script(replies: readonly Reply[]): string
  /** Submits a task to the clerk that the model replies to like this. */
  submit(replies: readonly Reply[]): Promise<RunView>
  /** Submits it and looks until it has ended. */
  run(replies: readonly Reply[]): Promise<RunView>
  /** All that the model was sent last in this run. */
  conversation(run: RunView): RecordedRequest['messages']
  /** What the model has read of its calls' ends in this run, in their order. */
  toolTexts(run: RunView): string[]
  /** The lines that the tools have written, of one item or all. */
  journal(item?: string): Promise<Note[]>
  close(): Promise<void>
}

export const answer = (done: string): ScriptedReply => ({ text: JSON.stringify({ done }) })

/** A turn that asks for these calls at once. */
export const calls = (...asked: readonly [name: string, input: object | string][]): ScriptedReply => ({
  calls: asked.map(([name, input]) => ({ name, arguments: input })),
})

/** The fixture project on a stack of its own, with a model that answers each run by the script of its task. */
export async function startShop(): Promise<Shop> {
  const scripts = new Map<string, readonly Reply[]>()
  const model = await startScriptedModel({
    replies: (request) => {
      const reply = scripts.get(taskOf(request))?.[repliesIn(request)]
      if (reply === undefined)
        throw new Error(`Nothing is scripted for reply ${repliesIn(request)} of ${taskOf(request)}`)
      return typeof reply === 'function' ? reply(request) : reply
    },
  })
  const project = await startTestProject({
    functionsDirectory: 'test/fixtures/shop/functions',
    modelUrl: model.url,
    stack: { maximumProcesses: 10 }, // one for each function, so that none waits for another's to be ended
  })
  const { gateway, environment } = project

  const script = (replies: readonly Reply[]) => {
    const task = `task ${scripts.size + 1}`
    scripts.set(task, replies)
    return task
  }
  const submit = (replies: readonly Reply[]) => gateway.submit('clerk', { task: script(replies) })
  const conversation = ({ input }: RunView) =>
    model.requests.findLast((request) => taskOf(request) === taskIn(input))?.messages ?? []

  return {
    gateway,
    environment,
    model,
    script,
    submit,
    run: async (replies) => {
      const { id } = await submit(replies)
      return eventually(async () => {
        const run = await gateway.look(id)
        return run.status !== 'running' && run
      }, PATIENT.timeout)
    },
    conversation,
    toolTexts: (run) =>
      conversation(run).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : [])),
    async journal(item) {
      const lines = (await readFile(String(environment.SHOP_JOURNAL), 'utf8')).split('\n').filter(Boolean)
      const notes = lines.map((line): Note => JSON.parse(line))
      return item === undefined ? notes : notes.filter((note) => note.item === item)
    },
    async close() {
      await project.close()
      await model.close()
    },
  }
}

/** For tests that share a stack at the same time on a busy machine. */
export const PATIENT = { timeout: 90_000 }

/** Each look costs the gateway and the table some milliseconds of what the runs themselves need. */
const LOOK_EVERY_MS = 200

/** Looks again until something is there, or throws. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false>,
  withinMs = 30_000,
): Promise<T> {
  const giveUpAt = Date.now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > giveUpAt) throw new Error(`Not within ${withinMs} ms: ${look}`)
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS))
  }
}

/** The calls of a run's turn, counted from 1. */
export const callsOf = (run: RunView, turn: number): readonly CallView[] => run.turns[turn - 1]?.calls ?? []

const taskIn = (input: unknown): string => (input as { task: string }).task

/** The first thing that a user says in a conversation is the run's input. */
function taskOf({ messages }: RecordedRequest): string {
  return taskIn(JSON.parse(String(messages.find(({ role }) => role === 'user')?.content)))
}

const repliesIn = ({ messages }: RecordedRequest): number =>
  messages.filter(({ role }) => role === 'assistant').length
