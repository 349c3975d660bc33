import type { Context } from 'aws-lambda'
import type { Tool } from '../core/tool.ts'
import { ToolMessage } from '../runtime/messages.ts'
import { runCall } from '../runtime/run-call.ts'
import { answerStep } from './answer-step.ts'
import { toInvocation } from './invocation.ts'
import { createPorts } from './ports.ts'

/** The function of one tool: calls of turns come as events, steps of doers as requests that wait for the answer. */
export function toolDoor(tool: Tool) {
  const ports = createPorts()
  return async (event: unknown, context: Context): Promise<unknown> => {
    const message = ToolMessage.parse(event)
    if (message.kind === 'step') return answerStep(ports, tool, context, message)
    const { isStillRunning } = await runCall(ports, tool, toInvocation(ports, context), message, process.env)
    // Code that did not heed its signal would go on inside the next call of this process.
    if (isStillRunning) process.exit(0)
    return null
  }
}
