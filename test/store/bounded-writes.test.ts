import { describe, expect, it } from 'vitest'
import { createBoundedWrites } from '../../src/store/bounded-writes.ts'

/** Begins writes of these sizes that end when they are told to; `begun` are those for which there was room. */
function begin(sizes: readonly number[]) {
  const writes = createBoundedWrites(3, 10)
  const begun: { readonly end: (failure?: Error) => void }[] = []
  const all = (async () => {
    for (const size of sizes) {
      await writes.begin(
        size,
        () =>
          new Promise((resolve, reject) =>
            begun.push({ end: (failure) => (failure ? reject(failure) : resolve()) }),
          ),
      )
    }
  })()
  all.catch(() => undefined)
  return { writes, begun, all }
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('writes beside each other', () => {
  it.each([
    ['so many at once', [1, 1, 1, 1, 1], 3],
    ['so many bytes', [4, 5, 4], 2],
    ['one that is larger, alone', [20, 1], 1],
  ])('are at most %s; the next begins when one has ended', async (_, sizes, most) => {
    const { begun, writes, all } = begin(sizes)
    await settled()
    expect(begun).toHaveLength(most)
    begun[0]?.end()
    await settled()
    expect(begun).toHaveLength(most + 1)
    for (let index = 1; index < sizes.length; index += 1) {
      begun[index]?.end()
      await settled()
    }
    await all
    await writes.finish()
  })

  it('end with the first failure, and nothing is begun after it', async () => {
    const { begun, all, writes } = begin([1, 1, 1, 1])
    await settled()
    begun[1]?.end(new Error('The table is away'))
    await expect(all).rejects.toThrow('The table is away')
    expect(begun).toHaveLength(3)
    begun[0]?.end()
    begun[2]?.end(new Error('Also away'))
    await writes.settle()
    await expect(writes.finish()).rejects.toThrow('The table is away')
  })

  it('are waited for when they are over', async () => {
    const { begun, all, writes } = begin([1])
    await all
    let isFinished = false
    const finished = writes.finish().then(() => {
      isFinished = true
    })
    await settled()
    expect(isFinished).toBe(false)
    begun[0]?.end()
    await finished
  })
})
