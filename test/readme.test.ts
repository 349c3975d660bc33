import { readFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { check } from '../src/cli/check.ts'
import { graph } from '../src/cli/graph.ts'
import { copyProject } from './support/test-project.ts'

const ROOT = resolve(import.meta.dirname, '..')
const pages = ['README.md', 'CONTRIBUTING.md'].map((name) => readFileSync(join(ROOT, name), 'utf8'))
const [readme = ''] = pages

describe('what the README shows', () => {
  let project: Awaited<ReturnType<typeof copyProject>>
  beforeAll(async () => {
    project = await copyProject('functions/resources')
    const functions = join(project.directory, 'functions')
    await cp(join(ROOT, 'functions/resources'), join(functions, 'resources'), { recursive: true })
    await mkdir(join(functions, 'tools'))
    await mkdir(join(functions, 'thinkers'))
    await mkdir(join(functions, 'doers'))
    const [tool = '', thinker = '', doer = '', savesList = ''] = [
      ...readme.matchAll(/```ts\n(.*?)```/gs),
    ].map(([, code]) => code)
    await writeFile(join(functions, 'tools/order-status.ts'), tool)
    await writeFile(join(functions, 'thinkers/order-agent.ts'), thinker)
    await writeFile(join(functions, 'doers/careful-answer.ts'), doer)
    await writeFile(join(functions, 'tools/order-history.ts'), savesList)
    await cp(
      join(ROOT, 'functions/thinkers/quick-answerer.ts'),
      join(functions, 'thinkers/quick-answerer.ts'),
    )
    await writeFile(
      join(functions, 'agents.ts'),
      [
        "import { carefulAnswer } from './doers/careful-answer.ts'",
        "import { orderHistory } from './tools/order-history.ts'",
        'export const agents = [carefulAnswer, orderHistory]',
      ].join('\n'),
    )
  })
  afterAll(() => project.remove())

  it('is a project in which nothing is wrong', async () => {
    expect((await check(project.directory)).problems).toEqual([])
  })

  it('draws a doer as the command does', async () => {
    const [, drawing] = /graph careful_answer`.*?```mermaid\n(.*?)```/s.exec(readme) ?? []
    expect(drawing).toBe(await graph({ directory: ROOT, name: 'careful_answer' }))
  })

  it('names only scripts and paths that exist', async () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const named = pages.flatMap((page) =>
      [...page.matchAll(/npm (?:run )?([a-z:]+)/g)].map(([, name]) => name),
    )
    const builtIn = ['ci', 'test', 'start', 'on']
    expect(
      named.filter((name) => !(name !== undefined && name in scripts) && !builtIn.includes(name ?? '')),
    ).toEqual([])
    const links = pages.flatMap((page) =>
      [...page.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path ?? ''),
    )
    expect(links.length).toBeGreaterThan(0)
    for (const path of links) expect(readFileSync(join(ROOT, path), 'utf8')).not.toBe('')
  })
})
