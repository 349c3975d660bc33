import { answerListStep } from '../runtime/list-steps.ts'
import { ListMessage } from '../runtime/messages.ts'
import { createPorts } from './ports.ts'

/** The function that maps over list artifacts read and write their items with. */
export function listsDoor() {
  const ports = createPorts()
  return async (event: unknown): Promise<unknown> => answerListStep(ports, ListMessage.parse(event))
}
