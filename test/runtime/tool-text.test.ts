import { describe, expect, it } from 'vitest'
import { FAILURE_NAMES } from '../../src/core/errors.ts'
import { toToolText } from '../../src/runtime/tool-text.ts'

describe('what the model reads of a call’s end', () => {
  it.each([
    [{ status: 'open' }, '{"status":"open"}'],
    ['text', '"text"'],
    ['', '""'],
    [null, 'null'],
    [undefined, 'null'],
    [[], '[]'],
    [0, '0'],
  ])('is the value as JSON: %j', (value, text) => {
    expect(toToolText({ ok: true, value })).toBe(text)
  })

  it('tells it not to repeat what may have taken effect', () => {
    const failure = { name: 'Interrupted' as const, message: 'Its function died' }
    expect(toToolText({ ok: false, failure })).toBe(
      'Interrupted: Its function died\nWhether it took effect is unknown. Do not repeat it before you have checked.',
    )
  })

  it.each(FAILURE_NAMES)(
    'says of a failure whose problem it is, what was wrong and what to make of it: %s',
    (name) => {
      expect(toToolText({ ok: false, failure: { name, message: 'wrong' } })).toMatch(
        new RegExp(`^${name}: wrong\\n[A-Z][^\\n]+\\.$`),
      )
    },
  )
})
