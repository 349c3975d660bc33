import { parseMermaid } from 'beautiful-mermaid'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFlowchart } from '../../../src/compile/graph/flowchart.ts'
import { labelOf } from '../../../src/compile/graph/label.ts'

describe('a label', () => {
  it.each([
    ['look up, then write', 'look up, then write'],
    ['quick_answerer v1.5 re-read', 'quick_answerer v1.5 re-read'],
    ['Prüfung 3 für 注文', 'Prüfung 3 für 注文'],
    ['say "no"', 'say #34;no#34;'],
    ['a[0] {b} (c) <d>', 'a#91;0#93; #123;b#125; #40;c#41; #60;d#62;'],
    ['#34; & 100%', '#35;34#59; #38; 100#37;'],
    ['style x:#f00;', 'style x#58;#35;f00#59;'],
    ['two\r\nlines\tmore', 'two lines more'],
    // What Markdown would read as emphasis, a list or code.
    ['*bold* _slanted_ `code`', '#42;bold#42; #95;slanted#95; #96;code#96;'],
    ['1. first', '1#46; first'],
    ['- first', '#45; first'],
    ['', ' '],
    ['half \ud800 a pair', 'half #65533; a pair'],
  ])('of %j is "%s"', (text, written) => {
    expect(labelOf(text)).toBe(`"${written}"`)
  })

  it('has its lines below each other', () => {
    expect(labelOf('look up', 'tool order_status')).toBe('"look up<br/>tool order_status"')
  })

  it('ends where it ends, whatever stands in it', () => {
    const text = fc.string({ unit: fc.constantFrom(...'"[](){}<>|#;:&%`*_-.~/\\ a1\n\r'), minLength: 1 })
    const read = (...lines: readonly string[]) =>
      labelOf(...lines)
        .slice(1, -1)
        .replaceAll('<br/>', '\n')
    fc.assert(
      fc.property(text, text, (one, other) => {
        const chart = createFlowchart()
        chart.group('g', one, () => chart.node('a', 'diamond', one, other))
        chart.node('b', 'flag', other)
        chart.lead([{ from: 'a', label: `for ${one}` }], 'b')
        const { nodes, edges, subgraphs } = parseMermaid(chart.text())
        expect([...nodes.values()]).toMatchObject([
          { id: 'a', label: read(one, other) },
          { id: 'b', label: read(other) },
        ])
        expect(edges).toMatchObject([{ source: 'a', target: 'b', label: read(`for ${one}`) }])
        expect(subgraphs).toMatchObject([{ id: 'g', label: read(one), nodeIds: ['a'], children: [] }])
      }),
    )
  })
})
