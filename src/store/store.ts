import { createArtifacts } from './artifacts.ts'
import { createCalls } from './calls.ts'
import { createRuns } from './runs.ts'
import { createStepNotes } from './step-notes.ts'
import type { Table } from './table.ts'
import { createTurns } from './turns.ts'

/**
 * The table as the runtime sees it: runs, turns, calls and artifacts. Every change is one conditional write of one item that admits its
 * own writer again, so a write whose response was lost can be repeated. `random` gives a fresh unguessable text each time.
 */
export function createStore(table: Table, random: () => string) {
  return {
    runs: createRuns(table, random),
    turns: createTurns(table, random),
    calls: createCalls(table, random),
    stepNotes: createStepNotes(table),
    artifacts: createArtifacts(table, random),
  }
}
export type Store = ReturnType<typeof createStore>
