import { failureError, Interrupted, InvalidInput } from '../core/errors.ts'
import { cutAnswer } from './cut-answer.ts'
import { findItem, findList } from './list-artifacts.ts'
import type { ListMessage, ListPlace } from './messages.ts'
import { followPointers, listAddress } from './pointers.ts'
import type { Ports } from './ports.ts'
import { mapListId } from './run-ids.ts'

/**
 * What a map over a list artifact asks for: an item of the list, to keep what came of one, and, when all are kept, the list of these. A
 * repeat does no harm. Throws failures of the family, whose names the machine matches.
 */
export async function answerListStep(ports: Ports, message: ListMessage): Promise<unknown> {
  switch (message.kind) {
    case 'load': {
      const { list, index, wanted } = message
      const answer = cutAnswer(
        await findItem(ports, list.artifact, index),
        listAddress(list.artifact, index),
        wanted,
      )
      if ('failure' in answer) throw failureError(answer.failure)
      return { output: answer.output }
    }
    case 'save': {
      const { runId, index, value } = message
      const { id, expiresAt } = await openList(ports, message)
      await ports.store.artifacts.writeItem(id, index, await followPointers(ports, runId, value), expiresAt)
      return null
    }
    case 'finish': {
      const { list, size } = message
      // A reference may have been written by a model: what is not the whole list is not taken for it.
      const whole = await findList(ports, list.artifact)
      if (whole.size !== size)
        throw new InvalidInput(`The list ${list.artifact} has ${whole.size} items, and not ${size}`)
      const { id, expiresAt } = await openList(ports, message)
      await ports.store.artifacts.finish(id, size, expiresAt)
      return { artifact: id, size }
    }
  }
}

/** The list that one map of a run makes. */
async function openList(ports: Ports, { runId, map, indexes }: ListPlace) {
  const run = await ports.store.runs.read(runId)
  if (run?.status !== 'running') throw new Interrupted(`The run ${runId} is over`)
  return { id: mapListId(runId, map, indexes), expiresAt: run.expiresAt }
}
