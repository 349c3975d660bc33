import { describe, expect, it } from 'vitest'
import type { Item } from '../../src/store/table.ts'
import { packText, unpackText } from '../../src/store/values.ts'
import { recordingPuts, useDynamoTable } from './dynamo.ts'
import { EXPIRES_AT, random } from './records.ts'

const table = useDynamoTable()

/** Packs into an item that holds nothing else, as the store does, and reads it back. */
async function roundTrip(text: string, inlineBytes?: number) {
  const pk = `RUN#${random()}`
  const written: Item[] = []
  const packed = await packText(recordingPuts(table, written), text, {
    nonce: random(),
    expiresAt: EXPIRES_AT,
    ...(inlineBytes !== undefined && { own: { inlineBytes, key: { pk, sk: 'own' } } }),
  })
  await table.put({ pk, sk: 'T#000001', state: 'committed', body: packed, expiresAt: EXPIRES_AT })
  const isWhole = (await unpackText(table, packed, { pk })) === text
  return { isWhole, form: packed.startsWith('=') ? 'inline' : packed, written }
}

describe('a text', () => {
  it.each([
    ['nothing', ''],
    ['what looks like a reference', '@{"item":"other"}'],
    ['what looks like a text', '=a'],
    ['300,000 bytes, the most that stays in its attribute', 'x'.repeat(300_000)],
    ['300,000 bytes of three-byte characters', '€'.repeat(100_000)],
  ])('of %s stays in its attribute', async (_, text) => {
    expect(await roundTrip(text)).toEqual({ isWhole: true, form: 'inline', written: [] })
  })

  it.each([
    ['one byte more than an attribute holds', 'x'.repeat(300_001), 3],
    ['3 MB', 'x'.repeat(3_000_000), 26],
    ['three-byte characters, 360 KB', '€'.repeat(120_000), 2],
    ['four-byte characters, one of them at the cut', `x${'😀'.repeat(90_000)}`, 2],
  ])('of %s goes to chunks and comes back whole', async (_, text, count) => {
    const { isWhole, written } = await roundTrip(text)
    expect(isWhole).toBe(true)
    expect(written).toHaveLength(count)
    // DynamoDB: 400 KB an item, keys and names included. Half of a surrogate pair is no UTF-8; dynalite would take it.
    const texts = written.map(({ text }) => String(text))
    expect(Math.max(...texts.map((chunk) => Buffer.byteLength(chunk)))).toBeLessThanOrEqual(350_000)
    expect(texts.filter((chunk) => !chunk.isWellFormed())).toEqual([])
  })

  it('cut into chunks has each in one of eight partitions, with an end to its life', async () => {
    const { written } = await roundTrip('x'.repeat(930_000))
    expect(new Set(written.map(({ pk }) => pk)).size).toBe(8)
    expect(written.every(({ expiresAt }) => expiresAt === EXPIRES_AT)).toBe(true)
  })

  it('goes to an item of its own above the bytes that may stay inline, counted in UTF-8', async () => {
    expect((await roundTrip('€'.repeat(10), 30)).form).toBe('inline')
    const own = await roundTrip('€'.repeat(11), 30)
    expect(own).toMatchObject({ isWhole: true, form: '@{"item":"own"}' })
    expect(own.written).toEqual([
      { pk: own.written[0]?.pk, sk: 'own', text: '€'.repeat(11), expiresAt: EXPIRES_AT },
    ])
    expect((await roundTrip('x'.repeat(300_000), 30)).form).toBe('@{"item":"own"}')
    expect((await roundTrip('x'.repeat(300_001), 30)).form).toContain('"chunks"')
  })

  it('is read from the items at hand before the table is asked', async () => {
    const read = new Map([['own', 'at hand']])
    expect(await unpackText(table, '@{"item":"own"}', { pk: 'RUN#nowhere', read })).toBe('at hand')
  })

  it('of one writer never mixes with that of another', async () => {
    const options = () => ({ nonce: random(), expiresAt: EXPIRES_AT })
    const texts = ['a'.repeat(310_000), 'b'.repeat(320_000)]
    const packed = await Promise.all(texts.map((text) => packText(table, text, options())))
    const read = await Promise.all(packed.map((each) => unpackText(table, each, { pk: 'RUN#any' })))
    expect(read.map((text, index) => text === texts[index])).toEqual([true, true])
  })

  it('whose chunks are gone is an error that names what is missing', async () => {
    const packed = '@{"chunks":"gone","count":2}'
    await expect(unpackText(table, packed, { pk: 'RUN#any' })).rejects.toThrow(
      /The table lost CHUNK#gone#\d 00000\d, to which a record points/,
    )
  })
})
