import { describe, expect, it } from 'vitest'
import { createEvaluator } from '../../../src/local/step-functions/expressions/evaluate.ts'

const evaluator = createEvaluator({ nowMs: () => 0, random: () => 0.25, uuid: () => 'uuid-1' })
const evaluate = (template: unknown, input: unknown = null, variables: Record<string, unknown> = {}) =>
  evaluator.evaluate(template, 'Output', { variables, states: { input, context: {} } })

describe('expressions', () => {
  it.each([
    ["$hash('input data', 'SHA-1')", 'aaff4a450a104cd177d28d18d74485e8cae074b7'],
    ["$hash('', 'MD5')", 'd41d8cd98f00b204e9800998ecf8427e'],
    ['$range(1, 9, 2)', [1, 3, 5, 7, 9]],
    ['$range(3, 1, -1)', [3, 2, 1]],
    ['$range(1, 9, 9)', 1],
    ['$partition([1..5], 2)', [[1, 2], [3, 4], [5]]],
    ['$parse(\'{"a":[1]}\')', { a: [1] }],
    ['$uuid()', 'uuid-1'],
    ['$random()', 0.25],
    ['$random(7) = $random(7)', true],
    ['$millis()', 0],
    ["$now('[Y0001]-[M01]-[D01]')", '1970-01-01'],
  ])('%s', async (text, value) => {
    expect(await evaluate(`{% ${text} %}`)).toEqual(value)
  })

  it('keep texts literal that do not start and end with the marks, and evaluate the others at any depth', async () => {
    const template = { a: [' {% 1 %}', '{% 1 %}'], b: { c: '{%$x%}' } }
    expect(await evaluate(template, null, { x: [2] })).toEqual({ a: [' {% 1 %}', 1], b: { c: [2] } })
  })

  it('see the input as it is: a list of one stays a list', async () => {
    expect(await evaluate('{% $states.input.a %}', { a: [1] })).toEqual([1])
  })

  it.each([
    ['$nothing', 'returned nothing (undefined).'],
    ['function($x){$x}', 'returned an unsupported result type.'],
    ['[1, function($x){$x}]', 'returned an unsupported result type.'],
    [
      '1 + "a"',
      'threw an error during evaluation. T2002: The right side of the "+" operator must evaluate to a number',
    ],
    ['$eval("1")', 'threw an error during evaluation. T1006'],
    ["$hash('a', 'CRC')", 'unknown algorithm "CRC"; known: MD5, SHA-1, SHA-256, SHA-384, SHA-512'],
    ['$range(0, 5000, 1)', 'are more than 1000'],
  ])('refuse %s', async (text, problem) => {
    await expect(evaluate(`{% ${text} %}`)).rejects.toThrow(problem)
  })

  it('stop an endless recursion', async () => {
    await expect(evaluate('{% ($f := function($x){ 1 + $f($x) }; $f(1)) %}')).rejects.toThrow(
      'threw an error',
    )
  })
})
