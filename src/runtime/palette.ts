import type { Callable } from '../core/callable.ts'
import type { Thinker } from '../core/thinker.ts'
import { answerSchema, inputSchema } from '../model/json-schema.ts'
import type { Exchange, ToolOffer } from '../model/types.ts'

/** What the model is shown of a thinker's palette. */
export const offersOf = (thinker: Thinker): readonly ToolOffer[] => thinker.palette.map(offer)

/** The schema that a thinker's answer must fit, under the thinker's name. */
export const answerOf = (thinker: Thinker): Exchange['answer'] => ({
  name: thinker.name,
  schema: answerSchema(thinker),
})

function offer(callable: Callable): ToolOffer {
  return {
    name: callable.name,
    description: callable.readOnly ? `${callable.description} [read-only]` : callable.description,
    parameters: inputSchema(callable),
  }
}
