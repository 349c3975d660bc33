import { describe, expect, it } from 'vitest'
import { createDice } from '../../src/local/dice.ts'

describe('dice', () => {
  it('roll for each subject the same row of numbers, in whatever order the subjects come', () => {
    const [one, other] = [createDice(1), createDice(1)]
    const a = [one.roll('a'), one.roll('a')]
    const b = [one.roll('b', 'c'), one.roll('b', 'c')]
    expect([other.roll('b', 'c'), other.roll('a'), other.roll('b', 'c'), other.roll('a')]).toEqual([
      b[0],
      a[0],
      b[1],
      a[1],
    ])
    expect(new Set([...a, ...b, createDice(2).roll('a')]).size).toBe(5)
  })

  it('begin anew with what was rolled for 10,000 others ago', () => {
    const dice = createDice(1)
    const first = dice.roll('a')
    for (let other = 0; other < 9_999; other++) dice.roll(String(other))
    expect(dice.roll('a')).not.toBe(first)
    for (let other = 0; other < 10_000; other++) dice.roll(String(other))
    expect(dice.roll('a')).toBe(first)
  })

  it('remember nothing of what comes once', () => {
    const dice = createDice(1)
    const once = dice.rollOnce('a')
    expect([dice.rollOnce('a'), dice.roll('a')]).toEqual([once, once])
  })
})
