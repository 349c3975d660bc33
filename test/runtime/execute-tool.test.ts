import { type CallOutcome, NotFound, resource, type ToolContext, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createManualClock } from '../../src/local/manual-clock.ts'
import { executeTool } from '../../src/runtime/execute-tool.ts'
import { createArtifacts } from '../../src/runtime/list-artifacts.ts'
import { EXPIRES_AT } from '../store/records.ts'
import { createStage, settled } from './stage.ts'

const never = new Promise<never>(() => undefined)
const interrupted = (message: string) => ({ ok: false, failure: { name: 'Interrupted', message } })

type Code = (context: ToolContext) => unknown
interface Given {
  readonly readOnly?: boolean
  readonly idempotent?: boolean
  readonly output?: z.ZodType
  readonly close?: (outcome: CallOutcome) => void | Promise<void>
  readonly isCancelled?: () => Promise<boolean>
  readonly onFault?: (error: unknown) => void
}

/** Runs a tool of 30 s that holds a database; what becomes of the database is heard. */
function start(code: Code, given: Given = {}) {
  const clock = createManualClock()
  const heard: string[] = []
  const db = resource({
    name: 'db',
    open: () => {
      heard.push('open')
      return 'db'
    },
    async close(_, outcome) {
      heard.push(`close: ${outcome}`)
      await given.close?.(outcome)
    },
  })
  const { readOnly = false, idempotent = false, output = z.unknown() } = given
  const definition = tool({
    name: 'charge',
    description: 'Charges',
    input: z.object({}),
    output,
    resources: { db },
    timeoutSeconds: 30,
    readOnly,
    idempotent,
  }).run((_, context) => code(context as unknown as ToolContext))
  const executed = executeTool(
    definition,
    {},
    {
      clock,
      env: {},
      idempotencyKey: 'key',
      caller: { runId: 'run', agent: 'order_agent', callId: '1/0' },
      artifacts: (signal) => createArtifacts(createStage().ports, { expiresAt: EXPIRES_AT, signal }),
      isCancelled: given.isCancelled ?? (async () => false),
      ...(given.onFault && { onFault: given.onFault }),
    },
  )
  /** Moves the clock second by second, so that what is async between timers happens. */
  const advance = async (seconds: number) => {
    await settled()
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000)
      await settled()
    }
  }
  return { executed, heard, advance }
}

const useDb: Code = ({ resources }) => resources.db?.()

