import { alone, type Case, goTo, pass, whileIn } from './case.ts'

const gives = (name: string, Output: unknown, output: unknown, input?: unknown): Case => ({
  name,
  machine: alone('note', pass(Output)),
  input,
  output,
})
const fails = (name: string, expression: string, rest: string, input?: unknown): Case => ({
  name,
  machine: alone('note', pass({ of: `{% ${expression} %}` })),
  input,
  status: 'FAILED',
  error: 'States.QueryEvaluationError',
  cause: `${whileIn('note', 2)}The JSONata expression '${expression}' specified for the field 'Output/of' ${rest}`,
  events: 'ExecutionStarted<0 PassStateEntered<0 EvaluationFailed<0 ExecutionFailed<3',
})

const ORDER = {
  id: 'o-10',
  coupon: null,
  note: 'ring  twice, then wait',
  lines: [
    { sku: 'a', cents: 5 },
    { sku: 'b', cents: 8 },
  ],
  tags: ['gift'],
}

export const jsonata: readonly Case[] = [
  gives(
    'a query that finds one gives that one, not a list; [] keeps the list',
    {
      one: '{% $states.input.lines[cents > 6].sku %}',
      kept: '{% $states.input.lines[cents > 6].sku[] %}',
      two: '{% $states.input.lines.sku %}',
      built: '{% [$states.input.lines[cents > 6].sku] %}',
    },
    { one: 'b', kept: ['b'], two: ['a', 'b'], built: ['b'] },
    ORDER,
  ),
  gives(
    'a list of one in the data stays a list',
    { tags: '{% $states.input.tags %}', mapped: '{% $states.input.tags.$uppercase($) %}' },
    { tags: ['gift'], mapped: 'GIFT' },
    ORDER,
  ),
  fails(
    'a query that finds none is nothing, and nothing is no output',
    '$states.input.lines[cents > 99]',
    'returned nothing (undefined).',
    ORDER,
  ),
  gives(
    'null is a value; what is absent falls out of lists and objects that an expression builds',
    {
      coupon: '{% $states.input.coupon %}',
      list: '{% [$states.input.absent, $states.input.coupon, 1] %}',
      object: '{% {"a": $states.input.absent, "b": $states.input.id} %}',
      text: '{% $string($states.input.coupon) & $states.input.absent %}',
      there: '{% [$exists($states.input.coupon), $exists($states.input.absent)] %}',
    },
    { coupon: null, list: [null, 1], object: { b: 'o-10' }, text: 'null', there: [true, false] },
    ORDER,
  ),
  gives(
    'an empty list is a value too',
    { built: '{% [] %}', filtered: '{% $states.input.lines[cents > 99][] ? 1 : [] %}' },
    { built: [], filtered: [] },
    ORDER,
  ),
  fails('a function is no output', '$uppercase', 'returned an unsupported result type.'),
  fails(
    'arithmetic with a text throws, with the code of JSONata',
    '$states.input.id * 2',
    'threw an error during evaluation. T2001: The left side of the "*" operator must evaluate to a number',
    ORDER,
  ),
  {
    name: 'a division by 0 fails',
    machine: alone('note', pass('{% 1 / $states.input.parts %}')),
    input: { parts: 0 },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause:
      /^An error occurred while executing the state 'note' \(entered at the event id #2\)\. The JSONata expression '1 \/ \$states\.input\.parts' /,
    events: 'ExecutionStarted<0 PassStateEntered<0 EvaluationFailed<0 ExecutionFailed<3',
  },
  gives(
    'regular expressions match, replace, split and capture',
    {
      has: '{% $contains($states.input.note, /TWICE/i) %}',
      replaced: "{% $replace($states.input.note, /\\s+/, '_') %}",
      split: '{% $split($states.input.note, /,\\s*/) %}',
      group: '{% $match($states.input.id, /^o-(\\d+)$/).groups %}',
      swapped: "{% $replace('12:30', /(\\d+):(\\d+)/, '$2:$1') %}",
      dollar: "{% $contains('cost: $5', /\\$5$/) %}",
    },
    {
      has: true,
      replaced: 'ring_twice,_then_wait',
      split: ['ring  twice', 'then wait'],
      group: ['10'],
      swapped: '30:12',
      dollar: true,
    },
    ORDER,
  ),
  gives(
    'a text is an expression only from its first character to its last; keys never are',
    {
      ' before': ' {% 1 + 1 %}',
      after: '{% 1 + 1 %} ',
      within: 'sum: {% 1 + 1 %}',
      path: '$states.input.id',
      tight: '{%1+1%}',
      '{% "key" %}': '{% "value" %}',
    },
    {
      ' before': ' {% 1 + 1 %}',
      after: '{% 1 + 1 %} ',
      within: 'sum: {% 1 + 1 %}',
      path: '$states.input.id',
      tight: 2,
      '{% "key" %}': 'value',
    },
    ORDER,
  ),
  gives(
    'an expression may span lines, hold comments, and bind its own variables',
    `{% (
      $cents := $sum($states.input.lines.cents); /* of all lines */
      $cents > 10 ? { "cents": $cents, "free": true } : null
    ) %}`,
    { cents: 13, free: true },
    ORDER,
  ),
  {
    name: 'what an expression binds is gone with it',
    machine: {
      StartAt: 'bind',
      States: {
        bind: pass({ a: '{% $kept := 5 %}', b: '{% $exists($kept) %}' }, goTo('tell')),
        tell: pass('{% $append([$states.input.a, $states.input.b], $exists($kept)) %}'),
      },
    },
    output: [5, false, false],
  },
  gives(
    'literals of every type are outputs',
    [true, 0, -1.5, 'text', null, [], {}],
    [true, 0, -1.5, 'text', null, [], {}],
  ),
  gives(
    'the wildcard, descendants, grouping and order work on the input',
    {
      descendants: '{% $states.input.**.sku %}',
      grouped: '{% $states.input.lines{sku: cents} %}',
      joined: "{% $join($states.input.lines.(sku & '=' & $string(cents)), ';') %}",
      last: '{% $states.input.lines[-1].sku %}',
      position: '{% $states.input.lines#$i.($string($i) & sku) %}',
    },
    {
      descendants: ['a', 'b'],
      grouped: { a: 5, b: 8 },
      joined: 'a=5;b=8',
      last: 'b',
      position: ['0a', '1b'],
    },
    ORDER,
  ),
]
