import * as z from 'zod'
import { readChild, readQuestion } from './calls.ts'
import { type CallAddress, entryNames } from './keys.ts'
import type { ChildNote, Question } from './records.ts'
import type { Attributes, Item, Table } from './table.ts'

/** What is known of a step of a doer without what it was given and gave, which may be large. */
export interface StepNote {
  readonly number: number
  readonly name: string
  readonly indexes: readonly number[]
  readonly callable: string
  /** From 0: its last try. */
  readonly entry: number
  /** The run of an agent that does it, and the question to a person that it is: of its last try. */
  readonly child: ChildNote | undefined
  readonly question: Question | undefined
  /** Its last try has a result. */
  readonly isDone: boolean
}

/**
 * The notes of a doer's steps, or of what stands at a place and beneath it, a page of at most 1 MB at a time: of thousands of steps only this
 * much is held.
 */
export function createStepNotes(table: Table) {
  return async function* stepNotes(
    runId: string,
    place?: Pick<CallAddress, 'sk'>,
  ): AsyncGenerator<StepNote, void, void> {
    let after: string | undefined
    do {
      const page = await table.queryPage({
        pk: `RUN#${runId}`,
        from: place?.sk ?? 'S#',
        to: `${place?.sk ?? 'S'}#~`,
        consistent: true,
        ...(after !== undefined && { after }),
      })
      for (const item of page.items) if (item.name !== undefined) yield readNote(item)
      after = page.after
    } while (after !== undefined)
  }
}

const Facts = z.object({
  number: z.number(),
  name: z.string(),
  callable: z.string(),
  indexes: z.string().default('[]'),
  done: z.set(z.number()).default(new Set()),
})

function readNote(item: Item): StepNote {
  const { number, name, callable, indexes, done } = Facts.parse(item)
  const last = lastTry(item, done)
  return {
    number,
    name,
    callable,
    entry: last,
    indexes: z.array(z.number()).parse(JSON.parse(indexes)),
    child: readChild(item, last),
    question: readQuestion(item, last),
    isDone: done.has(last),
  }
}

/** The last entry that has a result, a claim or an agent's run: tries follow each other. */
function lastTry(attributes: Attributes, done: ReadonlySet<number>): number {
  for (let entry = 0; ; entry += 1) {
    const { claim, child } = entryNames(entry + 1)
    if (!done.has(entry + 1) && attributes[claim] === undefined && attributes[child] === undefined)
      return entry
  }
}
