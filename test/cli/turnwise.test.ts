import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planSchema } from '../../src/compile/plan.ts'

const ROOT = resolve(import.meta.dirname, '../..')

interface Ended {
  readonly code: number | string | null | undefined
  readonly output: string
}

/** Runs the command as a person does. */
function turnwise(...words: readonly string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile(process.execPath, [join(ROOT, 'src/cli/turnwise.ts'), ...words], (error, stdout, stderr) =>
      done({ code: error === null ? 0 : error.code, output: stdout + stderr }),
    )
  })
}

describe('turnwise plan', () => {
  // Inside the repository, since definitions find the package `turnwise` by the folder that they are in.
  let project: string
  beforeAll(() => {
    mkdirSync(join(ROOT, '.turnwise'), { recursive: true })
    project = mkdtempSync(join(ROOT, '.turnwise/planned-'))
    cpSync(join(ROOT, 'test/fixtures/orders/functions'), join(project, 'functions'), { recursive: true })
  })
  afterAll(() => rmSync(project, { recursive: true }))

  it('writes the plan and an entry of one door and one definition for each function, and removes older entries', async () => {
    mkdirSync(join(project, '.turnwise/entries'), { recursive: true })
    writeFileSync(join(project, '.turnwise/entries/tool-gone.ts'), '')
    expect(await turnwise('plan', '--directory', project)).toEqual({
      code: 0,
      output: '.turnwise/plan.json: 8 functions, 1 machines\n',
    })
    const plan = planSchema.parse(JSON.parse(readFileSync(join(project, '.turnwise/plan.json'), 'utf8')))
    expect(readdirSync(join(project, '.turnwise/entries')).sort()).toEqual(
      plan.functions.map(({ id }) => `${id}.ts`).sort(),
    )
    const entry = (id: string) => readFileSync(join(project, `.turnwise/entries/${id}.ts`), 'utf8')
    expect(entry('tool-order_status')).toBe(
      `import { toolDoor } from '../../../../src/doors/tool.ts'
import { orderStatus } from '../../functions/tools/order-status.ts'
export const handler = toolDoor(orderStatus)
`,
    )
    expect(entry('gateway')).toBe(
      `import { gatewayDoor } from '../../../../src/doors/gateway.ts'
import { agents } from '../../functions/agents.ts'
export const handler = gatewayDoor(agents)
`,
    )
    expect(entry('resume')).toBe(
      `import { resumeDoor } from '../../../../src/doors/resume.ts'
export const handler = resumeDoor()
`,
    )
  })
})

describe('the command turnwise', () => {
  it('prints the drawing of a doer, or exits 1 and says what to draw', async () => {
    const drawn = await turnwise('graph', 'question_desk', '--directory', ROOT)
    expect(drawn.code).toBe(0)
    expect(drawn.output).toMatch(/^flowchart TD\n.* finish\n$/s)
    const { code, output } = await turnwise('graph', '--directory', ROOT)
    expect(code).toBe(1)
    expect(output).toMatch(
      /^error: graph draws one doer, turnwise graph NAME; those are careful_answer, .*\n$/,
    )
  })

  it('exits 1 with the errors when the definitions are wrong', async () => {
    const { code, output } = await turnwise('check', '--directory', join(ROOT, 'test/fixtures/twins'))
    expect(code).toBe(1)
    expect(output).toMatch(
      /^error: functions\/agents\.ts: Two definitions are named "order_status".*\n1 error\n$/,
    )
  })

  it.each([
    [['deploy']],
    [['check', '--colour', 'red']],
    [['graph', 'one', 'two']],
    [['start', '--faults', 'many']],
    [['start', '--faults', '']],
  ])('exits 1 and says how it is used after %j', async (words) => {
    const { code, output } = await turnwise(...words)
    expect(code).toBe(1)
    expect(output).toContain('Usage: turnwise COMMAND')
  })
})
