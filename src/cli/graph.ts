import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { drawDoer } from '../compile/graph/draw-doer.ts'
import type { Doer } from '../core/doer.ts'
import type { Registry } from '../core/registry.ts'
import { loadDefinitions } from './load-definitions.ts'
import { errorOf, ProjectError } from './problem.ts'

export interface GraphOptions {
  readonly directory: string
  /** Of the doer; undefined when the command lacked it. */
  readonly name: string | undefined
}

/** A doer of a project as a flowchart in Mermaid's language. Throws `ProjectError`. */
export async function graph({ directory, name }: GraphOptions): Promise<string> {
  const { registry } = await loadDefinitions(resolve(directory))
  return drawDoer(findDoer(registry, name))
}

/** The same as an SVG file, from where the command runs. Throws `ProjectError`. */
export async function writeGraph(options: GraphOptions, file: string): Promise<void> {
  const flowchart = await graph(options)
  // The layout in it is large, and only this command needs it.
  const { renderSvg } = await import('./render-svg.ts')
  const svg = renderSvg(flowchart)
  try {
    await writeFile(file, svg)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw wrong(`--svg "${file}" cannot be written: ${why}; name a file in a folder that exists`)
  }
}

function findDoer(registry: Registry, name: string | undefined): Doer {
  const doers = registry.all.map(({ definition }) => definition).filter(({ kind }) => kind === 'doer')
  const known =
    doers.length === 0 ? 'there are none' : `those are ${doers.map((each) => each.name).join(', ')}`
  if (name === undefined) throw wrong(`graph draws one doer, turnwise graph NAME; ${known}`)
  const found = registry.find(name)
  if (found === undefined) throw wrong(`No doer is named "${name}"; ${known}`)
  if (found.kind !== 'doer')
    throw wrong(`"${name}" is a ${found.kind}, and only a doer has a plan to draw; ${known}`)
  return found
}

function wrong(message: string): ProjectError {
  return new ProjectError([errorOf(message)])
}
