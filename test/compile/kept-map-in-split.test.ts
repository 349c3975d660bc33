import validate from 'asl-validator'
import { doer, listArtifact } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { State } from '../../src/compile/asl.ts'
import { compileDoer } from '../../src/compile/compile-doer.ts'

const numbers = listArtifact(z.number())

describe('N42 a map over a list artifact without a step, in what says where it is', () => {
  const machineOf = (atMost: number | undefined) => {
    const options = atMost === undefined ? {} : { atMost }
    const made = doer({
      name: 'made',
      description: 'd',
      input: z.object({ numbers, list: z.array(z.number()) }),
      output: z.unknown(),
    }).plan((d, input) =>
      d.map('outer', input.list, () => d.map('inner', input.numbers, () => 1, { atMost: 3 }), options),
    )
    return compileDoer(made)
  }
  const stateIn = (atMost: number | undefined): State | undefined => machineOf(atMost).States.outer

  it.each([undefined, 3])('is accepted by asl-validator, in a list of at most %s', (atMost) => {
    expect(validate(machineOf(atMost))).toMatchObject({ isValid: true, errors: [] })
  })

  it('an item in an execution of its own is told its run and its index', () => {
    expect(stateIn(undefined)).toMatchObject({
      ItemSelector: { runId: '{% $runId %}', index_of_outer_1: '{% $states.context.Map.Item.Index %}' },
    })
  })

  it('an item keeps its index for the lists that are made in it', () => {
    const state = stateIn(3)
    expect(JSON.stringify(state)).toContain('"Assign":{"index_of_outer_1":"{% $states.input.index %}"}')
  })
})
