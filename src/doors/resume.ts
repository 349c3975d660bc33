import { ResumeMessage } from '../runtime/messages.ts'
import { resume } from '../runtime/resume.ts'
import { createPorts } from './ports.ts'

/** The function that ends, failures, task tokens and the sweep come to. */
export function resumeDoor() {
  const ports = createPorts({ mayTell: true })
  return async (event: unknown): Promise<null> => {
    await resume(ports, ResumeMessage.parse(event))
    return null
  }
}
