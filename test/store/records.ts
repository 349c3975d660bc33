import { randomUUID } from 'node:crypto'
import type { AskedCall, CallResult, Claim, Lease, Run, TurnBody } from '../../src/store/records.ts'
import type { NewRun } from '../../src/store/runs.ts'

export const NOW = Date.parse('2026-01-01T00:00:00Z')
export const EXPIRES_AT = NOW / 1_000 + 90 * 24 * 3_600

export const random = (): string => randomUUID()

export const newRun = (id: string, given: Partial<NewRun> = {}): NewRun => ({
  id,
  kind: 'thinker',
  agent: 'order_agent',
  input: { orderNumber: 'A-1' },
  inputHash: 'hash',
  createdAt: NOW,
  expiresAt: EXPIRES_AT,
  lookAt: NOW + 55_000,
  ...given,
})

/** The running run that `newRun` makes, as it is read back. */
export const runningRun = (id: string): Extract<Run, { status: 'running' }> => {
  const { token, cancelled, ...facts } = newRun(id)
  const none = new Set<string>()
  return { ...facts, status: 'running', told: false, waiter: undefined, tokens: none, untold: none }
}

export const leaseOf = (owner: string, given: Partial<Lease> = {}): Lease => ({
  owner,
  requestId: `request of ${owner}`,
  until: NOW + 900_000,
  startedAt: NOW,
  attempt: 1,
  ...given,
})

export const claimOf = (owner: string, given: Partial<Claim> = {}): Claim => ({
  owner,
  requestId: `request of ${owner}`,
  claimedAt: NOW,
  deadAfter: NOW + 75_000,
  ...given,
})

export const resultOf = (value: unknown): CallResult => ({
  ok: true,
  value,
  startedAt: NOW,
  endedAt: NOW + 1,
})

export const askedCall = (given: Partial<AskedCall> = {}): AskedCall => ({
  id: 'call_1',
  name: 'order_status',
  arguments: '{"orderNumber":"A-1"}',
  target: { kind: 'tool', readOnly: true, idempotent: false, timeoutSeconds: 60 },
  input: { orderNumber: 'A-1' },
  ...given,
})

export const bodyOf = (outcome: TurnBody['outcome'], given: Partial<TurnBody> = {}): TurnBody => ({
  startedAt: NOW,
  endedAt: NOW + 2_000,
  requestId: 'request',
  outcome,
  ...given,
})

export const callsOf = (...calls: readonly AskedCall[]): TurnBody =>
  bodyOf({ kind: 'calls', text: '', calls: [...calls] })

export const answerOf = (value: unknown): TurnBody => bodyOf({ kind: 'answer', text: 'done', value })
