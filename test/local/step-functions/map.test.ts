import { describe, expect, it } from 'vitest'
import { setStage } from './stage.ts'

const double = {
  StartAt: 'double',
  States: {
    double: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Arguments: { FunctionName: 'double', Payload: '{% $states.input %}' },
      Output: '{% $states.result.Payload %}',
      End: true,
    },
  },
}
const mapOf = (fields: Record<string, unknown>) => ({
  StartAt: 'each',
  States: { each: { Type: 'Map', ItemProcessor: double, End: true, ...fields } },
})
const sleep = (durationMs: number) => new Promise((resolve) => setTimeout(resolve, durationMs))

describe('Map', () => {
  it('gives results in the order of the items, whichever iteration ends first', async () => {
    await using stage = await setStage(async ({ payload }) => {
      await sleep(payload === 1 ? 60 : 0)
      return { result: Number(payload) * 2 }
    })
    const execution = await stage.run(mapOf({ Items: [1, 2, 3] }))
    expect(execution).toMatchObject({ status: 'SUCCEEDED', output: '[2,4,6]' })
  })

  it('runs no more iterations at once than MaxConcurrency, and as many', async () => {
    let running = 0
    let most = 0
    await using stage = await setStage(async ({ payload }) => {
      running += 1
      most = Math.max(most, running)
      await sleep(15)
      running -= 1
      return { result: payload }
    })
    const execution = await stage.run(mapOf({ Items: '{% [1..7] %}', MaxConcurrency: '{% 3 %}' }))
    expect({ most, output: execution.output }).toEqual({ most: 3, output: '[1,2,3,4,5,6,7]' })
  })

  it('runs at most 40 iterations at once without MaxConcurrency, and all of them in the end', async () => {
    await using stage = await setStage()
    const arn = await stage.create('waits', {
      StartAt: 'each',
      States: {
        each: {
          Type: 'Map',
          Items: '{% [1..45] %}',
          ItemProcessor: { StartAt: 'pass', States: { pass: { Type: 'Pass', End: true } } },
          Output: '{% $count($states.result) %}',
          End: true,
        },
      },
    })
    const executionArn = await stage.start(arn)
    expect((await stage.ended(executionArn)).output).toBe('45')
    const types = await stage.types(executionArn)
    expect(types.indexOf('PassStateEntered')).toBe(types.indexOf('MapStateStarted') + 41)
  })

  it('gives ItemSelector the index and the value, and inner states the variables of the outer ones', async () => {
    await using stage = await setStage()
    const execution = await stage.run(
      {
        StartAt: 'before',
        States: {
          before: { Type: 'Pass', Assign: { unit: 'kg' }, Next: 'each' },
          each: {
            Type: 'Map',
            Items: '{% $states.input.weights %}',
            ItemSelector: {
              at: '{% $states.context.Map.Item.Index %}',
              weight: '{% $states.context.Map.Item.Value %}',
            },
            ItemProcessor: {
              StartAt: 'label',
              States: {
                label: {
                  Type: 'Pass',
                  Assign: { innerUnit: '{% $unit %}' },
                  Output:
                    "{% $states.input.at & ': ' & $states.input.weight & $unit & ' of ' & $states.context.Map.Item.Value %}",
                  End: true,
                },
              },
            },
            Output: { labels: '{% $states.result %}', unit: '{% $unit %}' },
            End: true,
          },
        },
      },
      { weights: [5, 7] },
    )
    expect(JSON.parse(execution.output ?? '')).toEqual({ labels: ['0: 5kg of 5', '1: 7kg of 7'], unit: 'kg' })
  })

  it('fails with the first iteration that fails, ends its siblings, and says so in the history, one after the other', async () => {
    await using stage = await setStage(async ({ payload }) => {
      if (payload === 2) return { functionError: { errorType: 'NotFound', errorMessage: 'no 2' } }
      await sleep(10_000)
      return { result: payload }
    })
    const arn = await stage.create('fails', mapOf({ Items: [1, 2] }))
    const executionArn = await stage.start(arn)
    const execution = await stage.ended(executionArn)
    expect(execution).toMatchObject({
      status: 'FAILED',
      error: 'NotFound',
      cause: '{"errorType":"NotFound","errorMessage":"no 2"}',
    })
    expect((await stage.types(executionArn)).slice(-7)).toEqual([
      'TaskFailed',
      'MapIterationAborted',
      'TaskStateAborted',
      'MapIterationFailed',
      'TaskStateAborted',
      'MapStateFailed',
      'ExecutionFailed',
    ])
  })
})

describe('Parallel', () => {
  it('gives each branch the Arguments and collects their outputs in order', async () => {
    await using stage = await setStage()
    const branch = (name: string) => ({
      StartAt: name,
      States: { [name]: { Type: 'Pass', Output: `{% $states.input.n & '${name}' %}`, End: true } },
    })
    const execution = await stage.run({
      StartAt: 'both',
      States: {
        both: { Type: 'Parallel', Arguments: { n: 1 }, Branches: [branch('a'), branch('b')], End: true },
      },
    })
    expect(execution.output).toBe('["1a","1b"]')
  })

  it('runs a Map inside a branch, tries the whole Map again, and catches what fails for good', async () => {
    const failures = new Set([2])
    await using stage = await setStage(({ payload }) => {
      if (payload === 9 || failures.delete(Number(payload))) return { functionError: { errorType: 'Busy' } }
      return { result: Number(payload) * 2 }
    })
    const mapBranch = (name: string, Items: number[]) => {
      const inner = `${name} double`
      const Retry = [
        {
          ErrorEquals: ['Busy'],
          IntervalSeconds: 1,
          MaxAttempts: 1,
          MaxDelaySeconds: 1,
          JitterStrategy: 'FULL',
        },
      ]
      const ItemProcessor = { StartAt: inner, States: { [inner]: double.States.double } }
      return { StartAt: name, States: { [name]: { Type: 'Map', Items, ItemProcessor, Retry, End: true } } }
    }
    const both = (second: number[]) => ({
      StartAt: 'both',
      States: {
        both: {
          Type: 'Parallel',
          Branches: [mapBranch('first', [1, 2]), mapBranch('second', second)],
          Catch: [{ ErrorEquals: ['Busy'], Assign: { caught: true }, Next: 'caught' }],
          End: true,
        },
        caught: { Type: 'Pass', Output: '{% $caught %}', End: true },
      },
    })
    expect((await stage.run(both([3]))).output).toBe('[[2,4],[6]]')
    expect((await stage.run(both([9]))).output).toBe('true')
  })
})
