import { type FSWatcher, mkdirSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTreeWatch, type TreeWatch } from '../../src/local/tree-watch.ts'
import { eventually, remove, temporaryDirectory } from './lambda/lambda-fixture.ts'

let directory: string
let tree: TreeWatch
const changed: string[] = []
const logged: string[] = []
const opened: string[] = []

beforeEach(() => {
  directory = temporaryDirectory()
  for (const list of [changed, logged, opened]) list.length = 0
})
afterEach(() => {
  tree.close()
  remove(directory)
})

/** As Node does it, but for the directories that the machine has no watches left for. */
function start(isRefused: (path: string) => boolean = () => false): void {
  const watchDirectory = ((path: string, ...rest: [object, () => void]): FSWatcher => {
    if (isRefused(path)) throw Object.assign(new Error('ENOSPC: no watches are left'), { code: 'ENOSPC' })
    opened.push(path)
    return watch(path, ...rest)
  }) as typeof watch // the one form of it that is used
  tree = createTreeWatch({
    changed: ({ path }) => changed.push(path),
    log: (line) => logged.push(line),
    watchDirectory,
  })
}

describe('a watched tree', () => {
  it('leaves out packages, what is generated and what git keeps, unless it is asked for', () => {
    for (const name of ['a/b', 'node_modules/p', '.git/objects', '.turnwise/entries'])
      mkdirSync(join(directory, name), { recursive: true })
    start()
    tree.add(directory)
    tree.add(join(directory, 'a/b'))
    expect(opened).toEqual([directory, join(directory, 'a'), join(directory, 'a/b')])
    tree.add(join(directory, '.turnwise/entries'))
    expect(opened.slice(3)).toEqual([join(directory, '.turnwise/entries')])
  })

  it('says once that directories cannot be watched, and watches the others', async () => {
    for (const name of ['full', 'full-too', 'fine']) mkdirSync(join(directory, name))
    start((path) => path.includes('full'))
    tree.add(directory)
    expect(logged).toEqual([
      `Changes in ${join(directory, 'full')}, and perhaps in other directories, are not seen: ENOSPC: no watches are left`,
    ])
    writeFileSync(join(directory, 'fine/file.ts'), '')
    await eventually(() => changed.includes(join(directory, 'fine/file.ts')))
  })

  it('that is not there yet is watched when it comes', async () => {
    start()
    tree.add(join(directory, 'late'))
    mkdirSync(join(directory, 'late/below'), { recursive: true })
    await eventually(() => changed.includes(join(directory, 'late')))
    writeFileSync(join(directory, 'late/below/file.ts'), '')
    await eventually(() => changed.includes(join(directory, 'late/below/file.ts')))
    expect(logged).toEqual([])
  })
})
