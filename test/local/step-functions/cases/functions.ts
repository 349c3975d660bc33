import { alone, type Case, pass, whileIn } from './case.ts'

const gives = (name: string, Output: unknown, output: unknown, input?: unknown): Case => ({
  name,
  machine: alone('note', pass(Output)),
  input,
  output,
})
const refused = (name: string, expression: string, cause: RegExp | string, input?: unknown): Case => ({
  name,
  machine: alone('note', pass(`{% ${expression} %}`)),
  input,
  status: 'FAILED',
  error: 'States.QueryEvaluationError',
  cause,
})
const threw = (expression: string) =>
  `${whileIn('note', 2)}The JSONata expression '${expression}' specified for the field 'Output' threw an error during evaluation. `
const UUID = '/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/'

export const functions: readonly Case[] = [
  gives(
    '$partition cuts a list into parts, the last one shorter',
    { two: '{% $partition($states.input, 2) %}', all: '{% $partition($states.input, 9) %}' },
    { two: [['a', 'b'], ['c', 'd'], ['e']], all: [['a', 'b', 'c', 'd', 'e']] },
    ['a', 'b', 'c', 'd', 'e'],
  ),
  gives('$partition of one item is a list of a list', '{% $partition($states.input, 1) %}', [['a']], ['a']),
  refused(
    '$partition refuses parts of 0 items',
    '$partition($states.input, 0)',
    /'\$partition\(\$states\.input, 0\)' specified for the field 'Output' threw an error during evaluation\./,
    [1, 2],
  ),
  gives(
    '$range counts up and down by a step, both ends included where they are met',
    { up: '{% $range(0, 10, 4) %}', down: '{% $range(9, 1, -4) %}', from: '{% $range(-2, 2, 2) %}' },
    { up: [0, 4, 8], down: [9, 5, 1], from: [-2, 0, 2] },
  ),
  gives('$range that holds one number is that number', '{% $range(5, 7, 10) %}', 5),
  refused(
    '$range refuses a step of 0',
    '$range(1, 5, 0)',
    /'\$range\(1, 5, 0\)' specified for the field 'Output' threw an error during evaluation\./,
  ),
  gives(
    '$hash knows MD5, SHA-1, SHA-256, SHA-384 and SHA-512',
    {
      md5: "{% $hash('parcel-7', 'MD5') %}",
      sha1: "{% $hash('parcel-7', 'SHA-1') %}",
      sha256: "{% $hash($states.input.id, 'SHA-256') %}",
      lengths: "{% ['SHA-384', 'SHA-512'].$length($hash('parcel-7', $)) %}",
    },
    {
      md5: '152f45ba95b5e05a14c68b70543e5d82',
      sha1: '8a47c759e44a494adc71cae13132583b2b0fb960',
      sha256: '334f1995b88d693de5c34348d9e22fa290b2fb935bfbe31396b824021cd45192',
      lengths: [96, 128],
    },
    { id: 'parcel-7' },
  ),
  refused(
    '$hash refuses an algorithm that it does not know',
    "$hash('parcel-7', 'CRC-32')",
    /'\$hash\('parcel-7', 'CRC-32'\)' specified for the field 'Output' threw an error during evaluation\./,
  ),
  gives(
    '$random is from 0 to below 1, and the same for the same seed',
    {
      within: '{% ($r := $random(); $r >= 0 and $r < 1) %}',
      seeded: '{% ($r := $random(7); $r >= 0 and $r < 1) %}',
      same: '{% $random(7) = $random(7) %}',
      other: '{% $random(7) = $random(8) %}',
    },
    { within: true, seeded: true, same: true, other: false },
  ),
  gives(
    '$uuid is of version 4, and new each time',
    { form: `{% $contains($uuid(), ${UUID}) %}`, same: '{% $uuid() = $uuid() %}' },
    { form: true, same: false },
  ),
  gives(
    '$parse reads JSON from a text',
    {
      list: '{% $parse($states.input.text).lines %}',
      none: "{% $parse('null') %}",
      text: '{% $parse(\'"a"\') %}',
    },
    { list: [{ sku: 's-1' }], none: null, text: 'a' },
    { text: '{"lines":[{"sku":"s-1"}]}' },
  ),
  refused(
    '$parse refuses a text that is not JSON',
    '$parse($states.input.text)',
    /'\$parse\(\$states\.input\.text\)' specified for the field 'Output' threw an error during evaluation\./,
    { text: '{lines:' },
  ),
  refused(
    '$eval is not there',
    "$eval('1 + 1')",
    `${threw("$eval('1 + 1')")}T1006: Attempted to invoke a non-function`,
  ),
  refused(
    'nor is a function that nobody defined',
    '$weigh($states.input)',
    `${threw('$weigh($states.input)')}T1006: Attempted to invoke a non-function`,
  ),
  gives(
    "JSONata's own functions are there, with higher-order ones and own lambdas",
    {
      total: '{% $sum($map($states.input, function($line) { $line.cents * $line.count })) %}',
      dear: '{% $filter($states.input, function($line) { $line.cents > 5 }).sku %}',
      most: '{% $reduce($states.input.cents, function($a, $b) { $a > $b ? $a : $b }) %}',
      time: "{% $fromMillis(1767225600000, '[Y0001]-[M01]-[D01]') %}",
      byName: '{% $states.input^(>cents).sku %}',
    },
    { total: 26, dear: 'b', most: 8, time: '2026-01-01', byName: ['b', 'a'] },
    [
      { sku: 'a', cents: 5, count: 2 },
      { sku: 'b', cents: 8, count: 2 },
    ],
  ),
]
