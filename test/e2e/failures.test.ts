import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunView } from '../../src/gateway/run-view.ts'
import type { ODD_VALUES } from '../fixtures/shop/functions/lib/odd-values.ts'
import { answer, calls, callsOf, PATIENT, type Reply, type Shop, startShop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop?.close())

/** Three calls a turn: each call at the same time costs a process, which is most of what these tests cost. */
const inTurns = (inputs: readonly object[]): Reply[] =>
  Array.from({ length: Math.ceil(inputs.length / 3) }, (_, turn) =>
    calls(...inputs.slice(3 * turn, 3 * turn + 3).map((input): [string, object] => ['misbehave', input])),
  )

const starting = (text: string) => expect.stringMatching(new RegExp(`^${text}`))

describe.concurrent('N3 a tool has its own timeout', PATIENT, () => {
  it('kills a tool that loops for ever, and the model reads what became of it', async () => {
    const run = await shop.run([
      calls(
        ['overrun_reading', { how: 'loops' }],
        ['overrun_changing', { how: 'loops' }],
        ['stock_level', { item: 'pen' }],
      ),
      answer('went on'),
    ])
    expect(run).toMatchObject({ status: 'completed', answer: { done: 'went on' } })
    expect(shop.toolTexts(run)).toEqual([
      starting('Timeout: It did not end within its 1 s\n'),
      starting('Interrupted: .*its outcome is unknown \\(.*Task timed out after 6\\.00 seconds\\)\n'),
      '{"item":"pen","count":3}',
    ])
  })

  it('ends the call of a tool that waits for ever, whether it heeds its signal or not', async () => {
    const tools = ['overrun_reading', 'overrun_changing']
    const asked = ['ignores its signal', 'heeds its signal'].flatMap((how) =>
      tools.map((name): [string, object] => [name, { how }]),
    )
    const run = await shop.run([calls(...asked), answer('went on')])
    expect(run.status).toBe('completed')
    const timedOut = starting('Timeout: overrun_reading did not end within its 1 s\n')
    const interrupted = starting(
      'Interrupted: overrun_changing did not end within its 1 s and was stopped, so its outcome is unknown\n',
    )
    expect(shop.toolTexts(run)).toEqual([timedOut, interrupted, timedOut, interrupted])
    for (const { startedAt, endedAt } of callsOf(run, 1)) {
      const tookMs = Date.parse(String(endedAt)) - Date.parse(String(startedAt))
      expect(tookMs).toBeGreaterThanOrEqual(1_000)
      expect(tookMs).toBeLessThan(6_000) // when its function would have been killed
    }
  })
})

describe.concurrent('N4 a tool that exhausts its memory', PATIENT, () => {
  it('takes no other call of its turn down', async () => {
    const run = await shop.run([
      calls(
        ['misbehave', { exhaustsMemory: true }],
        ['stock_level', { item: 'pen' }],
        ['order_goods', { item: 'ink', count: 2 }],
      ),
      answer('went on'),
    ])
    expect(run.status).toBe('completed')
    expect(shop.toolTexts(run)).toEqual([
      starting('Internal: Its function died 3 times \\(.*signal: .*\\)\n'),
      '{"item":"pen","count":3}',
      '{"item":"ink","ordered":2}',
    ])
    expect(await shop.journal('ink')).toHaveLength(1)
  })
})

describe('N10 N20 a failure is a result that the model reads', PATIENT, () => {
  const FAILURES = [
    ['InvalidInput', 'InvalidInput: "size" must be S, M or L', 'Correct the call'],
    ['NotFound', 'NotFound: No such size', 'does not exist'],
    ['ExternalService', 'ExternalService: Warehouse: it burned down', 'take another way'],
    ['Throttled', 'Throttled: The warehouse is busy until noon', 'later'],
    ['Timeout', 'Timeout: The warehouse did not answer', 'smaller request'],
    ['Denied', 'Denied: Clerks may not see prices', 'take another way'],
    ['Interrupted', 'Interrupted: The line went dead while it ordered', 'unknown'],
    ['Internal', 'Internal: A shelf is missing', 'take another way'],
    ['a plain Error', 'Internal: Cannot read the label', 'take another way'],
    ['a thrown text', 'Internal: thrown text', 'take another way'],
  ] as const
  let failed: Promise<RunView> | undefined
  const runOfFailures = () => {
    failed ??= shop.run([...inTurns(FAILURES.map(([throws]) => ({ throws }))), answer('went on')])
    return failed
  }

  it.each(FAILURES.map((row, index) => [...row, index] as const))(
    'names %s and explains it, without a stack',
    async (_, explanation, advice, index) => {
      const run = await runOfFailures()
      const [first, second, ...more] = (shop.toolTexts(run)[index] ?? '').split('\n')
      expect([run.status, first, more]).toEqual(['completed', explanation, []])
      expect(second).toContain(advice)
    },
  )

  it('tells the model the known names when it calls one that does not exist', async () => {
    const run = await shop.run([
      calls(['stock_levels', { item: 'pen' }], ['order goods!', {}]),
      answer('went on'),
    ])
    expect(run.status).toBe('completed')
    const known = 'known: stock_level, order_goods, .*, adviser\n'
    expect(shop.toolTexts(run)).toEqual([
      starting(`InvalidInput: Nothing is named "stock_levels"; ${known}`),
      starting(`InvalidInput: Nothing is named "order goods!"; ${known}`),
    ])
  })

  it('tells the model which argument is wrong and what would be right', async () => {
    const run = await shop.run([
      calls(
        ['order_goods', { item: 'wrong', count: 'three' }],
        ['order_goods', { item: 'wrong' }],
        ['order_goods', '{"item": "wrong", "count": '],
        ['order_goods', '["wrong", 3]'],
      ),
      answer('went on'),
    ])
    expect(run.status).toBe('completed')
    expect(shop.toolTexts(run)).toEqual([
      expect.stringMatching(
        /^InvalidInput: The input of order_goods is wrong:\n.*expected number, received string\n.*at count\n/,
      ),
      expect.stringMatching(
        /^InvalidInput: The input of order_goods is wrong:\n.*expected number, received undefined\n.*at count\n/,
      ),
      starting('InvalidInput: The arguments are not JSON: {"item": "wrong", "count": '),
      expect.stringMatching(
        /^InvalidInput: The input of order_goods is wrong:\n.*expected object, received array\n/,
      ),
    ])
    expect(await shop.journal('wrong')).toEqual([])
  })
})

