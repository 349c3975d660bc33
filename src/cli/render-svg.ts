import { renderMermaidSVG } from 'beautiful-mermaid'

/** The private characters that stand for ASCII while a drawing is rendered: the numbers of the two differ by this. */
const PRIVATE = 0xe000

/**
 * A flowchart of `drawDoer` as an SVG file, which loads nothing. The library knows no `#34;` for a quote, and would take
 * a bracket in a label for its end, so those pass it as private characters.
 */
export function renderSvg(flowchart: string): string {
  const svg = renderMermaidSVG(
    flowchart.replaceAll(/#(\d+);/g, (_, code) => {
      const number = Number(code)
      return String.fromCodePoint(number < 0x80 ? PRIVATE + number : number)
    }),
  )
  return svg
    .replaceAll(/^\s*@import .*\n/gm, '')
    .replaceAll(/[\uE021-\uE07E]/g, (character) => `&#${character.charCodeAt(0) - PRIVATE};`)
}
