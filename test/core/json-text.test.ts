import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Internal, InvalidInput } from '../../src/core/errors.ts'
import { parseExactJson, toJsonText } from '../../src/core/json-text.ts'

const roundTrip = (value: unknown): unknown => JSON.parse(toJsonText(value, 'The result'))
/** A path is cut after 200 characters. */
const DEEP_PATH = `${`$${'[0]'.repeat(1_000)}`.slice(0, 200)}…`
const nest = (depth: number): unknown[] => {
  let list: unknown[] = []
  for (let level = 1; level < depth; level += 1) list = [list]
  return list
}

/** What `run` throws; vitest's `toThrow` would compare the message alone. */
function thrownBy(run: () => unknown): unknown {
  try {
    return `answered ${String(run())}`
  } catch (error) {
    return error
  }
}

describe('O28 undefined has one meaning', () => {
  it('leaves a property out, at any depth', () => {
    const message = { text: 'a', meta: { x: undefined }, list: [{ y: undefined, z: 1 }] }
    expect(toJsonText(message, 'The result')).toBe('{"text":"a","meta":{},"list":[{"z":1}]}')
  })

  it('is null as a whole', () => {
    expect(toJsonText(undefined, 'The result')).toBe('null')
  })

  it.each<[string, unknown, string]>([
    ['in a list', { text: 'a', list: [1, undefined] }, '$.list[1]'],
    ['as a hole of a list', Object.assign(new Array(3), { 0: 1, 2: 3 }), '$[1]'],
    ['in a list of lists', { a: [[0], [undefined]] }, '$.a[1][0]'],
  ])('shifts no position: %s it is refused', (_, value, path) => {
    expect(thrownBy(() => toJsonText(value, 'The result'))).toEqual(
      new Internal(
        `The result has undefined at ${path}, which JSON cannot hold; return null, or leave it out`,
      ),
    )
  })
})

/** The value with 0 for -0, which JSON does not tell apart. */
function withoutMinusZero(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMinusZero)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutMinusZero(item)]))
}

class Money {
  readonly cents = 1
}
const twice = { a: 1 }
const circle: Record<string, unknown> = { name: 'a' }
circle.list = [{ circle }]
const listInItself: unknown[] = []
listInItself.push(listInItself)

describe('O29 a value that JSON or DynamoDB would change is kept exactly, or refused with its path', () => {
  it.each<[string, unknown]>([
    ['a large number', { n: 1.23e40 }],
    ['a small number', { n: 5e-324 }],
    ['the largest whole number', [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]],
    ['a fraction', 0.1 + 0.2],
    ['empty texts and keys', { '': '', list: [''] }],
    ['a lone surrogate', { '\udc00': 'a\ud800b' }],
    ['control characters and line separators', '\u0000\u001f\u007f\u2028\u2029'],
    ['a key named __proto__', JSON.parse('{"__proto__":{"admin":true},"b":1}')],
    ['keys named as methods', { constructor: 1, hasOwnProperty: 2, toString: 3, toJSON: 'text' }],
    ['the same object twice', [twice, { twice }, twice]],
    ['a nest of 1,000', nest(1_000)],
    ['null', null],
  ])('keeps %s', (_, value) => {
    expect(roundTrip(value)).toEqual(value)
  })

  it('keeps an object without a prototype as a plain one', () => {
    expect(roundTrip(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
  })

  it('reads -0 as 0', () => {
    expect(toJsonText({ n: -0 }, 'The result')).toBe('{"n":0}')
  })

  const refusals: [unknown, string, string][] = [
    [{ n: 9007199254740993n }, 'the BigInt 9007199254740993 at $.n', 'it as text'],
    [{ a: [1, Number.NaN] }, 'NaN at $.a[1]', 'null, or a number'],
    [Number.POSITIVE_INFINITY, 'Infinity at $', 'null, or a number'],
    [circle, 'a circle at $.list[0].circle', 'data that does not contain itself'],
    [listInItself, 'a circle at $[0]', 'data that does not contain itself'],
    [{ at: new Date(0) }, 'a Date at $.at', 'toISOString()'],
    [new Map([[1, 2]]), 'a Map at $', 'plain objects, lists and text'],
    [[new Set()], 'a Set at $[0]', 'plain objects, lists and text'],
    [Uint8Array.of(1, 2, 3), 'a Uint8Array at $', 'plain objects, lists and text'],
    [Buffer.from('abc'), 'a Buffer at $', 'plain objects, lists and text'],
    [Object(1), 'a Number at $', 'plain objects, lists and text'],
    [new Error('no'), 'a Error at $', 'plain objects, lists and text'],
    [Promise.resolve(1), 'a Promise at $', 'plain objects, lists and text'],
    [new Money(), 'a Money at $', 'plain objects, lists and text'],
    [new (class {})(), 'a class instance at $', 'plain objects, lists and text'],
    [Object.create(Object.create(null)), 'a class instance at $', 'plain objects, lists and text'],
    [{ run: () => 1 }, 'a function at $.run', 'data'],
    [{ kind: Symbol('a') }, 'a symbol at $.kind', 'data'],
    [{ price: 1, toJSON: () => 2 }, 'a toJSON method at $', 'what it gives'],
    [[Object.assign([1], { toJSON: () => 2 })], 'a toJSON method at $[0]', 'what it gives'],
    [nest(1_001), `a nest of more than 1000 at ${DEEP_PATH}`, 'flatter data'],
    [nest(50_000), `a nest of more than 1000 at ${DEEP_PATH}`, 'flatter data'],
  ]
  it.each(refusals)('refuses a value with $1', (value, found, instead) => {
    const message = `The result has ${found}, which JSON cannot hold; return ${instead}`
    expect(thrownBy(() => toJsonText(value, 'The result'))).toEqual(new Internal(message))
  })

  it('gives any JSON value back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (value) => {
        const read = roundTrip(value)
        expect(read).toEqual(withoutMinusZero(value))
        expect(toJsonText(read, 'The result')).toBe(toJsonText(value, 'The result'))
      }),
      { numRuns: 300 },
    )
  })

  it('gives any text back, also one that UTF-8 cannot hold', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        const value = String.fromCharCode(...units)
        const text = toJsonText(value, 'The result')
        // DynamoDB and HTTP carry UTF-8.
        expect(JSON.parse(Buffer.from(text, 'utf8').toString('utf8'))).toBe(value)
      }),
      { numRuns: 300 },
    )
  })

  it('either gives any value of JavaScript back or refuses it, and changes none', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true })
    fc.assert(
      fc.property(anything, (value) => {
        const outcome = thrownBy(() => toJsonText(value, 'The result'))
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Internal)
        // `toEqual` takes an absent property for an undefined one.
        else expect(roundTrip(value)).toEqual(withoutMinusZero(value) ?? null)
      }),
      { numRuns: 300 },
    )
  })
})