describe('N14 a thinker ends with an answer that fits its schema', PATIENT, () => {
  it('is corrected when its answer does not fit, and goes on', async () => {
    const run = await shop.run([{ text: '{"finished":"yes"}' }, { text: 'yes' }, answer('yes')])
    expect(run).toMatchObject({ status: 'completed', answer: { done: 'yes' } })
    expect(run.turns.map(({ outcome, correction }) => [outcome, correction])).toEqual([
      ['correction', expect.stringMatching(/does not fit its schema:\n.*\n.*at done/)],
      ['correction', starting('The answer must be JSON that fits its schema\\.')],
      ['answer', undefined],
    ])
    const told = shop.conversation(run).flatMap(({ role, content }) => (role === 'user' ? [content] : []))
    expect(told.slice(1)).toEqual(run.turns.slice(0, 2).map(({ correction }) => correction))
  })

  it('fails when it has been corrected twice and still does not fit', async () => {
    const run = await shop.run([
      { text: 'yes' },
      { text: 'still yes' },
      { text: 'yes again' },
      answer('too late'),
    ])
    expect(run).toMatchObject({
      status: 'failed',
      error: { name: 'ExternalService', message: starting('LLM: no usable answer after 2 corrections: ') },
    })
    expect(run.turns).toHaveLength(3)
  })

  it('is exhausted when its turns are used up, with no answer', async () => {
    const look = calls(['stock_level', { item: 'pen' }])
    const run = await shop.run([...Array.from({ length: 8 }, () => look), answer('too late')])
    expect(run).toMatchObject({ status: 'exhausted', answer: null })
    expect(run.turns.map(({ outcome }) => outcome)).toEqual(Array(8).fill('calls'))
  })

  it('answers another thinker that calls it, from a run of its own', async () => {
    const advises = shop.script([calls(['stock_level', { item: 'ink' }]), { text: '{"advice":"buy ink"}' }])
    const misfits = shop.script([{ text: 'no' }, { text: 'no' }, { text: 'no' }])
    const run = await shop.run([
      calls(['adviser', { task: advises }], ['adviser', { task: misfits }]),
      answer('bought'),
    ])
    expect(run.status).toBe('completed')
    expect(shop.toolTexts(run)).toEqual([
      '{"advice":"buy ink"}',
      starting('ExternalService: LLM: no usable answer'),
    ])
    const children = await Promise.all(callsOf(run, 1).map((call) => shop.gateway.look(String(call.run))))
    expect(children.map(({ agent, status, turns }) => [agent, status, turns.length])).toEqual([
      ['adviser', 'completed', 2],
      ['adviser', 'failed', 3],
    ])
  })
})

describe('N44 a tool is submitted like an agent', PATIENT, () => {
  it('completes with its output', async () => {
    const { id } = await shop.gateway.submit('stock_level', { item: 'pen' })
    expect(await shop.gateway.ended(id)).toMatchObject({
      kind: 'tool',
      status: 'completed',
      answer: { item: 'pen', count: 3 },
      turns: [{ calls: [{ name: 'stock_level', status: 'completed' }] }],
    })
  })

  it('fails with its own failure', async () => {
    const { id } = await shop.gateway.submit('stock_level', { item: 'unicorn' })
    const run = await shop.gateway.ended(id)
    const failure = { name: 'NotFound', message: 'The shop has never had a unicorn' }
    expect([run.status, run.error]).toEqual(['failed', failure])
  })
})

