import { join, relative, resolve, sep } from 'node:path'
import type { PlannedFunction } from '../compile/plan.ts'
import { AGENTS_FILE } from './project-files.ts'

/** Turnwise's own sources, with the doors in them. */
export const SOURCES = resolve(import.meta.dirname, '..')

/** Where an entry's text stands and what it reaches from there; all absolute. */
export interface EntrySurroundings {
  /** The project, which has `functions/`. */
  readonly directory: string
  /** Turnwise's sources, which have `doors/`. */
  readonly sources: string
  /** The folder of the entry. */
  readonly folder: string
}

/** The text of a function's entry: one door and one definition. */
export function entryText({ door, definition }: PlannedFunction, surroundings: EntrySurroundings): string {
  const { directory, sources, folder } = surroundings
  const importOf = (name: string, file: string) => `import { ${name} } from '${specifier(folder, file)}'`
  const doorImport = importOf(`${door}Door`, join(sources, 'doors', `${door}.ts`))
  if (door === 'resume' || door === 'lists') return lines(doorImport, `export const handler = ${door}Door()`)
  const held = definition ?? { file: AGENTS_FILE, export: 'agents' }
  return lines(
    doorImport,
    importOf(held.export, join(directory, held.file)),
    `export const handler = ${door}Door(${held.export})`,
  )
}

function specifier(folder: string, file: string): string {
  const path = relative(folder, file).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
