import { type Resource, resource } from 'turnwise'
import { describe, expect, it } from 'vitest'
import { holdResources } from '../../src/runtime/hold-resources.ts'

const scope = { env: { DB: 'here' }, signal: new AbortController().signal }

/** Resources that write down what happens to them. */
function createRecorder() {
  const heard: string[] = []
  const recorded = (name: string, given: { openFails?: boolean; closeFails?: boolean } = {}) =>
    resource({
      name,
      async open({ env }) {
        heard.push(`open ${name}`)
        if (given.openFails) throw new Error(`${name} is down`)
        return { name, env }
      },
      async close(value, outcome) {
        heard.push(`close ${value.name}: ${outcome}`)
        if (given.closeFails) throw new Error(`${name} does not close`)
      },
    })
  return { heard, recorded }
}

const hold = (resources: Record<string, Resource<unknown>>) => {
  const { openers, release } = holdResources(resources, scope)
  const open = (name: string): Promise<unknown> =>
    openers[name]?.() ?? Promise.reject(new Error(`No ${name}`))
  return { open, release }
}

describe('N2 resources are held for one call', () => {
  it('are opened at first use and not before, once, with the function’s environment', async () => {
    const { heard, recorded } = createRecorder()
    const { open, release } = hold({ db: recorded('db'), unused: recorded('unused') })
    expect(heard).toEqual([])
    const [first, second] = await Promise.all([open('db'), open('db')])
    expect(first).toEqual({ name: 'db', env: { DB: 'here' } })
    expect(second).toBe(first)
    await release('succeeded')
    expect(heard).toEqual(['open db', 'close db: succeeded'])
  })

  it('are not shared with another call', async () => {
    const { recorded } = createRecorder()
    const db = recorded('db')
    expect(await hold({ db }).open('db')).not.toBe(await hold({ db }).open('db'))
  })

  it('are closed last opened first, each told how the call ended', async () => {
    const { heard, recorded } = createRecorder()
    const { open, release } = hold({ a: recorded('a'), b: recorded('b'), c: recorded('c') })
    for (const name of ['b', 'c', 'a']) await open(name)
    await release('timed-out')
    expect(heard.slice(3)).toEqual(['close a: timed-out', 'close c: timed-out', 'close b: timed-out'])
  })

  it('are all closed when one does not close; the first error is thrown', async () => {
    const { heard, recorded } = createRecorder()
    const { open, release } = hold({
      a: recorded('a', { closeFails: true }),
      b: recorded('b', { closeFails: true }),
      c: recorded('c'),
    })
    for (const name of ['a', 'b', 'c']) await open(name)
    await expect(release('succeeded')).rejects.toThrow('b does not close')
    expect(heard.slice(3)).toEqual(['close c: succeeded', 'close b: succeeded', 'close a: succeeded'])
  })

  it('that did not open are not closed, and say so to each who asks', async () => {
    const { heard, recorded } = createRecorder()
    const { open, release } = hold({ db: recorded('db', { openFails: true }) })
    for (const _ of [1, 2]) await expect(open('db')).rejects.toThrow('db is down')
    await release('failed')
    expect(heard).toEqual(['open db'])
  })

  it('that did not open end no process when the code looks at them later', async () => {
    const unhandled: unknown[] = []
    const hear = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', hear)
    const { recorded } = createRecorder()
    const later = hold({ db: recorded('db', { openFails: true }) }).open('db')
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', hear)
    await expect(later).rejects.toThrow('db is down')
    expect(unhandled).toEqual([])
  })

  it('that are still opening are closed once they are open', async () => {
    const { heard, recorded } = createRecorder()
    const { open, release } = hold({ db: recorded('db') })
    void open('db')
    await release('cancelled')
    expect(heard).toEqual(['open db', 'close db: cancelled'])
  })

  it('are not opened by code that goes on after its call has ended', async () => {
    const { heard, recorded } = createRecorder()
    const { open, release } = hold({ db: recorded('db') })
    await release('timed-out')
    await expect(open('db')).rejects.toThrow('The call is over, so db is not opened any more')
    expect(heard).toEqual([])
  })

  it('need not be closed', async () => {
    const { open, release } = hold({ db: resource({ name: 'db', open: () => 1 }) })
    expect(await open('db')).toBe(1)
    await release('succeeded')
  })
})