/** What becomes of each value: the text that the model reads, or the refusal with the path. */
type Fate = { readonly text: string } | { readonly refused: RegExp }
const becomes = (text: string): Fate => ({ text })
const refused = (pattern: RegExp): Fate => ({ refused: pattern })

const UNDEFINED_VALUES = {
  'undefined in a list': refused(/undefined at \$\.list\[1\], which JSON cannot hold; return null/),
  'a hole in a list': refused(/undefined at \$\.list\[1\]/),
  'undefined as a property': becomes('{"text":"a","meta":{}}'),
  undefined: becomes('null'),
  null: becomes('{"found":null}'),
}
const CHANGED_VALUES = {
  bigint: refused(
    /the BigInt 9007199254740993 at \$\.lines\[0\]\.count, which JSON cannot hold; return it as text/,
  ),
  'not a number': refused(/NaN at \$\.price/),
  infinity: refused(/Infinity at \$\.price/),
  date: refused(/a Date at \$\.sold, which JSON cannot hold; return toISOString\(\)/),
  map: refused(/a Map at \$\.counts/),
  bytes: refused(/a Uint8Array at \$\.label/),
  circle: refused(/a circle at \$\.self\.circle/),
  function: refused(/a function at \$\.open/),
  'empty strings': becomes('{"":"","list":[""]}'),
  'lone surrogates': becomes('{"high":"\\ud83d","low":"\\ude00 back","pair":"😀"}'),
  'a large number': becomes('{"n":1.23e+40,"least":5e-324,"largest":9007199254740991}'),
  'one object twice': becomes('{"first":{"shelf":3},"second":{"shelf":3}}'),
  'names of prototypes': becomes('{"__proto__":{"x":1},"constructor":"c"}'),
}
const FATES: Record<keyof typeof ODD_VALUES, Fate> = { ...UNDEFINED_VALUES, ...CHANGED_VALUES }

let returned: Promise<RunView> | undefined
const runOfValues = () => {
  returned ??= shop.run([...inTurns(Object.keys(FATES).map((returns) => ({ returns }))), answer('went on')])
  return returned
}

/** What the model read of the value, and what the record shows, which must be the same thing. */
async function expectFate(value: string): Promise<void> {
  const run = await runOfValues()
  expect(run.status).toBe('completed')
  const index = Object.keys(FATES).indexOf(value)
  const call = run.turns.flatMap((turn) => turn.calls ?? [])[index]
  const text = shop.toolTexts(run)[index]
  const fate = FATES[value as keyof typeof ODD_VALUES]
  if ('text' in fate) {
    expect([text, call?.status]).toEqual([fate.text, 'completed'])
    expect(JSON.stringify(call?.output)).toBe(fate.text)
  } else {
    expect(text).toMatch(/^Internal: misbehave did run, but what it returned has /)
    expect(text).toMatch(fate.refused)
    expect(call?.error?.message).toMatch(fate.refused)
  }
}

describe('O28 undefined in what a tool returns', PATIENT, () => {
  it.each(Object.keys(UNDEFINED_VALUES))('%s shifts nothing and is never changed in silence', expectFate)
})

describe('O29 values that JSON or the table would change', PATIENT, () => {
  it.each(Object.keys(CHANGED_VALUES))('%s comes back the same or is refused with its path', expectFate)

  it('a number in arguments that no double holds is refused and not rounded', async () => {
    const run = await shop.run([
      calls(
        ['order_goods', '{"item":"atom","count":9007199254740993}'],
        ['order_goods', '{"item":"atom","count":1e999}'],
        ['order_goods', '{"item":"atom","count":9007199254740991}'],
      ),
      answer('went on'),
    ])
    expect(shop.toolTexts(run)).toEqual([
      starting('InvalidInput: "count" is 9007199254740993, which no number holds exactly; pass it as text\n'),
      starting('InvalidInput: "count" is 1e999, which no number holds exactly'),
      '{"item":"atom","ordered":9007199254740991}',
    ])
    expect((await shop.journal('atom')).map(({ did }) => did)).toEqual(['ordered 9007199254740991'])
  })
})

describe('N20 a turn that asks for too much', PATIENT, () => {
  it('refuses all calls of a turn beyond the 64th', async () => {
    const unknown = Array.from({ length: 60 }, (): [string, object] => ['no_such_tool', {}])
    const known = Array.from({ length: 5 }, (_, index): [string, object] => [
      'stock_level',
      { item: 'x'.repeat(index + 1) },
    ])
    const run = await shop.run([calls(...unknown, ...known), answer('went on')])
    expect(run.status).toBe('completed')
    const texts = shop.toolTexts(run)
    expect(texts.slice(0, 60)).toEqual(unknown.map(() => expect.stringContaining('Nothing is named')))
    expect(texts.slice(60, 64)).toEqual(
      known.slice(0, 4).map(([, input], index) => JSON.stringify({ ...input, count: index + 1 })),
    )
    expect(texts.slice(64)).toEqual([expect.stringMatching(/64/)])
  })
})
