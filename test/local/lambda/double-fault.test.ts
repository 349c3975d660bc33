import { describe, expect, it } from 'vitest'
import { createFaultInjector } from '../../../src/local/lambda/faults.ts'
import type { Invocation, RunInvocation } from '../../../src/local/lambda/invocation.ts'
import { throttled } from '../../../src/local/lambda/refusal.ts'
import { createManualClock } from '../../../src/local/manual-clock.ts'

const invocation: Invocation = {
  type: 'Event',
  requestId: 'r-1',
  functionName: 'orders',
  qualifier: undefined,
  payload: '{}',
  trace: undefined,
}
const done = { kind: 'result', json: 'null' } as const
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Runs with a double that comes a second later. */
function createScene(run: RunInvocation) {
  const clock = createManualClock()
  const logged: string[] = []
  const log = (line: string) => logged.push(line)
  const injector = createFaultInjector({
    faults: () => ({ kind: 'double', afterMs: 1_000 }),
    run,
    clock,
    log,
  })
  return { clock, logged, run: injector.run }
}

describe('the second run of a doubled invocation', () => {
  it('comes so long after the first has begun, however long that has waited', async () => {
    const beginnings: (() => void)[] = []
    const { clock, run } = createScene(async (_invocation, begin) => {
      await new Promise<void>((resolve) => beginnings.push(resolve))
      begin()
      return done
    })
    const running = run(invocation, () => true)
    await settled()
    clock.advance(10_000)
    await settled()
    expect(beginnings).toHaveLength(1)
    beginnings[0]?.()
    expect(await running).toEqual(done)
    clock.advance(999)
    await settled()
    expect(beginnings).toHaveLength(1)
    clock.advance(1)
    await settled()
    expect(beginnings).toHaveLength(2)
  })

  it('does not come when the first was refused, or not wanted any more', async () => {
    const refused = throttled('ConcurrentInvocationLimitExceeded')
    const first = createScene(async () => refused)
    expect(await first.run(invocation, () => true)).toEqual(refused)
    expect(first.clock.pending()).toBe(0)

    const second = createScene(async (_invocation, begin) => (begin() ? done : { kind: 'skipped' }))
    expect(await second.run(invocation, () => false)).toEqual({ kind: 'skipped' })
    expect(second.clock.pending()).toBe(0)
  })

  it('is a line in the log when it cannot be run', async () => {
    let runs = 0
    const { clock, logged, run } = createScene(async (_invocation, begin) => {
      if (++runs > 1) throw new Error('No process can be started')
      begin()
      return done
    })
    await run(invocation, () => true)
    clock.advance(1_000)
    await settled()
    expect(logged).toEqual(['[orders r-1] did not run a second time: Error: No process can be started'])
  })
})
