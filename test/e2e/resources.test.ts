import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Note } from '../fixtures/shop/functions/lib/note.ts'
import { answer, calls, eventually, PATIENT, type Shop, startShop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop?.close())

/** Everything that the call on this item noted, and what its shelf noted of itself. */
async function notesOf(item: string): Promise<Note[]> {
  const notes = await shop.journal()
  const shelves = new Set(notes.flatMap((note) => (note.item === item && note.shelf ? [note.shelf] : [])))
  return notes.filter((note) => note.item === item || (note.shelf !== undefined && shelves.has(note.shelf)))
}
const didWith = async (item: string): Promise<string[]> => (await notesOf(item)).map(({ did }) => did)
const hold = (item: string, end: string) => calls(['hold_shelf', { item, end }])

describe.concurrent('N2 a resource of a call that is stopped', PATIENT, () => {
  it('is closed when the timeout passes, and told so, also under code that goes on', async () => {
    await shop.run([
      calls(
        ['overrun_reading', { how: 'heeds its signal' }],
        ['overrun_reading', { how: 'ignores its signal' }],
      ),
      answer('waited'),
    ])
    expect(await didWith('heeds its signal')).toEqual(['opened', 'begun', 'closed: timed-out'])
    expect(await didWith('ignores its signal')).toEqual(['opened', 'begun', 'closed: timed-out'])
  })

  it('is closed when the run is cancelled, and told so', async () => {
    const { id } = await shop.submit([hold('desk', 'waits for its signal')])
    await eventually(async () => (await didWith('desk')).includes('used'))
    await shop.gateway.cancel(id)
    await eventually(async () => (await didWith('desk')).some((did) => did.startsWith('closed')))
    const did = (await didWith('desk')).filter((line) => line !== 'told to stop') // the code may come after the close
    expect(did).toEqual(['begun', 'opened', 'used', 'closed: cancelled'])
  })
})

describe('N2 a resource of a tool', PATIENT, () => {
  it('is opened when its code asks for it, and closed when it returns', async () => {
    await shop.run([hold('pen', 'returns'), answer('held')])
    expect(await didWith('pen')).toEqual(['begun', 'opened', 'used', 'closed: succeeded'])
  })

  it('is not opened for a call that does not ask for it', async () => {
    const before = await shop.run([hold('lamp', 'never asks for the shelf'), answer('held')])
    expect(before.turns[0]?.calls?.[0]).toMatchObject({ status: 'completed' })
    expect(await didWith('lamp')).toEqual(['begun'])
  })

  it('is closed when the code throws, and told so', async () => {
    const run = await shop.run([hold('ink', 'throws'), answer('held')])
    expect(await didWith('ink')).toEqual(['begun', 'opened', 'used', 'closed: failed'])
    expect(shop.toolTexts(run)).toEqual([expect.stringMatching(/^NotFound: There is no ink\n/)])
  })

  it('is a fresh one for each call, at the same time or one after another', async () => {
    await shop.run([
      calls(['hold_shelf', { item: 'cup', end: 'returns' }], ['hold_shelf', { item: 'cup', end: 'returns' }]),
      hold('cup', 'returns'),
      answer('held'),
    ])
    const opened = (await notesOf('cup')).filter(({ did }) => did === 'opened')
    expect(new Set(opened.map(({ shelf }) => shelf)).size).toBe(3)
  })
})
