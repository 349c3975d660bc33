import fc from 'fast-check'
import { add, doer, type Ref, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { proveDoer } from '../../src/compile/proof/prove-doer.ts'
import { runMachine } from './run-machine.ts'

const count = tool({
  name: 'count',
  description: 'd',
  readOnly: true,
  input: z.object({ n: z.number() }),
  output: z.object({ n: z.number() }),
}).run(({ n }) => ({ n }))

/** For each job the earlier ones that it waits for. */
const waits = fc
  .array(fc.array(fc.nat(5), { maxLength: 3 }), { minLength: 1, maxLength: 6 })
  .map((all) => all.map((others, index) => [...new Set(others.filter((other) => other < index))]))

/** Each job counts one more than the sum of what it waits for. */
const doerOf = (all: readonly (readonly number[])[]) =>
  doer({ name: 'grouped', description: 'd', input: z.object({}), output: z.unknown() }).plan((d) =>
    d.group('all', (g) => {
      const made: Ref<number>[] = []
      for (const [index, others] of all.entries()) {
        const after = others.flatMap((other) => made[other] ?? [])
        const job = () =>
          d.step(`step ${index}`, count, { n: after.reduce<Ref<number> | number>((a, b) => add(a, b), 1) }).n
        made.push(g.job(`job ${index}`, job, { after }))
      }
      return made
    }),
  )

const expected = (all: readonly (readonly number[])[]): number[] =>
  all.reduce<number[]>((sums, others) => {
    sums.push(others.reduce((sum, other) => sum + (sums[other] ?? 0), 1))
    return sums
  }, [])

describe('N31 the jobs of a group run as they wait for each other', () => {
  it('and give what they give one after the other, for generated groups', async () => {
    await fc.assert(
      fc.asyncProperty(waits, async (all) => {
        const { output, sent } = await runMachine(
          doerOf(all),
          {},
          { 'tool-count': ({ input }) => ({ output: input }) },
        )
        expect(output).toEqual(expected(all))
        const steps = sent.flatMap(({ message }) => Step.safeParse(message).data?.step.name ?? [])
        for (const [index, others] of all.entries())
          for (const other of others)
            expect(steps.indexOf(`step ${other}`)).toBeLessThan(steps.indexOf(`step ${index}`))
      }),
      { numRuns: 25, seed: 1 },
    )
  })

  it('within the events that are computed', () => {
    const { worst } = proveDoer(doerOf([[], [], [0], [0, 1]]))
    expect(worst.histories[0]?.events).toBeGreaterThan(0)
  })
})

const Step = z.object({ step: z.object({ name: z.string() }) })
