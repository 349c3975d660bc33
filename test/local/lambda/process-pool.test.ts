import { describe, expect, it } from 'vitest'
import type { FunctionProcess } from '../../../src/local/lambda/function-process.ts'
import { createProcessPool, PoolClosed } from '../../../src/local/lambda/process-pool.ts'
import { createManualClock } from '../../../src/local/manual-clock.ts'

/** A pool over processes that are only counted, and calls that end when told; `served` is in the order of begin. */
function createScene(maximumProcesses: number) {
  const clock = createManualClock()
  const started: string[] = []
  const served: string[] = []
  const endOf = new Map<string, () => void>()
  const pool = createProcessPool({ start, maximumProcesses, reuse: 'warm', clock })
  return { clock, started, served, pool, call, end }

  function start(functionName: string): FunctionProcess {
    started.push(functionName)
    let kill = () => {}
    const exited = new Promise<void>((resolve) => {
      kill = resolve
    })
    const invoke = async () => ({ kind: 'result', json: 'null' }) as const
    return { functionName, pid: undefined, exited, invoke, kill }
  }

  /** `a1` is a call of the function `a`. */
  function call(name: string): Promise<void> {
    return pool.use(name.charAt(0), async () => {
      served.push(name)
      await new Promise<void>((resolve) => endOf.set(name, resolve))
    })
  }

  async function end(name: string): Promise<void> {
    await settled()
    endOf.get(name)?.()
    await settled()
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the process pool', () => {
  it('serves the oldest first', async () => {
    const { call, end, served } = createScene(1)
    for (const name of ['a1', 'b1', 'c1']) call(name)
    for (const name of ['a1', 'b1', 'c1']) await end(name)
    expect(served).toEqual(['a1', 'b1', 'c1'])
  })

  it('lets a warm process go on with its own function, until the oldest call has waited for two seconds', async () => {
    const { call, end, served, started, clock } = createScene(1)
    for (const name of ['a1', 'b1', 'a2', 'a3', 'a4']) call(name)
    await end('a1')
    clock.advance(1_999)
    await end('a2')
    expect(served).toEqual(['a1', 'a2', 'a3'])
    clock.advance(1)
    await end('a3')
    expect(served).toEqual(['a1', 'a2', 'a3', 'b1'])
    await end('b1')
    expect({ served, started }).toEqual({ served: ['a1', 'a2', 'a3', 'b1', 'a4'], started: ['a', 'b', 'a'] })
  })

  it('moves no process between functions that have as many, however long they wait', async () => {
    const { call, end, served, started, clock } = createScene(2)
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']) call(name)
    await settled()
    clock.advance(10_000)
    for (const name of ['a1', 'a2', 'b1', 'b2']) await end(name)
    expect({ served: served.toSorted(), started }).toEqual({
      served: ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'],
      started: ['a', 'b'],
    })
  })

  it('moves one to a function that has two fewer', async () => {
    const { call, end, served, started, clock } = createScene(4)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'a4', 'a5']) call(name)
    await settled()
    clock.advance(2_000)
    await end('a1')
    expect({ served, started }).toEqual({
      served: ['a1', 'a2', 'a3', 'b1', 'b2'],
      started: ['a', 'a', 'a', 'b', 'b'],
    })
  })

  it('gives a function a second process in the place of one that was idle for two seconds', async () => {
    const { call, end, served, started, clock } = createScene(2)
    for (const name of ['a1', 'b1', 'a2']) call(name)
    await end('b1')
    clock.advance(1_999)
    await settled()
    expect(served).toEqual(['a1', 'b1'])
    clock.advance(1)
    await settled()
    expect({ served, started }).toEqual({ served: ['a1', 'b1', 'a2'], started: ['a', 'b', 'a'] })
  })

  it('ends the process that was idle for the longest', async () => {
    const { call, end, started } = createScene(2)
    for (const name of ['a1', 'b1']) call(name)
    for (const name of ['a1', 'b1']) await end(name)
    call('a2')
    await end('a2')
    call('c1') // in the place of b
    await settled()
    call('a3')
    await settled()
    expect(started).toEqual(['a', 'b', 'c'])
  })

  it('takes from the function that has most', async () => {
    const { call, end, started } = createScene(3)
    for (const name of ['a1', 'b1', 'b2']) call(name)
    for (const name of ['a1', 'b1', 'b2']) await end(name)
    call('c1') // in the place of a b, although a was idle for longer
    await settled()
    call('a2')
    await settled()
    expect(started).toEqual(['a', 'b', 'b', 'c'])
  })

  it('ends one process for one call, not one for each look', async () => {
    const { call, end, served, started } = createScene(2)
    for (const name of ['a1', 'a2']) call(name)
    await end('a1')
    for (const name of ['b1', 'a3']) call(name)
    await end('a2')
    await settled()
    expect({ served, started }).toEqual({ served: ['a1', 'a2', 'b1', 'a3'], started: ['a', 'a', 'b'] })
  })

  it('begins nothing once it closes, and lets what runs end', async () => {
    const { call, end, served, pool } = createScene(1)
    const [running, waiting] = [call('a1'), call('b1')]
    const refused = expect(waiting).rejects.toBeInstanceOf(PoolClosed)
    await settled()
    const closed = pool.close(5_000)
    await expect(call('a2')).rejects.toBeInstanceOf(PoolClosed)
    await end('a1')
    await Promise.all([refused, running, closed])
    expect(served).toEqual(['a1'])
  })
})
