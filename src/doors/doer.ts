import type { Context } from 'aws-lambda'
import type { Doer } from '../core/doer.ts'
import { codeOf } from '../core/doer-plan.ts'
import { NotFound } from '../core/errors.ts'
import { isTool, type Tool } from '../core/tool.ts'
import { DoerMessage } from '../runtime/messages.ts'
import { submitStep } from '../runtime/submit-step.ts'
import { answerStep } from './answer-step.ts'
import { createPorts } from './ports.ts'

/** A doer's own function: makes its run where it is a step of another doer, and runs its code. */
export function doerDoor(doer: Doer) {
  const ports = createPorts()
  return async (event: unknown, context: Context): Promise<unknown> => {
    const message = DoerMessage.parse(event)
    if (!('taskToken' in message))
      return answerStep(ports, codeNamed(doer, message.step.name), context, message)
    await submitStep(ports, doer, message)
    return null
  }
}

function codeNamed(doer: Doer, name: string): Tool {
  const code = codeOf(doer.plan, name)?.callable
  if (code === undefined || !isTool(code))
    throw new NotFound(`${doer.name} has no code "${name}"; it was deployed anew after this run had begun`)
  return code
}