describe('O29 a number that a model or a client wrote is read exactly or refused', () => {
  it.each([
    ['9007199254740991'],
    ['-9007199254740991'],
    ['1.23e40'],
    ['1.230E+40'],
    ['123e38'],
    ['0.1'],
    ['3.14159265358979323846'],
    ['-0'],
    ['0.000e9'],
    ['5e-324'],
  ])('reads %s', (text) => {
    expect(parseExactJson(text)).toBe(JSON.parse(text))
  })

  it.each([
    ['9007199254740993'],
    ['-9007199254740993'],
    ['12345678901234567890'],
    ['9007199254740993.0'],
    ['9.007199254740993e15'],
    ['90071992547409930e-1'],
    ['1e400'],
    ['-1e400'],
    ['1e-400'],
  ])('refuses %s, and says where it stands and what to do', (text) => {
    expect(thrownBy(() => parseExactJson(`{"a":[{"order":${text}}]}`))).toEqual(
      new InvalidInput(`"order" is ${text}, which no number holds exactly; pass it as text`),
    )
    expect(thrownBy(() => parseExactJson(text))).toEqual(
      new InvalidInput(`The value is ${text}, which no number holds exactly; pass it as text`),
    )
  })

  it('reads a text of digits as the text that it is', () => {
    expect(parseExactJson('{"order":"9007199254740993"}')).toEqual({ order: '9007199254740993' })
  })

  it('reads a nest of 1,000 and refuses a deeper one; brackets in texts are no nest', () => {
    const text = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
    expect(parseExactJson(text(1_000))).toEqual(JSON.parse(text(1_000)))
    for (const depth of [1_002, 200_000])
      expect(thrownBy(() => parseExactJson(text(depth)))).toEqual(
        new InvalidInput('The JSON nests too deep; at most 1000 objects and lists within each other'),
      )
    const inText = JSON.stringify({ '"[\\': `${'['.repeat(2_000)}\\"${'{'.repeat(2_000)}` })
    expect(parseExactJson(inText)).toEqual(JSON.parse(inText))
  })

  it.each([[''], ['{'], ['{"a":1,}'], ['NaN'], ['"\\']])('throws a SyntaxError for %j', (text) => {
    expect(thrownBy(() => parseExactJson(text))).toBeInstanceOf(SyntaxError)
  })

  it('reads whatever the serialiser wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        const text = toJsonText(value, 'The result')
        const outcome = thrownBy(() => void parseExactJson(text))
        if (outcome instanceof Error)
          expect(outcome.message).toMatch(/is -?\d{16,}, which no number holds exactly/)
        else expect(parseExactJson(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 300 },
    )
  })
})
