import type { Context } from 'aws-lambda'
import type { Tool } from '../core/tool.ts'
import { ToolMessage } from '../runtime/messages.ts'
import { runCall } from '../runtime/run-call.ts'
import { runStep } from '../runtime/run-step.ts'
import { toInvocation } from './invocation.ts'
import { createPorts } from './ports.ts'

/** The function of one tool: calls of turns come as events, steps of doers as requests that wait for the answer. */
export function toolDoor(tool: Tool) {
  const ports = createPorts()
  return async (event: unknown, context: Context): Promise<unknown> => {
    const message = ToolMessage.parse(event)
    const invocation = toInvocation(ports, context)
    if (message.kind === 'step') {
      const answer = await runStep(ports, tool, invocation, message, process.env)
      if (answer.kind === 'output') return { output: answer.output }
      return process.exit(1)
    }
    const { isStillRunning } = await runCall(ports, tool, invocation, message, process.env)
    // Code that did not heed its signal would go on inside the next call of this process.
    if (isStillRunning) process.exit(0)
    return null
  }
}
