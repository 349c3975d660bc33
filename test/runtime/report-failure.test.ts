import { NotFound } from 'turnwise'
import { describe, expect, it } from 'vitest'
import type { AgentStepMessage, CallMessage, FailureReport } from '../../src/runtime/messages.ts'
import { reportFailure } from '../../src/runtime/report-failure.ts'
import { submitStep } from '../../src/runtime/submit-step.ts'
import { turnCall } from '../../src/store/keys.ts'
import { claimOf, EXPIRES_AT, leaseOf, newRun, resultOf } from '../store/records.ts'
import { createStage, orderAgent, readRun } from './stage.ts'

const DEAD = 'request of a'
const address = turnCall('run', 1, 0)
const place = { ...address, expected: 1, expiresAt: EXPIRES_AT }
const nudge = { target: 'turn-order_agent', message: { kind: 'nudge', runId: 'run' } }

const reportOf = (
  requestPayload: FailureReport['requestPayload'],
  given: Partial<FailureReport> = {},
): FailureReport => ({
  requestContext: { requestId: DEAD, condition: 'RetriesExhausted' },
  requestPayload,
  responsePayload: { errorType: 'Runtime.ExitError', errorMessage: 'signal: killed' },
  ...given,
})
const agedOut: Partial<FailureReport> = {
  requestContext: { requestId: DEAD, condition: 'EventAgeExceeded' },
  responsePayload: null,
}
const timedOut: Partial<FailureReport> = {
  responsePayload: { errorMessage: '2026-01-01 Task timed out after 35.00 seconds' },
}

describe('a turn’s function died', () => {
  async function begin(requestId: string) {
    const stage = createStage()
    await stage.store.runs.create(newRun('run'))
    const run = await readRun(stage.ports, 'run')
    await stage.store.turns.lease(run, 1, leaseOf('a', { requestId }))
    return stage
  }
  const handedOn = (deaths: number) => ({
    target: 'turn-order_agent',
    message: { kind: 'nudge', runId: 'run', deadRequestId: DEAD, deaths },
  })

  it('ends the lease that it held, and hands the dead request on', async () => {
    const { ports, store, sent } = await begin(DEAD)
    await reportFailure(ports, reportOf({ kind: 'nudge', runId: 'run' }))
    expect(await store.turns.read('run', 1)).toMatchObject({ lease: { until: 0 } })
    expect(sent).toEqual([handedOn(1)])
  })

  it('leaves the lease of another', async () => {
    const { ports, store, sent } = await begin('request of b')
    await reportFailure(ports, reportOf({ kind: 'nudge', runId: 'run' }))
    expect(await store.turns.read('run', 1)).toMatchObject({
      lease: leaseOf('a', { requestId: 'request of b' }),
    })
    expect(sent).toEqual([handedOn(1)])
  })

  it('goes round three times without a pause, and no more: one that cannot begin is left to the sweep', async () => {
    const { ports, sent } = await begin(DEAD)
    for (const deaths of [1, 2, 3])
      await reportFailure(ports, reportOf({ kind: 'nudge', runId: 'run', deaths }))
    expect(sent).toEqual([handedOn(2), handedOn(3)])
  })

  it('over a run that is not there', async () => {
    const { ports, sent } = createStage()
    await reportFailure(ports, reportOf({ kind: 'nudge', runId: 'nobody' }))
    expect(sent).toEqual([])
  })
})

