import { describe, expect, it } from 'vitest'
import { NotFound } from '../../src/core/errors.ts'
import { sweep } from '../../src/runtime/sweep.ts'
import type { NewRun } from '../../src/store/runs.ts'
import { NOW, newRun } from '../store/records.ts'
import { createStage, readRun } from './stage.ts'

async function open(
  runs: readonly (Partial<NewRun> & { id: string })[],
  given: Parameters<typeof createStage>[0] = {},
) {
  const stage = createStage(given)
  for (const run of runs) await stage.store.runs.create(newRun(run.id, { lookAt: NOW, ...run }))
  const looked: string[] = []
  const look = async (runId: string) => {
    looked.push(runId)
    if (runId.startsWith('broken')) throw new Error(`${runId} cannot be read`)
  }
  const lookAtOf = async (runId: string) => (await readRun(stage.ports, runId)).lookAt
  return { ...stage, look, looked, lookAtOf }
}

describe('the sweep', () => {
  it('nudges thinkers and looks at tools and doers that are due, and at no others', async () => {
    const { ports, look, looked, sent } = await open([
      { id: 'thinker' },
      { id: 'tool', kind: 'tool' },
      { id: 'doer', kind: 'doer' },
      { id: 'later', lookAt: NOW + 1 },
    ])
    await sweep(ports, look)
    expect(looked.toSorted()).toEqual(['doer', 'tool'])
    expect(sent).toEqual([{ target: 'turn-order_agent', message: { kind: 'nudge', runId: 'thinker' } }])
  })

  it('comes again to a run in 55 s, and to a doer in 5 minutes', async () => {
    const { ports, look, lookAtOf } = await open([{ id: 'thinker' }, { id: 'doer', kind: 'doer' }])
    await sweep(ports, look)
    expect([await lookAtOf('thinker'), await lookAtOf('doer')]).toEqual([NOW + 55_000, NOW + 300_000])
  })

  it('is not stopped by runs that cannot be looked at, says how many, and comes to them again with the rest', async () => {
    const runs = Array.from({ length: 40 }, (_, index) => ({
      id: index % 10 === 0 ? `broken ${index}` : `run ${index}`,
    }))
    const { ports, look, looked, lookAtOf } = await open(
      runs.map((run) => ({ ...run, kind: 'tool' as const })),
    )
    await expect(sweep(ports, look)).rejects.toThrow('4 of 40 runs could not be looked at')
    expect(looked).toHaveLength(40)
    expect([await lookAtOf('broken 0'), await lookAtOf('run 1')]).toEqual([NOW + 55_000, NOW + 55_000])
  })

  it('is not stopped by a nudge that cannot be sent', async () => {
    const { ports, look, sent } = await open([{ id: 'a', agent: 'gone' }, { id: 'b' }], {
      async send(target) {
        if (target === 'turn-gone') throw new Error('Nothing is deployed as turn-gone')
      },
    })
    await expect(sweep(ports, look)).rejects.toThrow('1 of 2 runs could not be looked at')
    expect(sent).toHaveLength(1)
  })

  it('ends a run whose function is no longer deployed, and says so', async () => {
    const { ports, look } = await open([{ id: 'a', agent: 'gone' }, { id: 'b' }], {
      async send(target) {
        if (target === 'turn-gone') throw new NotFound('The function turn-gone is not deployed')
      },
    })
    await sweep(ports, look)
    expect(await readRun(ports, 'a')).toMatchObject({
      status: 'failed',
      error: { name: 'NotFound', message: 'The function turn-gone is not deployed' },
      told: true,
    })
    expect(await readRun(ports, 'b')).toMatchObject({ status: 'running' })
  })

  it('has nothing to do where nothing is due', async () => {
    const { ports, look, looked } = await open([])
    await sweep(ports, look)
    expect(looked).toEqual([])
  })
})
