import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Says what the gateway serves: `export const agents = [orderAgent]`. */
export const AGENTS_FILE = 'functions/agents.ts'

/**
 * The TypeScript files under a folder of a project, from the project's directory, with forward slashes,
 * sorted.
 */
export async function filesUnder(directory: string, folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const file of glob(`${folder}/**/*.ts`, { cwd: directory }))
    if (!file.endsWith('.d.ts')) found.push(file.split(sep).join('/'))
  return found.sort()
}

export function fileExists(directory: string, file: string): boolean {
  return existsSync(join(directory, file))
}

/** What a file exports; running it is the only way to know. */
export async function exportsOf(directory: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(join(directory, file)).href)
}