describe('a tool’s function died', () => {
  const callOf = (given: Partial<CallMessage> = {}): CallMessage => ({
    kind: 'call',
    runId: 'run',
    agent: 'order_agent',
    tool: 'charge',
    turn: 1,
    entry: 0,
    expected: 1,
    attempt: 1,
    expiresAt: EXPIRES_AT,
    nudge: 'turn-order_agent',
    readOnly: false,
    idempotent: false,
    timeoutSeconds: 30,
    ...given,
  })
  const again = (call: CallMessage) => ({
    target: 'tool-charge',
    message: { ...call, attempt: call.attempt + 1 },
  })

  const cases: [
    string,
    Partial<CallMessage>,
    'claimed' | 'unclaimed',
    Partial<FailureReport>,
    string | undefined,
  ][] = [
    ['before it claimed the call: it never ran', {}, 'unclaimed', {}, undefined],
    [
      'three times before it claimed the call',
      { attempt: 3 },
      'unclaimed',
      {},
      'Internal: Its function died 3 times (signal: killed)',
    ],
    [
      'after it claimed a call that changes things',
      {},
      'claimed',
      {},
      'Interrupted: Its function died midway, so its outcome is unknown (signal: killed)',
    ],
    ['after it claimed an idempotent call', { idempotent: true }, 'claimed', {}, undefined],
    ['over a read-only call', { readOnly: true }, 'unclaimed', {}, undefined],
    [
      'at its timeout over a read-only call',
      { readOnly: true },
      'unclaimed',
      timedOut,
      'Timeout: It did not end within its 30 s',
    ],
    [
      'at its timeout over an idempotent call',
      { idempotent: true },
      'claimed',
      timedOut,
      'Timeout: It did not end within its 30 s',
    ],
    [
      'at its timeout over a call that changes things',
      {},
      'claimed',
      timedOut,
      'Interrupted: Its function died midway, so its outcome is unknown (2026-01-01 Task timed out after 35.00 seconds)',
    ],
    ['with its event too old', {}, 'unclaimed', agedOut, undefined],
    [
      'with its event too old three times',
      { attempt: 3 },
      'unclaimed',
      agedOut,
      'Throttled: It could not be begun, and has changed nothing',
    ],
  ]
  it.each(cases)('%s', async (_, given, claimed, report, failure) => {
    const { ports, store, sent } = createStage()
    const call = callOf(given)
    if (claimed === 'claimed') await store.calls.claim(place, claimOf('a'))
    await reportFailure(ports, reportOf(call, report))
    const { result, claim } = (await store.calls.read(address)).entry(0)
    if (failure === undefined) {
      expect(result).toBeUndefined()
      // What is to run again must not wait for the dead claim.
      expect(claim?.deadAfter).toBe(claimed === 'claimed' ? 0 : undefined)
      expect(sent).toEqual([again(call)])
    } else {
      expect(result?.ok === false && `${result.failure.name}: ${result.failure.message}`).toBe(failure)
      expect(sent).toEqual([nudge])
    }
  })

  it('over a call that another delivery has claimed, which may be alive: nothing', async () => {
    const { ports, store, sent } = createStage()
    await store.calls.claim(place, claimOf('b'))
    await reportFailure(ports, reportOf(callOf()))
    expect((await store.calls.read(address)).entry(0)).toEqual({ claim: claimOf('b'), result: undefined })
    expect(sent).toEqual([])
  })

  it('after the last result was there, perhaps before it could nudge: it is nudged for it', async () => {
    const { ports, store, sent } = createStage()
    await store.calls.record(place, resultOf(1), 'a', { kind: 'open' })
    await reportFailure(ports, reportOf(callOf()))
    expect(sent).toEqual([nudge])
  })

  it('while the turn waits for another call: no nudge', async () => {
    const { ports, store, sent } = createStage()
    await store.calls.record({ ...place, expected: 2 }, resultOf(1), 'a', { kind: 'open' })
    await reportFailure(ports, reportOf(callOf({ expected: 2 })))
    expect(sent).toEqual([])
  })

  it('after the run was cancelled: nothing', async () => {
    const { ports, store, sent } = createStage()
    await store.calls.close(address, EXPIRES_AT)
    await reportFailure(ports, reportOf(callOf()))
    expect(sent).toEqual([])
  })
})

describe('a turn’s function died over a step of a doer', () => {
  const step: AgentStepMessage = {
    kind: 'step',
    runId: 'doer',
    agent: 'report',
    target: 'turn-order_agent',
    taskToken: 'token',
    attempt: 1,
    step: { number: 1, name: 'ask' },
    input: { question: 'why' },
  }
  const last = { ...step, attempt: 3 }

  it('is asked again, twice', async () => {
    const { ports, sent } = createStage()
    for (const attempt of [1, 2]) await reportFailure(ports, reportOf({ ...step, attempt }))
    expect(sent.map(({ target, message }) => [target, 'attempt' in message && message.attempt])).toEqual([
      ['turn-order_agent', 2],
      ['turn-order_agent', 3],
    ])
  })

  it('fails the step the third time: without a child nobody else would answer its token', async () => {
    const { ports, machines, sent } = createStage()
    await reportFailure(ports, reportOf(last))
    expect(machines.answered).toEqual([
      {
        token: 'token',
        answer: { failure: { name: 'Internal', message: 'Its function died 3 times (signal: killed)' } },
      },
    ])
    expect(sent).toEqual([])
  })

  it('fails the step at once where its function is not deployed any more', async () => {
    const { ports, machines } = createStage({
      send: async () => {
        throw new NotFound('The function turn-order_agent is not deployed')
      },
    })
    await reportFailure(ports, reportOf(step))
    expect(machines.answered).toMatchObject([{ token: 'token', answer: { failure: { name: 'NotFound' } } }])
  })

  it('leaves the token to the child that was made', async () => {
    const { ports, store, machines } = createStage()
    await store.runs.create(newRun('doer', { kind: 'doer', agent: 'report' }))
    await submitStep(ports, orderAgent, step)
    await reportFailure(ports, reportOf(last))
    expect(machines.answered).toEqual([])
  })
})
