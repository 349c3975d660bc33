import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { check } from '../../src/cli/check.ts'
import { conventionalPlace } from '../../src/cli/conventional-place.ts'
import { describeWorst } from '../../src/cli/describe-worst.ts'
import type { PlannedMachine } from '../../src/compile/plan.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures')
/** Doors that bring nothing of their own into a bundle. */
const SOURCES = `${FIXTURES}/sources`
const checkFixture = async (name: string) => (await check(`${FIXTURES}/${name}`, SOURCES)).problems

describe('turnwise check', () => {
  it('finds nothing wrong with definitions that keep the rules, and writes nothing', async () => {
    expect(await checkFixture('orders')).toEqual([])
    expect(existsSync(`${FIXTURES}/orders/.turnwise`)).toBe(false)
  })

  it('says where a definition belongs whose file is not named for it, or that no file exports', async () => {
    expect(await checkFixture('misplaced')).toEqual([
      {
        severity: 'error',
        message:
          'tool "hidden" is exported by no file under functions/; it belongs in functions/tools/hidden.ts as `export const hidden`',
      },
      {
        severity: 'error',
        message:
          'tool "order_status" is `orderStatus` in functions/tools/lookup.ts; it belongs in functions/tools/order-status.ts as `export const orderStatus`',
      },
    ])
  })

  it('explains a circle of imports by its files', async () => {
    const [problem, ...others] = await checkFixture('circle')
    expect(problem?.message).toMatch(
      /^functions\/thinkers\/(\w+)\.ts imports functions\/thinkers\/(\w+)\.ts imports functions\/thinkers\/\1\.ts: a circle/,
    )
    expect(others).toEqual([])
  })

  it('names both places of two definitions with one name', async () => {
    expect(await checkFixture('twins')).toEqual([
      {
        severity: 'error',
        message:
          'functions/agents.ts: Two definitions are named "order_status": one at first_agent → palette → order_status, another at second_agent → palette → order_status; rename one',
      },
    ])
  })

  it("names package, tool and line where a turn function or the gateway loads what only a tool's code needs", async () => {
    const explained = (id: string) => ({
      severity: 'error',
      message:
        `function ${id} loads the package jsonata at its start, which only the code of tool "ask_data" needs: ` +
        "functions/lib/query.ts:1 imports it; import it where it is used, with `await import('jsonata')` in a resource's `open`",
    })
    expect(await checkFixture('held')).toEqual([
      {
        severity: 'warning',
        message: 'functions/tools/unoffered.ts: no agent reaches it, so it is not deployed',
      },
      explained('gateway'),
      explained('turn-analyst'),
    ])
  })

  it('says what is missing in a directory without agents', async () => {
    const [problem] = await checkFixture('sources')
    expect(problem?.message).toContain('has no functions/agents.ts, which says what the gateway serves')
  })

  it('reports what does not bundle with its file and line', async () => {
    const { problems } = await check(`${FIXTURES}/orders`, `${FIXTURES}/nowhere`)
    expect(problems).toContainEqual({
      severity: 'error',
      message: 'entry:turn-order_agent:1: Could not resolve "../nowhere/doors/turn.ts"',
    })
  })
})

describe('W5 turnwise check says of each doer what it comes to at worst', () => {
  const worst = {
    states: 9,
    transitions: 4_044,
    dollars: 0.1011,
    events: 12_357,
    unboundedPayloads: [],
    split: [],
    assumptions: [],
  }
  const machine = (given: Partial<PlannedMachine['worst']>): PlannedMachine => ({
    id: 'report',
    definition: { Comment: 'c', QueryLanguage: 'JSONata', StartAt: 'x', States: {} },
    invokes: [],
    startsItself: false,
    worst: { ...worst, ...given },
  })

  it.each<[Partial<PlannedMachine['worst']>, string]>([
    [
      { payloadBytes: 1_024 },
      'doer report: 9 states; a run at worst 4,044 transitions ($0.1011), 12,357 events in a history, payloads of 1,024 bytes',
    ],
    [
      {
        payloadBytes: 1_024,
        unboundedPayloads: ['the input', 'the result'],
        split: ['map "all" by item'],
        assumptions: ['map "all" has 1,000 items'],
      },
      'doer report: 9 states; a run at worst 4,044 transitions ($0.1011), 12,357 events in a history, payloads of 1,024 bytes, ' +
        'no bound for the input and 1 more\n' +
        '  in executions of its own: map "all" by item\n' +
        '  supposed: map "all" has 1,000 items',
    ],
  ])('%j', (given, lines) => {
    expect(describeWorst(machine(given))).toBe(lines)
  })
})

describe('the place of a definition', () => {
  it.each([
    ['tool', 'order_status', 'functions/tools/order-status.ts', 'orderStatus'],
    ['thinker', 'agent', 'functions/thinkers/agent.ts', 'agent'],
    ['doer', 'report_2_all', 'functions/doers/report-2-all.ts', 'report2All'],
  ] as const)('of %s %s is %s, export %s', (kind, name, file, exported) => {
    expect(conventionalPlace({ kind, name })).toEqual({ name, file, export: exported })
  })
})
