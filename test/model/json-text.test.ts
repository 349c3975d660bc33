import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../../src/core/errors.ts'
import { parseJsonText } from '../../src/model/json-text.ts'

const FENCE = '```'

describe('JSON that a model wrote', () => {
  it.each([
    ['plain', ' {"a":1}\n'],
    ['in a json fence', `${FENCE}json\n{"a":1}\n${FENCE}`],
    ['in a fence without a language, with spaces around', `  ${FENCE}  \n{"a":1}  \n${FENCE}  `],
    ['in a fence with Windows line ends', `${FENCE}JSON\r\n{"a":1}\r\n${FENCE}`],
  ])('is read %s', (_, text) => {
    expect(parseJsonText(text)).toEqual({ a: 1 })
  })

  it('may hold a fence within a text', () => {
    const value = { a: `see ${FENCE}\nx\n${FENCE}` }
    expect(parseJsonText(`${FENCE}json\n${JSON.stringify(value)}\n${FENCE}`)).toEqual(value)
  })

  it.each([
    ['nothing', ' ', 'blank text'],
    ['prose before it', 'Here it is: {"a":1}', 'text: "Here it is: {\\"a\\":1}"'],
    ['prose before a fence', `Sure!\n${FENCE}json\n{"a":1}\n${FENCE}`, 'text: "Sure!'],
    ['two fences', `${FENCE}json\n1\n${FENCE}\n${FENCE}json\n2\n${FENCE}`, 'a fenced block that is not JSON'],
    ['half of it', '{"a":"hel', 'malformed JSON'],
    ['a nest of 100,000 lists', '['.repeat(100_000) + ']'.repeat(100_000), 'nests too deep'],
  ])('is refused with %s, saying what was found', (_, text, found) => {
    expect(() => parseJsonText(text)).toThrow(InvalidInput)
    expect(() => parseJsonText(text)).toThrow(found)
  })

  it('cannot reach a prototype, at any depth', () => {
    const value = parseJsonText(
      '{"__proto__":{"admin":true},"b":[{"__proto__":{"admin":true},"c":"__proto__"}]}',
    )
    expect(JSON.stringify(value)).toBe('{"b":[{"c":"__proto__"}]}')
    expect({}).not.toHaveProperty('admin')
  })
})
