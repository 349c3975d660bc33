import { labelOf } from './label.ts'

/** A way that leads on from a node or a group to whatever comes next. */
export interface Way {
  readonly from: string
  /** Taken by a failure, and dotted. */
  readonly failed?: boolean
  /** What it is taken for: `otherwise`, `on NotFound`. */
  readonly label?: string
}

/** The shapes that Mermaid and beautiful-mermaid both know: what stands before and after a label. */
const SHAPES = {
  rectangle: ['[', ']'],
  rounded: ['(', ')'],
  doubleSided: ['[[', ']]'],
  stadium: ['([', '])'],
  diamond: ['{', '}'],
  hexagon: ['{{', '}}'],
  flag: ['>', ']'],
  circle: ['((', '))'],
} as const
export type Shape = keyof typeof SHAPES

/**
 * Writes a flowchart in Mermaid's language. All edges come after all nodes, since a node belongs to the group in
 * which it is met first. Ids are letters, digits and `_`, and none is `end`.
 */
export function createFlowchart() {
  const nodes: string[] = []
  const edges: string[] = []
  let depth = 1

  const write = (line: string) => nodes.push('  '.repeat(depth) + line)

  return {
    node(id: string, shape: Shape, ...lines: readonly string[]): void {
      const [before, after] = SHAPES[shape]
      write(`${id}${before}${labelOf(...lines)}${after}`)
    },

    /** `draw` draws what stands in it. */
    group<T>(id: string, title: string, draw: () => T): T {
      write(`subgraph ${id}[${labelOf(title)}]`)
      depth += 1
      const drawn = draw()
      depth -= 1
      write('end')
      return drawn
    },

    /** Ways that would be lines side by side are one line. */
    lead(ways: readonly Way[], to: string): void {
      const lines = Map.groupBy(ways, ({ from, failed = false }) => `${from} ${failed ? '-.->' : '-->'}`)
      for (const [line, alike] of lines) {
        const labels = alike.map(({ label }) => label).filter((label) => label !== undefined)
        const label = labels.length === 0 ? '' : `|${labelOf(labels.join(' or '))}|`
        edges.push(`  ${line}${label} ${to}`)
      }
    },

    text: () => ['flowchart TD', ...nodes, ...edges, ''].join('\n'),
  }
}
