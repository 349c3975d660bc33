import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  ContextOverflow,
  Denied,
  ExternalService,
  Internal,
  Interrupted,
  InvalidInput,
  NotFound,
  Throttled,
  Timeout,
} from '../../src/core/errors.ts'
import { answerError, parseRequest } from '../../src/gateway/errors.ts'

/** What a client sees of what a handler does. */
async function answerOf(handle: () => unknown) {
  const app = new Hono()
  app.onError(answerError)
  app.get('/', (context) => context.json({ value: handle() }))
  const response = await app.request('/')
  return { status: response.status, body: await response.json() }
}
const thrown = (error: Error) =>
  answerOf(() => {
    throw error
  })

const Body = z.object({
  agent: z.string(),
  input: z.object({ orders: z.array(z.object({ number: z.string() })) }),
})

describe('an error as the client sees it', () => {
  it.each<[Error, number, string]>([
    [new InvalidInput('Wrong'), 400, 'Wrong'],
    [new Denied('Not you'), 403, 'Not you'],
    [new NotFound('No run has the id "a"'), 404, 'No run has the id "a"'],
    [new Throttled('Later'), 429, 'Later'],
    [new Internal('Ours'), 500, 'Ours'],
    [new Interrupted('Midway'), 409, 'Midway'],
    [new ContextOverflow('Too long'), 500, 'Too long'],
    [new ExternalService('LLM', 'away'), 502, 'LLM: away'],
    [new Timeout('Too slow'), 409, 'Too slow'],
  ])('says whose problem it is and what was wrong: %s', async (error, status, message) => {
    expect(await thrown(error)).toEqual({ status, body: { error: { name: error.name, message } } })
  })

  it('tells nothing of our insides when it is none of ours', async () => {
    const logged: unknown[] = []
    const log = console.error
    console.error = (...line) => logged.push(...line)
    const error = new TypeError('Cannot read "secret" of undefined')
    const answer = await thrown(error)
    console.error = log
    expect(answer).toEqual({
      status: 500,
      body: { error: { name: 'Internal', message: 'Something went wrong here; the log has the rest' } },
    })
    expect(logged).toEqual([error])
  })
})

describe('a part of a request', () => {
  it('that fits is read', async () => {
    const value = { agent: 'a', input: { orders: [] } }
    expect(await answerOf(() => parseRequest(Body, value))).toEqual({ status: 200, body: { value } })
  })

  it('that does not fit is a 400 that names each field', async () => {
    const value = { input: { orders: [{ number: 'A-1' }, { number: 2 }] } }
    const fields = [
      { field: 'agent', problem: 'Invalid input: expected string, received undefined' },
      { field: 'input.orders.1.number', problem: 'Invalid input: expected string, received number' },
    ]
    expect(await answerOf(() => parseRequest(Body, value))).toEqual({
      status: 400,
      body: {
        error: {
          name: 'InvalidInput',
          message: fields.map(({ field, problem }) => `${field}: ${problem}`).join('; '),
          fields,
        },
      },
    })
  })

  it('that is something else altogether is a 400 that says so', async () => {
    expect(await answerOf(() => parseRequest(Body, []))).toMatchObject({
      status: 400,
      body: { error: { message: 'Invalid input: expected object, received array' } },
    })
  })
})
