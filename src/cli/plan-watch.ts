import { join } from 'node:path'
import { type Plan, planSchema } from '../compile/plan.ts'
import { concerns, createTreeWatch, mayBringSource, type TreeChange } from '../local/tree-watch.ts'
import { readImportGraph } from './import-graph.ts'
import { makePlanAfresh, type PlanMessage } from './plan-afresh.ts'
import { planDifference } from './plan-difference.ts'
import { AGENTS_FILE } from './project-files.ts'

export interface PlanWatchOptions {
  /** The project, absolute. */
  readonly directory: string
  /** The one that runs. */
  readonly plan: Plan
  /** Whether a gateway runs, which loaded the definitions when it started. */
  readonly hasGateway: boolean
  readonly log: (line: string) => void
}

export interface PlanWatch {
  close(): Promise<void>
}

/** An editor's save is several events, and a new process is to make the plan. */
const QUIET_MS = 200

/**
 * Makes the plan again whenever a file changes that `functions/agents.ts` reaches, and says when it is another than the one that
 * runs, or when none can be made: once, until something else is to be said.
 */
export function watchPlan({ directory, plan, hasGateway, log }: PlanWatchOptions): PlanWatch {
  const running = planSchema.parse(JSON.parse(JSON.stringify(plan))) // as one is that comes from another process
  const ending = new AbortController()
  /** What the plan is made of; undefined until that is known: then any source may be of it. */
  let files: readonly string[] | undefined
  let said: string | undefined
  let isGatewayOld = false
  let hasFailed = false
  let timer: NodeJS.Timeout | undefined
  let looking = findFiles().catch(logFailure)
  const tree = createTreeWatch({ changed: noteChange, log })
  tree.add(directory)
  return {
    async close() {
      tree.close()
      clearTimeout(timer)
      ending.abort()
      await looking
    },
  }

  async function findFiles(): Promise<void> {
    const graph = await readImportGraph(directory, [AGENTS_FILE])
    files = [...graph.keys()].map((file) => join(directory, file))
  }

  function noteChange(change: TreeChange): void {
    const isReached = files?.some((file) => concerns(change, file))
    // What failed may have lacked any source.
    const mayBeOfIt = files === undefined || hasFailed
    if (!isReached && !(mayBeOfIt && mayBringSource(change))) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      looking = looking.then(look).catch(logFailure)
    }, QUIET_MS)
  }

  async function look(): Promise<void> {
    const made = await makePlanAfresh(directory, ending.signal)
    if (ending.signal.aborted) return
    if (hasGateway && !isGatewayOld) log('The gateway keeps the code that it has: restart to run the new one')
    isGatewayOld = true
    hasFailed = made.kind === 'failed'
    say(lineAbout(made))
    if (!hasFailed) await findFiles()
  }

  function lineAbout(made: PlanMessage): string | undefined {
    if (made.kind === 'failed')
      return `There is no plan of what changed, and the old one runs on: ${made.problem}`
    const difference = planDifference(running, made.plan)
    return difference === '' ? undefined : `The plan has changed (${difference}): restart to run it`
  }

  function logFailure(error: unknown): void {
    log(`The plan was not made again: ${String(error)}`)
  }

  function say(line: string | undefined): void {
    if (line !== undefined && line !== said) log(line)
    said = line
  }
}
