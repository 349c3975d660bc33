import { parseMermaid } from 'beautiful-mermaid'
import fc from 'fast-check'
import { doer, gt, text, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { customerReport } from '../../../functions/doers/customer-report.ts'
import { questionDesk } from '../../../functions/doers/question-desk.ts'
import { urgencyVote } from '../../../functions/doers/urgency-vote.ts'
import { drawDoer } from '../../../src/compile/graph/draw-doer.ts'
import { stepsOf } from '../../../src/core/doer-plan.ts'
import { generatedDoer } from '../../support/doers/generated-doers.ts'

const count = tool({
  name: 'count',
  description: 'Counts',
  input: z.object({ n: z.number() }),
  output: z.object({ n: z.number(), list: z.array(z.number()) }),
}).run(({ n }) => ({ n, list: [] }))

const declaration = {
  name: 'drawn',
  description: 'Is drawn',
  input: z.object({ n: z.number(), list: z.array(z.number()) }),
  output: z.unknown(),
}

/** The lines of a drawing, without its first. */
const linesOf = (drawn: Parameters<typeof drawDoer>[0]) => drawDoer(drawn).trimEnd().split('\n').slice(1)

describe('the drawing of a doer', () => {
  it.each([customerReport, questionDesk, urgencyVote])('$name is a flowchart', async (each) => {
    await expect(drawDoer(each)).toMatchFileSnapshot(`snapshots/${each.name}.mmd`)
  })

  it('says how a map, a repeat and a wait go on, and gives a body without steps a node', () => {
    const drawn = doer(declaration).plan((d, input) => {
      d.map('wrap', input.list, (n) => ({ n }), { concurrency: 3, tolerate: 'all' })
      d.wait('short', 5)
      d.wait('long', input.n)
      return d.repeat('again', { from: { n: 1 }, until: ({ n }) => gt(n, 3), max: 1 }, ({ n }) =>
        d.step('count', count, { n }),
      )
    })
    expect(linesOf(drawn)).toEqual([
      '  start(["start"])',
      '  subgraph n1["wrap, for each item of input.list, of which all may fail, 3 at a time"]',
      '    n1_value("gives a value")',
      '  end',
      '  n2{{"short<br/>waits 5 seconds"}}',
      '  n3{{"long<br/>waits input.n seconds"}}',
      '  subgraph n4["again, at most once"]',
      '    n5["count<br/>tool count"]',
      '  end',
      '  finish(["end"])',
      '  start --> n1_value',
      '  n1_value --> n2',
      '  n2 --> n3',
      '  n3 --> n5',
      '  n5 --> finish',
    ])
  })

  it('ends a way at a fail, leads what is recovered from to its handler, and lets ways meet before branches', () => {
    const drawn = doer(declaration).plan((d, input) => {
      d.recover(
        'try',
        () =>
          d.choose(
            'many',
            gt(input.n, 5),
            () => d.fail('too many', { name: 'Denied', message: text`${input.n} are too many` }),
            () => null,
          ),
        { on: ['Denied'], with: () => d.step('fewer', count, { n: 5 }).n },
      )
      return d.parallel('both', { one: () => 1, two: () => d.step('two', count, { n: 2 }).n })
    })
    expect(linesOf(drawn)).toEqual([
      '  start(["start"])',
      '  subgraph n1["try"]',
      '    n3{"many"}',
      '    n2>"too many<br/>fails with Denied"]',
      '  end',
      '  n4["fewer<br/>tool count"]',
      '  subgraph n6["both, all at the same time"]',
      '    n6_fork((" "))',
      '    subgraph n6_1["one"]',
      '      n6_1_value("gives a value")',
      '    end',
      '    subgraph n6_2["two"]',
      '      n5["two<br/>tool count"]',
      '    end',
      '  end',
      '  finish(["end"])',
      '  start --> n3',
      '  n3 -->|"then"| n2',
      '  n1 -.->|"on Denied"| n4',
      '  n3 -->|"otherwise"| n6_fork',
      '  n4 --> n6_fork',
      '  n6_fork --> n6_1_value',
      '  n6_fork --> n5',
      '  n6_1_value --> finish',
      '  n5 --> finish',
    ])
  })

  it('has each step once, and Mermaid that can be read, whatever the doer', () => {
    fc.assert(
      fc.property(generatedDoer, (generated) => {
        const { nodes, edges } = parseMermaid(drawDoer(generated))
        const labels = [...nodes.values()].map(({ label }) => label)
        const steps = stepsOf(generated.plan).map(
          ({ name, isCode, callable }) => `${name}\n${isCode ? 'code' : `${callable.kind} ${callable.name}`}`,
        )
        expect(labels.filter((label) => /\n(tool |doer |code$)/.test(label)).toSorted()).toEqual(
          steps.toSorted(),
        )
        expect(edges.map(({ source }) => source)).toContain('start')
      }),
    )
  })
})
