import * as z from 'zod'
import type { CodeDeclaration } from './plan.ts'
import { refuse, type Use } from './step-names.ts'
import { type Tool, type ToolContext, tool } from './tool.ts'

export type RunCode = (inputs: never, context: ToolContext) => unknown

/** TypeScript of a doer's own as the tool that it runs as. Throws `DefinitionError`. */
export function createCode(
  { doer, place }: Use,
  { output, ...options }: CodeDeclaration<z.ZodType>,
  run: RunCode,
): Tool {
  if (typeof run !== 'function') refuse(doer, place, 'the last thing that it is given is no function')
  // The plan's types say what comes in; `tool` checks the rest.
  const declaration = { name: 'code', description: place, input: z.looseObject({}), output, ...options }
  return tool(declaration).run(run as (inputs: object, context: ToolContext) => unknown)
}
