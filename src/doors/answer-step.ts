import type { Context } from 'aws-lambda'
import type { Tool } from '../core/tool.ts'
import type { ToolStepMessage } from '../runtime/messages.ts'
import type { Ports } from '../runtime/ports.ts'
import { runStep } from '../runtime/run-step.ts'
import { toInvocation } from './invocation.ts'

/** Answers `{ output }` to a machine that waits for a step, or throws the step's failure. */
export async function answerStep(
  ports: Ports,
  tool: Tool,
  context: Context,
  message: ToolStepMessage,
): Promise<{ readonly output: unknown }> {
  const answer = await runStep(ports, tool, toInvocation(ports, context), message, process.env)
  if (answer.kind === 'output') return { output: answer.output }
  // Its code goes on: the process must not be used again, and what came of the step is on record for who asks again.
  return process.exit(1)
}
