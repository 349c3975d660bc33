// Makes a project's plan: `node plan-process.ts <project>`, started by `makePlanAfresh`. What a process has imported once
// stays as it was, so a plan of changed files is made in a new one.

import { makePlan } from './make-plan.ts'
import type { PlanMessage } from './plan-afresh.ts'

const [directory = '.'] = process.argv.slice(2)

const message: PlanMessage = await makePlan(directory).then(
  ({ plan }): PlanMessage => ({ kind: 'made', plan }),
  (error): PlanMessage => ({
    kind: 'failed',
    problem: error instanceof Error ? error.message : String(error),
  }),
)
process.send?.(message, () => process.exit(0))
