import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunView } from '../../src/gateway/run-view.ts'
import { answer, calls, callsOf, eventually, PATIENT, type Reply, type Shop, startShop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop?.close())

/** A reply that is on its way until `open` is called; `asked` resolves when the model was asked for it. */
function holdBack(reply: Awaited<ReturnType<typeof answer>>): {
  reply: Reply
  asked: Promise<void>
  open(): void
} {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  return {
    reply: async () => {
      asked.resolve()
      await gate.promise
      return reply
    },
    asked: asked.promise,
    open: gate.resolve,
  }
}

/** Long enough for a turn function to commit what it has just been told. */
const aWhile = () => new Promise((done) => setTimeout(done, 700))
const didWith = async (item: string): Promise<string[]> => (await shop.journal(item)).map(({ did }) => did)
const cancel = async (runId: string) => {
  const { status, body } = await shop.gateway.cancel(runId)
  return { status, run: body as RunView }
}

describe.concurrent('N44 cancel of what runs', PATIENT, () => {
  it('stops a tool that is running within seconds', async () => {
    const { id } = await shop.submit([
      calls(['hold_shelf', { item: 'pen', end: 'waits for its signal' }]),
      answer('no'),
    ])
    await eventually(async () => (await didWith('pen')).includes('used'))
    const { status, run } = await cancel(id)
    expect([status, run]).toEqual([
      200,
      expect.objectContaining({ status: 'cancelled', endedAt: expect.any(String) }),
    ])
    expect(run).not.toHaveProperty('answer')
    expect(callsOf(run, 1)).toMatchObject([{ status: 'lost', startedAt: expect.any(String) }])
    await eventually(async () => (await didWith('pen')).includes('told to stop'))
    await eventually(async () => (await shop.journal()).some(({ did }) => did === 'closed: cancelled'))
    // What came of it is on record, and changes nothing else.
    const interrupted = { status: 'failed', error: 'Interrupted', endedAt: expect.any(String) }
    await eventually(async () => callsOf(await shop.gateway.look(id), 1)[0]?.late !== undefined)
    const after = await shop.gateway.look(id)
    const { late, ...call } = callsOf(after, 1)[0] ?? {}
    expect([late, [call]]).toEqual([interrupted, callsOf(run, 1)])
  })

  it('ends the process of a tool that does not heed its signal', async () => {
    const { id } = await shop.submit([calls(['hold_shelf', { item: 'lamp', end: 'ignores its signal' }])])
    await eventually(async () => (await didWith('lamp')).includes('goes on'))
    await cancel(id)
    // It goes on until it is stopped; then it says nothing more.
    let counted = 0
    await eventually(async () => {
      const before = counted
      counted = (await didWith('lamp')).length
      await aWhile()
      return counted === before
    })
    expect((await didWith('lamp')).length).toBe(counted)
    expect(counted).toBeLessThan(60)
  })

  it('aborts the execution of a doer, whose steps stop', async () => {
    const task = shop.script([{ text: JSON.stringify({ advice: 'hold on' }) }])
    const { id } = await shop.gateway.submit('stock_report', { item: 'desk', task })
    await eventually(async () => (await didWith('desk')).includes('used'))
    const { run } = await cancel(id)
    expect(run).toMatchObject({ kind: 'doer', status: 'cancelled' })
    expect(await executionStatus('stock_report', id)).toBe('ABORTED')
    await eventually(async () => (await didWith('desk')).includes('told to stop'))
    await aWhile()
    expect(await didWith('desk')).toEqual(['begun', 'used', 'told to stop'])
    expect((await shop.gateway.look(id)).steps.map(({ step, status }) => [step, status])).toEqual([
      ['advise', 'completed'],
      ['hold', 'lost'],
    ])
  })

  it('stops a tool whose part of a doer was given up while its run goes on, and the record says what became of it', async () => {
    const { id } = await shop.gateway.submit('either_shelf', { item: 'bench' })
    await eventually(async () => (await didWith('bench')).includes('used'))
    const body = JSON.stringify({ step: 'is it held', answer: true })
    await eventually(
      async () => (await shop.gateway.ask(`/runs/${id}/answers`, { method: 'POST', body })).status === 202,
    )
    const run = await shop.gateway.ended(id)
    expect(run).toMatchObject({ status: 'completed', answer: 'without' })
    expect(await didWith('bench')).toEqual(['begun', 'used', 'told to stop'])
    expect(run.steps).toMatchObject([
      {
        step: 'hold',
        status: 'lost',
        startedAt: expect.any(String),
        late: { status: 'failed', error: 'Interrupted', endedAt: expect.any(String) },
      },
      { step: 'is it held', status: 'completed', output: true },
    ])
  })
})

