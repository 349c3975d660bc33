import validate from 'asl-validator'
import { doer, InvalidInput, listArtifact } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { State } from '../../src/compile/asl.ts'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { type Functions, runMachine } from './run-machine.ts'

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
      ItemSelector: { runId_in1: '{% $runId %}', index_of_outer_1: '{% $states.context.Map.Item.Index %}' },
    })
  })

  it('an item keeps its index for the lists that are made in it', () => {
    const state = stateIn(3)
    expect(JSON.stringify(state)).toContain('"Assign":{"index_of_outer_1":"{% $states.input.index %}"}')
  })
})

describe('N42 an item whose result cannot be kept in the list that a map makes', () => {
  const mapping = (options: { tolerate?: 'all'; atMost?: number }) =>
    doer({ name: 'made', description: 'd', input: z.object({ numbers }), output: z.unknown() }).plan(
      (d, input) => d.map('each', input.numbers, (n) => ({ n }), options),
    )
  const REASON = 'step "each: keep an item": the item is too large'
  const saved: unknown[] = []
  const functions: Functions = {
    lists({ kind, index, value }) {
      if (kind === 'finish') return { artifact: 'x', size: 2 }
      if (index === 1 && JSON.stringify(value).includes('turnwise:value'))
        throw new InvalidInput('the item is too large')
      saved[Number(index)] = value
      return null
    },
  }
  const numbersOf = (size: number) => ({ numbers: { artifact: 'i', size } })
  const places = [
    ['in one execution', 3],
    ['in executions of their own', undefined],
  ] as const

  it.each(places)('failed, where the map tolerates it, %s', async (_, atMost) => {
    saved.length = 0
    const tolerating = mapping({ tolerate: 'all', ...(atMost && { atMost }) })
    const { output } = await runMachine(tolerating, numbersOf(2), functions)
    expect(output).toEqual({ artifact: 'x', size: 2 })
    expect(saved).toEqual([
      { ok: true, value: { n: { 'turnwise:value': ['A#i', 0] } } },
      { ok: false, error: { name: 'InvalidInput', message: REASON } },
    ])
  })

  it.each(places)('fails the run with the reason where it does not, %s', async (_, atMost) => {
    const ran = await runMachine(mapping(atMost ? { atMost } : {}), numbersOf(2), functions)
    expect(ran).toMatchObject({ status: 'FAILED', error: 'InvalidInput' })
    expect(ran.cause).toBe(`step "each": ${REASON}`)
  })
})
