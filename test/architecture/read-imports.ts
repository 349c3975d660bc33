import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'

export interface Import {
  /** As written: `../core/errors.ts`, `zod`. */
  readonly specifier: string
  /** The imported file from the root, or undefined for a package. */
  readonly file: string | undefined
  /** `import type`: nothing is loaded. */
  readonly typeOnly: boolean
  readonly line: number
}

export type ImportsByFile = ReadonlyMap<string, readonly Import[]>

/**
 * The imports of every TypeScript file in some folders, types and lazy ones included. Paths are from `root`.
 */
export async function readImports(root: string, folders: readonly string[]): Promise<ImportsByFile> {
  const imports = new Map<string, readonly Import[]>()
  for (const folder of folders)
    for await (const found of glob(`${folder}/**/*.ts`, { cwd: root })) {
      const file = found.split(sep).join('/')
      imports.set(file, importsOf(file, readFileSync(join(root, file), 'utf8')))
    }
  return imports
}

// The formatter puts each statement at the start of a line, and its names between the word and `from`.
const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[\w$*{][^;'"`=()]*?\sfrom\s+)?['"]([^'"]+)['"]/gm
const LAZY = /\bimport\(\s*['"]([^'"$]+)['"]\s*[,)]/g
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

export function importsOf(file: string, source: string): readonly Import[] {
  const code = source.replace(COMMENT, (comment) => comment.replaceAll(/[^\n]/g, ' '))
  const read = (specifier: string, typeOnly: boolean, at: number): Import => ({
    specifier,
    file: specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined,
    typeOnly,
    line: code.slice(0, at).split('\n').length,
  })
  return [
    ...[...code.matchAll(STATEMENT)].map((match) =>
      read(match[2] ?? '', match[1] !== undefined, match.index),
    ),
    ...[...code.matchAll(LAZY)].map((match) => read(match[1] ?? '', false, match.index)),
  ]
}
