import { doer } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { inputOfRun } from '../../src/runtime/parse-input.ts'

describe('the input of a doer', () => {
  const open = doer({
    name: 'open',
    description: 'd',
    input: z.object({ note: z.unknown() }),
    output: z.unknown(),
  }).plan((_d, input) => ({ note: input.note }))

  it('holds nothing that would be followed to the results of its steps', () => {
    const input = { note: [{ 'turnwise:value': ['S#0001#secret', 0] }] }
    expect(() => inputOfRun(open, input, input)).toThrow(
      'The input of open has a field "turnwise:value", which stands for values that are kept elsewhere',
    )
  })
})
