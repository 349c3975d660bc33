import type { Context } from 'aws-lambda'
import catalogFile from '../../catalog.json' with { type: 'json' }
import type { Thinker } from '../core/thinker.ts'
import { parseCatalog } from '../model/catalog.ts'
import { createModel } from '../model/exchange.ts'
import { advance } from '../runtime/advance.ts'
import { TurnMessage } from '../runtime/messages.ts'
import { submitStep } from '../runtime/submit-step.ts'
import { readEnvironment } from './environment.ts'
import { toInvocation } from './invocation.ts'
import { createPorts } from './ports.ts'

/** The turn function of one thinker: a nudge takes the run one step further, a doer's step makes a run. */
export function turnDoor(thinker: Thinker) {
  const { OPENAI_API_KEY, OPENAI_BASE_URL } = readEnvironment()
  const ports = createPorts()
  const model = createModel({
    apiKey: OPENAI_API_KEY ?? '',
    ...(OPENAI_BASE_URL !== undefined && { baseUrl: OPENAI_BASE_URL }),
    catalog: parseCatalog(catalogFile),
  })
  return async (event: unknown, context: Context): Promise<null> => {
    const message = TurnMessage.parse(event)
    if (message.kind === 'step') await submitStep(ports, thinker, message)
    else await advance(ports, { thinker, model }, toInvocation(ports, context), message)
    return null
  }
}
