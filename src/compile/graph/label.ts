/** What stands as it is: letters, digits, spaces, commas, and `_`, `-` and `.` within a word, where they mean nothing to Markdown. */
const SPECIAL = /(?<![\p{L}\p{N}])[_.-]|[_.-](?![\p{L}\p{N}])|[^\p{L}\p{M}\p{N} ,_.-]/gu

/**
 * Text as a label of Mermaid, in quotes. Any character that Mermaid, or the Markdown in its labels, could read
 * as its own is written as its number, `#34;` for a quote.
 * https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
 */
export function labelOf(...lines: readonly string[]): string {
  const text = lines.map(written).join('<br/>')
  // Mermaid refuses an empty one.
  return `"${text === '' ? ' ' : text}"`
}

function written(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(SPECIAL, (character) => `#${character.codePointAt(0)};`)
}
