import { describe, expect, it } from 'vitest'
import {
  briefLength,
  briefly,
  describedBriefly,
  FAILURE_STATES,
  ITEM_FAILED,
} from '../../src/compile/failure.ts'
import { evaluate } from './evaluate.ts'

/** What the machine makes of a failure that a step's Catch handed on. */
async function described(failure: object, otherwise = 'Internal', step = 'look up'): Promise<unknown> {
  const state = FAILURE_STATES['(describe failure)']
  const output = state?.Type === 'Pass' ? state.Output : undefined
  return evaluate(output, { states: { input: { step, otherwise, failure } } })
}

const lambdaCause = (errorType: string, errorMessage: string) =>
  JSON.stringify({ errorType, errorMessage, trace: ['Error: x', '    at "errorMessage":"not this"'] })

describe('N31 a failed step is the failure of the doer, naming the step', () => {
  it("takes the message of a function's error out of its cause", async () => {
    expect(
      await described({ Error: 'NotFound', Cause: lambdaCause('NotFound', 'No order "A-1"\nat all \\ é') }),
    ).toEqual({
      name: 'NotFound',
      message: 'step "look up": No order "A-1"\nat all \\ é',
    })
  })

  it('takes a cause that is no JSON as it is', async () => {
    expect(await described({ Error: 'Denied', Cause: '{ not "errorMessage": json' })).toEqual({
      name: 'Denied',
      message: 'step "look up": { not "errorMessage": json',
    })
  })

  it('says the error where there is no cause', async () => {
    expect(await described({ Error: 'States.TaskFailed' })).toEqual({
      name: 'Internal',
      message: 'step "look up": States.TaskFailed',
    })
  })

  it('has at most 200 characters in a list of failures, however it was described', async () => {
    const failure = { Error: 'NotFound', Cause: 'é'.repeat(1_000) }
    const message = `step "look up": ${'é'.repeat(184)}`
    const brief = { name: 'NotFound', message }
    const input = { step: 'look up', otherwise: 'Internal', failure }
    expect(await evaluate(describedBriefly('200'), { states: { input } })).toEqual(brief)
    const described = { name: 'NotFound', message: `${message}é` }
    expect(await evaluate(briefly('200'), { states: { input: described } })).toEqual(brief)
  })

  it.each([1, 300, 500, 1_300])('has room in a list of %d failures', async (items) => {
    const length = Number(await evaluate(`{% ${briefLength(undefined, String(items))} %}`, {}))
    const failure = { ok: false, error: { name: 'ContextOverflow', message: '漢'.repeat(length) } }
    const failures = Array.from({ length: items }, () => failure)
    expect(Buffer.byteLength(JSON.stringify(failures))).toBeLessThan(262_144)
    expect(length).toBeLessThanOrEqual(200)
  })

  it('says something of each in a list of any length, and most where there are few, whatever their bound', async () => {
    const ofMany = (most: number | undefined, items: number) =>
      evaluate(`{% ${briefLength(most, String(items))} %}`, {})
    expect([await ofMany(undefined, 100_000), await ofMany(10_000, 5), await ofMany(5, 5)]).toEqual([
      40, 200, 200,
    ])
    expect(briefLength(300, 'count')).toBe('200')
  })

  it.each([
    ['Sandbox.Timedout', 'Internal', 'Timeout'],
    ['States.Timeout', 'Internal', 'Timeout'],
    ['Sandbox.Timedout', 'Interrupted', 'Interrupted'],
    ['Runtime.ExitError', 'Interrupted', 'Interrupted'],
    ['Runtime.ExitError', 'Internal', 'Internal'],
    ['Lambda.TooManyRequestsException', 'Interrupted', 'Throttled'],
    ['Lambda.ResourceNotFoundException', 'Interrupted', 'NotFound'],
    ['NotFound', 'Interrupted', 'NotFound'],
  ])('%s of a step that is otherwise %s is %s', async (error, otherwise, name) => {
    expect(await described({ Error: error, Cause: 'why' }, otherwise)).toMatchObject({ name })
  })

  it('says of a timeout, of which Step Functions says only the name, what it was', async () => {
    expect(await described({ Error: 'States.Timeout' }, 'Internal')).toEqual({
      name: 'Timeout',
      message: 'step "look up": it did not end in time',
    })
  })

  it("names the step inside the map, then the map, when an item's step fails", async () => {
    const failure = { Error: 'NotFound', Cause: lambdaCause('NotFound', 'No order') }
    const inner = { step: 'look up', otherwise: 'Internal', failure }
    const variables = { states: { input: inner } }
    const ofMap = {
      Error: await evaluate(ITEM_FAILED.Error, variables),
      Cause: await evaluate(ITEM_FAILED.Cause, variables),
    }
    expect(await described(ofMap, 'Internal', 'statuses')).toEqual({
      name: 'NotFound',
      message: 'step "statuses": step "look up": No order',
    })
  })
})
