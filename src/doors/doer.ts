import type { Context } from 'aws-lambda'
import type { Doer } from '../core/doer.ts'
import { codeOf, inputNamesOf } from '../core/doer-plan.ts'
import { NotFound } from '../core/errors.ts'
import { isTool, type Tool } from '../core/tool.ts'
import { DoerMessage, type ToolStepMessage } from '../runtime/messages.ts'
import { submitStep } from '../runtime/submit-step.ts'
import { answerStep } from './answer-step.ts'
import { createPorts } from './ports.ts'

/** A doer's own function: makes its run where it is a step of another doer, and runs its code. */
export function doerDoor(doer: Doer) {
  const ports = createPorts()
  return async (event: unknown, context: Context): Promise<unknown> => {
    const message = DoerMessage.parse(event)
    if (!('taskToken' in message)) return answerStep(ports, codeFor(doer, message), context, message)
    await submitStep(ports, doer, message)
    return null
  }
}

/** The code that the machine means, which was compiled with the version that the run began with. */
function codeFor(doer: Doer, { step: { name }, inputs }: ToolStepMessage): Tool {
  const node = codeOf(doer.plan, name)
  if (node === undefined || !isTool(node.callable))
    throw new NotFound(`${doer.name} has no code "${name}"; it was deployed anew after this run had begun`)
  const known = inputNamesOf(node)
  if (inputs !== undefined && known.join() !== inputs.join())
    throw new NotFound(
      `${doer.name} has no code "${name}" for the inputs ${listed(inputs)}, but for ${listed(known)}; it was deployed anew after this run had begun`,
    )
  return node.callable
}

const listed = (names: readonly string[]): string => (names.length === 0 ? '(none)' : names.join(', '))
