import type { DescribeExecutionOutput } from '@aws-sdk/client-sfn'
import type { ManualClock } from '../../../src/local/manual-clock.ts'
import type { Stage } from './stage.ts'

const STEP_MS = 500

/** Lets time pass whenever nothing but timers is left to happen, and no function about to answer, until the execution has ended. */
export async function endedOnMovedClock(
  stage: Stage,
  clock: ManualClock,
  executionArn: string,
): Promise<DescribeExecutionOutput> {
  let isOver = false
  const ended = stage.ended(executionArn).finally(() => {
    isOver = true
  })
  for (let lastTurn = 0; !isOver; lastTurn = clock.pending()) {
    await new Promise((resolve) => setTimeout(resolve, 3))
    if (lastTurn > 0 && clock.pending() > 0 && stage.unanswered() === 0 && !isOver) clock.advance(STEP_MS)
  }
  return ended
}
