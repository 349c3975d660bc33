import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { LOCAL_CREDENTIALS, RUNS_TABLE } from '../../../../src/local/stack/environment.ts'
import { createRunsTable } from '../../../../src/local/stack/runs-table.ts'
import { createDynamoTable } from '../../../../src/store/dynamo-table.ts'
import { turnCall } from '../../../../src/store/keys.ts'
import type { Run } from '../../../../src/store/records.ts'
import { createStore, type Store } from '../../../../src/store/store.ts'
import {
  answerOf,
  askedCall,
  callsOf,
  claimOf,
  EXPIRES_AT,
  leaseOf,
  NOW,
  newRun,
  resultOf,
  runningRun,
} from '../../../store/records.ts'
import { useFaultyTables } from './faulty-table.ts'

const tables = useFaultyTables()
const DUE = NOW + 3_600_000

/** The store behind faults that lose every third answer; the SDK repeats such a write. */
async function startStore() {
  const { faults, advance } = await tables.start({ seed: 5, loseResponses: 1 / 3 })
  await createRunsTable(faults.url)
  const client = new DynamoDBClient({
    endpoint: faults.url,
    region: 'us-east-1',
    credentials: LOCAL_CREDENTIALS,
    maxAttempts: 10,
  })
  let repeats = 0
  client.middlewareStack.add(
    (next) => async (request) => {
      const answer = await next(request)
      repeats += (answer.output.$metadata.attempts ?? 1) - 1
      return answer
    },
    { step: 'initialize' },
  )
  let nonce = 0
  const store = createStore(createDynamoTable(client, RUNS_TABLE), () => `nonce ${++nonce}`)
  return { store, faults, advance, client, repeats: () => repeats }
}

/** Has one tool called and answers. */
async function converse({ turns, calls }: Store, run: Run): Promise<void> {
  const place = { ...turnCall(run.id, 1, 0), expected: 1, expiresAt: EXPIRES_AT }
  const granted = [
    await turns.lease(run, 1, leaseOf('a')),
    await turns.commit(run, 1, 'a', callsOf(askedCall())),
    await calls.claim(place, claimOf('tool')),
    (await calls.record(place, resultOf({ status: 'shipped' }), 'tool', { kind: 'open' })).kind,
    await turns.lease(run, 2, leaseOf('b')),
    await turns.commit(run, 2, 'b', answerOf('shipped')),
  ]
  expect(granted).toEqual([true, true, true, 'recorded', true, true])
}

describe('the store behind the faults', () => {
  it('keeps its promises while reads are stale, the index is late and answers are lost', async () => {
    const { store, faults, advance, client, repeats } = await startStore()
    const { runs, turns } = store
    const run = runningRun('run-1')
    await runs.create(newRun('run-1'))
    expect(await runs.read('run-1')).toEqual(run)
    await converse(store, run)
    expect(repeats()).toBeGreaterThan(0) // something was lost

    const history = await turns.history('run-1') // at the same moment: no replica has any of it
    expect(history?.turns.map((turn) => turn.state === 'committed' && turn.body.outcome)).toEqual([
      callsOf(askedCall()).outcome,
      answerOf('shipped').outcome,
    ])
    expect(await runs.due(DUE, 10)).toEqual([])
    advance(2_000)
    expect(await runs.due(DUE, 10)).toMatchObject([{ id: 'run-1', lookAt: NOW + 55_000 }])

    expect(await runs.end(run, { status: 'completed', output: 'shipped' }, NOW + 9_000, 'b')).toBe(true)
    const ended = await runs.read('run-1')
    expect(ended).toMatchObject({ status: 'completed', output: 'shipped', told: false })
    if (ended) expect(await runs.markTold(ended)).toBe(true)
    expect(await runs.due(DUE, 10)).toMatchObject([{ id: 'run-1' }]) // the index does not know yet,
    expect(await runs.read('run-1')).toMatchObject({ told: true }) // the run does
    advance(2_000)
    expect(await runs.due(DUE, 10)).toEqual([])
    client.destroy()
    // Made: one entry. Ended: another place in the index, so two. Told: it leaves, one.
    expect(faults.consumed()[RUNS_TABLE]?.indexes.openRuns?.writeUnits).toBe(4)
  })
})