describe('N2 what a call holds is released however it ends', () => {
  it('when the code returns', async () => {
    const { executed, heard } = start(useDb)
    expect(await executed).toEqual({
      outcome: 'succeeded',
      end: { ok: true, value: 'db' },
      isStillRunning: false,
    })
    expect(heard).toEqual(['open', 'close: succeeded'])
  })

  it('is not opened when the code does not use it', async () => {
    const { executed, heard } = start(() => 1)
    await executed
    expect(heard).toEqual([])
  })

  it.each<[string, Code]>([
    [
      'throws',
      (context) => Promise.resolve(useDb(context)).then(() => Promise.reject(new NotFound('No order'))),
    ],
    [
      'throws at once',
      (context) => {
        void useDb(context)
        throw new NotFound('No order')
      },
    ],
  ])('when the code %s', async (_, code) => {
    const { executed, heard } = start(code)
    expect(await executed).toEqual({
      outcome: 'failed',
      end: { ok: false, failure: { name: 'NotFound', message: 'No order' } },
      isStillRunning: false,
    })
    expect(heard).toEqual(['open', 'close: failed'])
  })

  it('when the output does not fit: closing is told that the call failed', async () => {
    const { executed, heard } = start(useDb, { output: z.object({ paid: z.boolean() }) })
    expect((await executed).end).toEqual({
      ok: false,
      failure: {
        name: 'Internal',
        message:
          'charge did run, but what it returned does not fit its output schema:\n✖ Invalid input: expected object, received string',
      },
    })
    expect(heard).toEqual(['open', 'close: failed'])
  })

  it('when the code is cancelled, which it learns from its signal', async () => {
    const heedful: Code = async ({ resources, signal }) => {
      await resources.db?.()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    let isCancelled = false
    const { executed, heard, advance } = start(heedful, { isCancelled: async () => isCancelled })
    await advance(7)
    isCancelled = true
    await advance(3)
    expect(await executed).toEqual({
      outcome: 'cancelled',
      end: interrupted('charge was stopped, since its run is over or went on without it'),
      isStillRunning: false,
    })
    expect(heard).toEqual(['open', 'close: cancelled'])
  })

  it('before the outcome is known: a close that throws makes a success a failure', async () => {
    const close = (outcome: CallOutcome) => {
      if (outcome === 'succeeded') throw new Error('The commit failed')
    }
    const { executed } = start(useDb, { close })
    expect((await executed).end).toEqual({
      ok: false,
      failure: {
        name: 'Internal',
        message: 'charge did run, but closing what it held failed: The commit failed',
      },
    })
  })

  it('and a close that hangs is waited for 4 s, so that what is known of the call is recorded', async () => {
    const { executed, advance } = start(useDb, { close: () => never })
    await settled()
    await advance(4)
    expect(await executed).toMatchObject({
      end: { failure: { message: expect.stringContaining('did run, but closing') } },
    })
  })

  it('when the code throws what is not of the family: its stack is told, for the log', async () => {
    const fault = new TypeError('boom')
    const faults: unknown[] = []
    const code: Code = () => {
      throw fault
    }
    await start(code, { onFault: (error) => faults.push(error) }).executed
    await start(() => Promise.reject(new NotFound('No order')), { onFault: (error) => faults.push(error) })
      .executed
    expect(faults).toEqual([fault])
  })

  it('when its output schema throws', async () => {
    const output = z.string().refine(() => {
      throw new Error('The check is broken')
    })
    const { executed, heard } = start(useDb, { output })
    expect((await executed).end).toMatchObject({ ok: false, failure: { message: 'The check is broken' } })
    expect(heard).toEqual(['open', 'close: failed'])
  })

  it('and keeps the code’s own failure when closing fails as well', async () => {
    const code: Code = async (context) => {
      await useDb(context)
      throw new NotFound('No order')
    }
    const close = () => Promise.reject(new Error('The rollback failed'))
    expect((await start(code, { close }).executed).end).toMatchObject({ failure: { message: 'No order' } })
  })
})

describe('N3 a tool has its own timeout', () => {
  const hang: Code = async (context) => {
    await useDb(context)
    await never
  }

  it('after which its code is stopped, what it holds released, and its process not used again', async () => {
    const { executed, heard, advance } = start(hang)
    await advance(29)
    expect(heard).toEqual(['open'])
    await advance(1)
    expect(heard, 'the code may end by itself, with what it holds still open').toEqual(['open'])
    await advance(1)
    expect(await executed).toEqual({
      outcome: 'timed-out',
      end: interrupted('charge did not end within its 30 s and was stopped, so its outcome is unknown'),
      isStillRunning: true,
    })
    expect(heard).toEqual(['open', 'close: timed-out'])
  })

  it.each<Given>([{ readOnly: true }, { idempotent: true }])(
    'which is a Timeout where a repeat does no harm: %j',
    async (given) => {
      const { executed, advance } = start(hang, given)
      await advance(31)
      expect((await executed).end).toEqual({
        ok: false,
        failure: { name: 'Timeout', message: 'charge did not end within its 30 s' },
      })
    },
  )

  it('and code that heeds its signal has ended: its process goes on', async () => {
    const heedful: Code = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('half')))
    const { executed, advance } = start(heedful)
    await advance(30)
    expect(await executed).toMatchObject({ outcome: 'timed-out', end: { ok: false }, isStillRunning: false })
  })

  it('and waits 1 s for the code and 2 s more for what does not close', async () => {
    const { executed, advance } = start(hang, { close: () => never })
    await advance(31)
    await advance(1)
    let isOver = false
    void executed.then(() => {
      isOver = true
    })
    await settled()
    expect(isOver).toBe(false)
    await advance(1)
    expect(await executed).toMatchObject({ outcome: 'timed-out' })
  })

  it('that does not stop a call which ended in time: nothing is left to happen', async () => {
    const { executed, heard, advance } = start(useDb)
    await executed
    await advance(60)
    expect(heard).toEqual(['open', 'close: succeeded'])
  })

  it('which a look for a cancel that fails does not move', async () => {
    const isCancelled = () => Promise.reject(new Error('The table is away'))
    const { executed, advance } = start(hang, { isCancelled })
    await advance(31)
    expect((await executed).outcome).toBe('timed-out')
  })
})

describe('N42 the lists of a call', () => {
  it('are saved and read by its code', async () => {
    const code: Code = async ({ artifacts }) => {
      const list = await artifacts.saveList(['a', 'b'])
      return { size: list.size, second: await artifacts.readItem(list, 1) }
    }
    expect((await start(code).executed).end).toEqual({ ok: true, value: { size: 2, second: 'b' } })
  })

  it('are not saved any more once it was stopped', async () => {
    let saved: Promise<unknown> | undefined
    const code: Code = ({ artifacts, signal }) => {
      async function* endless() {
        for (;;) {
          yield 1
          if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
        }
      }
      saved = artifacts.saveList(endless())
      return saved
    }
    const { executed, advance } = start(code)
    await advance(31)
    expect(await executed).toMatchObject({ outcome: 'timed-out', isStillRunning: false })
    await expect(saved).rejects.toThrow('charge did not end within its 30 s')
  })
})

describe('what a tool returns', () => {
  it('is what its schema and JSON make of it', async () => {
    const output = z.object({ paid: z.boolean().default(true), note: z.string().optional() })
    const { executed } = start(() => ({ note: undefined, secret: 1 }), { output })
    expect((await executed).end).toEqual({ ok: true, value: { paid: true } })
  })

  it('is null when it is nothing', async () => {
    expect((await start(() => undefined).executed).end).toEqual({ ok: true, value: null })
  })

  it('is a failure, and not a crash, when JSON cannot hold it', async () => {
    expect((await start(() => ({ at: new Date(0) })).executed).end).toEqual({
      ok: false,
      failure: {
        name: 'Internal',
        message:
          'charge did run, but what it returned has a Date at $.at, which JSON cannot hold; return toISOString()',
      },
    })
  })

  it.each([
    ['nothing', undefined, 'undefined'],
    ['a text', 'broken', 'broken'],
    ['an error without a message', new Error(''), 'failed without a message'],
  ])('is a failure when it throws %s', async (_, thrown, message) => {
    const { executed } = start(() => Promise.reject(thrown))
    expect((await executed).end).toEqual({ ok: false, failure: { name: 'Internal', message } })
  })
})
