import type { Schema } from './schema.ts'

const EXAMPLES: Readonly<Record<string, string>> = {
  date: '2000-01-01',
  time: '00:00:00Z',
  'date-time': '2000-01-01T00:00:00Z',
  duration: 'PT0S',
  email: 'nobody@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-0000-0000-000000000000',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  hostname: 'example.com',
}

/**
 * A text of the form that a `format` or a simple `pattern` asks for: `A-0000` for `^A-\d{4}$`. Blank where
 * the pattern is beyond it.
 */
export function sample({ format, pattern }: Schema): string {
  const example = typeof format === 'string' ? EXAMPLES[format] : undefined
  if (example !== undefined) return example
  if (typeof pattern !== 'string') return ''
  const written = pattern
    .replace(/^\^|\$$/g, '')
    .replace(PIECE, (_, set?: string, escaped?: string, plain?: string, repeat?: string) => {
      return characterOf(set, escaped, plain).repeat(timesOf(repeat))
    })
  return new RegExp(pattern, 'u').test(written) ? written : ''
}

/** A set, an escape or a character, and how often it stands there. */
const PIECE = /(?:(\[[^\]]+\])|\\(.)|([^\\[\]()|]))(\{\d+(?:,\d*)?\}|[*+?])?/g

function characterOf(
  set: string | undefined,
  escaped: string | undefined,
  plain: string | undefined,
): string {
  if (set !== undefined)
    return [...'0aA-_ .'].find((character) => new RegExp(set, 'u').test(character)) ?? set.charAt(1)
  if (escaped === undefined) return plain === '.' ? 'a' : (plain ?? '')
  return { d: '0', w: 'a', s: ' ' }[escaped] ?? escaped
}

function timesOf(repeat: string | undefined): number {
  if (repeat === undefined || repeat === '+') return 1
  return repeat === '*' || repeat === '?' ? 0 : Number.parseInt(repeat.slice(1), 10)
}
