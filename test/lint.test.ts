import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const MISUSED = 'test/fixtures/misused/functions/doers/misused.ts'

describe('the lint rules that know types', () => {
  it('find each reference that stands where a value is meant, and nothing else', () => {
    const source = readFileSync(join(ROOT, MISUSED), 'utf8')
    const expected = source.split('\n').flatMap((line, index) => {
      const [, rules] = /\/\/ ([a-z, -]+)$/.exec(line) ?? []
      return rules === undefined ? [] : [`${index + 1}: ${rules}`]
    })
    expect(expected).toHaveLength(8)
    expect(found()).toEqual(expected)
  })
})

/** `25: no-unnecessary-condition, strict-boolean-expressions` for each line that oxlint, as `npm run lint` runs it, finds fault with. */
function found(): readonly string[] {
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint')
  const { status, stdout, stderr } = spawnSync(process.execPath, [oxlint, '--format', 'unix', MISUSED], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  const findings = [...stdout.matchAll(/:(\d+):\d+: .*typescript\(([a-z-]+)\)\]$/gm)]
  return [...Map.groupBy(findings, ([, line]) => line)].map(
    ([line, all]) => `${line}: ${[...new Set(all.map(([, , rule]) => rule))].toSorted().join(', ')}`,
  )
}
