import { type ModelServer, startModelServer } from './model-server.ts'
import { rehearse } from './rehearse/rehearse.ts'

/**
 * The model for people without a key: it understands nothing, yet calls a fitting tool and answers from what
 * came back, the same way each time (`rehearse/rehearse.ts` has the rules). It refuses what the scripted
 * model refuses, so that what works with it works with a provider.
 */
export function startRehearsalModel({ port = 0 }: { port?: number } = {}): Promise<ModelServer> {
  return startModelServer({ model: 'rehearsal', port, reply: rehearse })
}
