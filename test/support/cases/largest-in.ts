import type { HistoryEvent } from '@aws-sdk/client-sfn'

/** UTF-8 of the largest input, output or variable of a state in an execution's history. */
export function largestIn(history: readonly HistoryEvent[]): number {
  const texts = history.flatMap(({ stateEnteredEventDetails: entered, stateExitedEventDetails: exited }) => [
    entered?.input ?? '',
    exited?.output ?? '',
    ...Object.values(exited?.assignedVariables ?? {}),
  ])
  return Math.max(0, ...texts.map((text) => Buffer.byteLength(text)))
}
