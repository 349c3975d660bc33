import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod'
import type { Callable } from '../core/callable.ts'
import { InvalidInput, NotFound } from '../core/errors.ts'
import { parseExactJson } from '../core/json-text.ts'
import { createRegistry } from '../core/registry.ts'
import { cancelRun } from '../runtime/cancel-run.ts'
import type { Ports } from '../runtime/ports.ts'
import { answerQuestion } from '../runtime/questions.ts'
import { submitRun } from '../runtime/submit-run.ts'
import { readPage } from './artifact-page.ts'
import { answerError, parseRequest } from './errors.ts'
import { viewRun } from './run-view.ts'

/** Lambda takes 6 MB in all. */
const LARGEST_BODY_BYTES = 5 * 1_024 * 1_024

const Submission = z.object({ agent: z.string(), input: z.looseObject({}) })

/** A person's answer to a question: the step that asks and, in maps and repeats, which item or time it is. */
const Answer = z.object({
  step: z.string(),
  indexes: z.array(z.int().min(0)).optional(),
  answer: z.unknown().refine((answer) => answer !== undefined, 'It is missing; null is an answer, too'),
})

/** The HTTP interface: submit a run, look at it, answer what it asks, cancel it; read a list that one saved. Every error is `{ error: { name, message, fields? } }`. */
export function createGateway(ports: Ports, agents: readonly Callable[]): Hono {
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  const registry = createRegistry(agents)
  const limited = bodyLimit({ maxSize: LARGEST_BODY_BYTES, onError: tooLarge })
  const gateway = new Hono()
  gateway.onError(answerError)
  gateway.notFound((context) =>
    answerError(new NotFound(`There is no ${context.req.method} ${context.req.path}`), context),
  )

  gateway.get('/agents', (context) =>
    context.json({
      agents: agents.map(({ name, kind, displayName, description }) => ({
        name,
        kind,
        displayName,
        description,
      })),
    }),
  )

  gateway.post('/runs', limited, async (context) => {
    const { agent: name, input } = await readBody(context, Submission, '{"agent": "…", "input": {…}}')
    const agent = byName.get(name)
    if (!agent) throw new NotFound(`No agent is named "${name}"; known: ${[...byName.keys()].join(', ')}`)
    parseRequest(z.object({ input: agent.input }), { input })
    const idempotencyKey = context.req.header('Idempotency-Key')
    const { kind, runId } = await submitRun(ports, agent, input, { idempotencyKey })
    if (kind === 'conflict') {
      const message = `The Idempotency-Key "${idempotencyKey}" belongs to the run ${runId}, which has another input`
      return context.json({ error: { name: 'InvalidInput', message } }, 409)
    }
    const history = await ports.store.turns.history(runId)
    if (!history) throw new NotFound(noRun(runId))
    return context.json(viewRun(history, ports.clock.now()), 202, { Location: `/runs/${runId}` })
  })

  gateway.get('/runs/:id', async (context) => {
    const history = await ports.store.turns.history(context.req.param('id'))
    if (!history) throw new NotFound(noRun(context.req.param('id')))
    return context.json(viewRun(history, ports.clock.now()))
  })

  gateway.post('/runs/:id/cancel', async (context) => {
    const runId = context.req.param('id')
    if (!(await cancelRun(ports, runId))) throw new NotFound(noRun(runId))
    const history = await ports.store.turns.history(runId)
    if (!history) throw new NotFound(noRun(runId))
    return context.json(viewRun(history, ports.clock.now()))
  })

  gateway.post('/runs/:id/answers', limited, async (context) => {
    const runId = context.req.param('id')
    const { step, indexes, answer } = await readBody(context, Answer, '{"step": "…", "answer": …}')
    const run = await ports.store.runs.read(runId)
    if (!run) throw new NotFound(noRun(runId))
    const doer = registry.get(run.agent)
    if (doer.kind !== 'doer')
      throw new InvalidInput(`The run ${runId} is of a ${doer.kind}, which asks nobody`)
    await answerQuestion(ports, doer, { runId, step, ...(indexes && { indexes }) }, answer)
    return context.json({ run: runId, step }, 202)
  })

  // Whoever knows the id may read: 128 bits that nobody can guess.
  gateway.get('/artifacts/:id', async (context) =>
    context.json(await readPage(ports, context.req.param('id'), context.req.query())),
  )

  return gateway
}

const noRun = (runId: string): string => `No run has the id "${runId}"`

const tooLarge = (): Response =>
  Response.json(
    { error: { name: 'InvalidInput', message: `The body is larger than ${LARGEST_BODY_BYTES} bytes` } },
    { status: 413 },
  )

/** `example`: what would be right. */
async function readBody<S extends z.ZodType>(
  context: Context,
  schema: S,
  example: string,
): Promise<z.output<S>> {
  const text = await context.req.text()
  try {
    return parseRequest(schema, parseExactJson(text))
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new InvalidInput(`The body is not JSON (${error.message}); send ${example}`)
    throw error
  }
}
