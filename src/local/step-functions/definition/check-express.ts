import type { Branch, State } from './machine.ts'
import type { Report } from './report.ts'

/** Step Functions: what an express machine may not do, at any depth: wait for what it starts, for a token, or run a distributed Map. */
export function checkExpress({ states }: Branch, path: string, report: Report): void {
  for (const state of states) {
    const place = `${path}/States/${state.name}`
    const pattern = state.Type === 'Task' ? waitingPattern(state.Resource) : undefined
    if (pattern !== undefined)
      report(`Express state machine does not support '${pattern}' service integration`, `${place}/Resource`)
    state.branches.forEach((branch, index) => {
      const branchPath = `${place}/${branchField(state, index)}`
      if (branch.isDistributed)
        report(
          'Express state machine does not support Mode DISTRIBUTED; use INLINE',
          `${branchPath}/ProcessorConfig`,
        )
      checkExpress(branch, branchPath, report)
    })
  }
}

function waitingPattern(resource: string): string | undefined {
  return /(\.waitForTaskToken|\.sync)(:2)?$/.exec(resource)?.[1]
}

function branchField(state: State, index: number): string {
  if (state.Type === 'Parallel') return `Branches[${index}]`
  return 'ItemProcessor' in state ? 'ItemProcessor' : 'Iterator'
}
