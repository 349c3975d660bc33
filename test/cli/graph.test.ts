import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { doer, tool } from 'turnwise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { questionDesk } from '../../functions/doers/question-desk.ts'
import { graph, writeGraph } from '../../src/cli/graph.ts'
import { ProjectError } from '../../src/cli/problem.ts'
import { renderSvg } from '../../src/cli/render-svg.ts'
import { drawDoer } from '../../src/compile/graph/draw-doer.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const DOERS =
  'careful_answer, check_each_order, customer_checks, customer_report, customers_review, order_letter, question_desk, refund_debate, urgency_vote'

describe('turnwise graph', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnwise-graph-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('draws a doer of the project', async () => {
    expect(await graph({ directory: ROOT, name: 'question_desk' })).toBe(drawDoer(questionDesk))
  })

  it('writes it as an SVG file, which has its names and loads nothing', async () => {
    const file = join(folder, 'desk.svg')
    await writeGraph({ directory: ROOT, name: 'question_desk' }, file)
    const svg = await readFile(file, 'utf8')
    expect(svg).toMatch(/^<svg /)
    for (const name of ['sort question', 'by topic', 'known order', 'look up order', 'ask order agent'])
      expect(svg).toContain(`>${name}<`)
    expect(svg).not.toContain('@import')
  })

  it('says what is wrong with the name or the file', async () => {
    const complaint = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      return error instanceof ProjectError ? error.message : error
    }
    const drawn = (name: string | undefined, directory = ROOT) => complaint(graph({ directory, name }))
    expect(await drawn(undefined)).toBe(`graph draws one doer, turnwise graph NAME; those are ${DOERS}`)
    expect(await drawn('nobody')).toBe(`No doer is named "nobody"; those are ${DOERS}`)
    expect(await drawn('order_agent')).toBe(
      `"order_agent" is a thinker, and only a doer has a plan to draw; those are ${DOERS}`,
    )
    expect(await drawn('order_status')).toMatch(/^"order_status" is a tool, /)
    expect(await drawn('any', join(ROOT, 'test/fixtures/palettes'))).toBe(
      'No doer is named "any"; there are none',
    )
    const nowhere = join(folder, 'none/desk.svg')
    expect(await complaint(writeGraph({ directory: ROOT, name: 'question_desk' }, nowhere))).toMatch(
      /^--svg ".*none\/desk\.svg" cannot be written: ENOENT.*; name a file in a folder that exists$/,
    )
  })
})

describe('an SVG file', () => {
  it('shows each character of a name as it is', () => {
    const odd = '"a" [b] {c} #d; <e> & *f* 100% \\n'
    const nothing = tool({
      name: 'nothing',
      description: 'Does nothing',
      input: z.object({}),
      output: z.null(),
    }).run(() => null)
    const drawn = doer({
      name: 'odd',
      description: 'Has an odd name in it',
      input: z.object({}),
      output: z.null(),
    }).plan((d) => d.step(odd, nothing, {}))
    const shown = renderSvg(drawDoer(drawn)).replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    expect(shown).toContain(`>${odd}<`)
  })
})