describe('N44 cancel through the gateway', PATIENT, () => {
  it('keeps what the model says afterwards out of the record, and begins none of its calls', async () => {
    const late = holdBack(calls(['order_goods', { item: 'late pen', count: 1 }]))
    const { id } = await shop.submit([late.reply])
    await late.asked
    const { run } = await cancel(id)
    expect(run).toMatchObject({ status: 'cancelled', turns: [{ number: 1, outcome: 'cancelled' }] })
    late.open()
    await aWhile()
    expect(await shop.gateway.look(id)).toEqual(run)
    expect(await shop.journal('late pen')).toEqual([])
  })

  it('cancels the run of an agent that was called, too', async () => {
    const late = holdBack({ text: JSON.stringify({ advice: 'too late' }) })
    const { id } = await shop.submit([calls(['adviser', { task: shop.script([late.reply]) }]), answer('no')])
    await late.asked
    const { run } = await cancel(id)
    expect(run.status).toBe('cancelled')
    const child = await shop.gateway.look(String(callsOf(run, 1)[0]?.run))
    expect(child).toMatchObject({ agent: 'adviser', status: 'cancelled', turns: [{ outcome: 'cancelled' }] })
    late.open()
    await aWhile()
    expect(await shop.gateway.look(child.id)).toEqual(child)
  })

  it('cancels the thinker that is the step of a doer', async () => {
    const late = holdBack({ text: JSON.stringify({ advice: 'too late' }) })
    const { id } = await shop.gateway.submit('stock_report', {
      item: 'chair',
      task: shop.script([late.reply]),
    })
    await late.asked
    const { run } = await cancel(id)
    const child = await shop.gateway.look(String(run.steps[0]?.run))
    expect([run.status, child.status]).toEqual(['cancelled', 'cancelled'])
    late.open()
    await aWhile()
    expect(await didWith('chair')).toEqual([])
  })

  it('changes nothing of a run that has ended', async () => {
    const run = await shop.run([answer('done before')])
    expect(await cancel(run.id)).toEqual({ status: 200, run })
    expect(await shop.gateway.look(run.id)).toEqual(run)
  })

  it('is answered with 404 for an unknown run', async () => {
    expect(await shop.gateway.cancel('0123')).toEqual({
      status: 404,
      body: { error: { name: 'NotFound', message: 'No run has the id "0123"' } },
    })
  })

  it('is one cancel when it comes twice at once', async () => {
    const late = holdBack(answer('too late'))
    const { id } = await shop.submit([late.reply])
    await late.asked
    const [first, second] = await Promise.all([cancel(id), cancel(id)])
    late.open()
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.run).toEqual(first.run)
    expect(await cancel(id)).toEqual(first)
  })

  it('lets no call begin after its answer', async () => {
    const many = Array.from({ length: 40 }, (_, index) => {
      return ['order_goods', { item: 'nail', count: index + 1, takesMs: 300 }] as const
    })
    const { id } = await shop.submit([calls(...many.map(([name, input]): [string, object] => [name, input]))])
    await eventually(async () => (await shop.journal('nail')).length > 2)
    const { run } = await cancel(id)
    const begun = startedOf(run)
    expect(begun.length).toBeGreaterThan(2)
    expect(begun.length).toBeLessThan(40)
    // Every later delivery of the turn's calls comes to a closed door; those that were begun go on to their end.
    await eventually(async () => (await shop.journal('nail')).length === begun.length)
    await aWhile()
    expect(startedOf(await shop.gateway.look(id))).toEqual(begun)
    expect((await shop.journal('nail')).length).toBe(begun.length)
  })
})

const startedOf = (run: RunView): number[] =>
  callsOf(run, 1).flatMap(({ startedAt }, index) => (startedAt === undefined ? [] : [index]))

async function executionStatus(doer: string, runId: string): Promise<string | undefined> {
  const { environment } = shop
  const client = new SFNClient({
    endpoint: String(environment.AWS_ENDPOINT_URL_SFN),
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  try {
    const executionArn = `${environment.TURNWISE_STATES_ARN}execution:${environment.TURNWISE_PREFIX}-${doer}:${runId}`
    return (await client.send(new DescribeExecutionCommand({ executionArn }))).status
  } finally {
    client.destroy()
  }
}
