import { type Arrangement, arrangeJobs, jobsIn } from '../../core/arrange-jobs.ts'
import type { GroupNode, JobNode } from '../../core/doer-plan.ts'
import type { Root } from '../../core/expression.ts'
import type { Template } from '../asl.ts'
import { catchAll, describedFail, ITEM_FAILED } from '../failure.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import { type Flow, innerFailure, innerFlow, keep, sinkOf, withNamesOfItsOwn } from './flow.ts'
import { quoted } from './quoted.ts'
import { scopeOf } from './scope.ts'

/** Its jobs as they are arranged: one after the other, or in the branches of Parallels. What each gave is in its variable. */
export function compileGroup(group: GroupNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  const end = flow.stateName(`(end of ${quoted(group.name)})`)
  const kept = keep(flow, group, flow.writer().template(group.body.result))
  const after = kept.Assign === undefined ? next : end
  // Written first, so that it stands before its jobs.
  flow.states.set(group.name, { Type: 'Pass', Output: {}, Next: after })
  const start = compilePart(arrangeJobs(group), group, flow, after, compileBlock)
  flow.states.set(group.name, {
    Type: 'Pass',
    Comment: 'Jobs, some of which wait for others',
    Output: {},
    Next: start,
  })
  if (kept.Assign !== undefined) flow.states.set(end, { Type: 'Pass', ...kept, Output: {}, Next: next })
}

/** Answers the first state. */
function compilePart(
  part: Arrangement,
  group: GroupNode,
  flow: Flow,
  next: string,
  compileBlock: CompileBlock,
): string {
  switch (part.kind) {
    case 'job':
      return compileBlock(part.job.body, flow, sinkOf(flow, part.job, next), `job ${quoted(part.job.name)}`)
    case 'sequence':
      return part.parts.reduceRight((then, each) => compilePart(each, group, flow, then, compileBlock), next)
    case 'parallel':
      return compileParts(part.parts, group, flow, next, compileBlock)
  }
}

/** Each part in a branch, which gives what its jobs gave by their names. */
function compileParts(
  parts: readonly Arrangement[],
  group: GroupNode,
  flow: Flow,
  next: string,
  compileBlock: CompileBlock,
): string {
  const state = flow.stateName(`(of ${quoted(group.name)}: ${parts.map(namesIn).join(' beside ')})`)
  const results = parts.flatMap((part, index) =>
    readJobs(part, flow).map((job) => [
      flow.variable(resultOf(job)),
      embed(`$lookup($states.result[${index}], ${JSON.stringify(job.name)})`),
    ]),
  )
  flow.states.set(state, {
    Type: 'Parallel',
    Comment: 'At the same time',
    Branches: parts.map((part) => {
      const place = `${namesIn(part)} of ${quoted(group.name)}`
      const scope = innerFlow(flow, innerFailure(flow, place))
      const inner = withNamesOfItsOwn(scope, jobsIn(part).map(resultOf))
      const end = flow.stateName(`(what ${place} gave)`)
      const start = compilePart(part, group, inner, end, compileBlock)
      inner.states.set(end, { Type: 'Pass', Output: given(readJobs(part, flow), inner), End: true })
      inner.states.set(inner.failure.caught, ITEM_FAILED)
      inner.states.set(inner.failure.described, describedFail)
      return scopeOf(start, inner)
    }),
    Catch: catchAll(group.name, 'Internal', flow.failure.caught),
    ...(results.length > 0 && { Assign: Object.fromEntries(results) }),
    Output: {},
    Next: next,
  })
  return state
}

const resultOf = ({ id }: JobNode): Root => ({ kind: 'result', id })

const readJobs = (part: Arrangement, flow: Flow): readonly JobNode[] =>
  jobsIn(part).filter((job) => flow.isRead(resultOf(job)))

const namesIn = (part: Arrangement): string =>
  jobsIn(part)
    .map(({ name }) => quoted(name))
    .join(', ')

function given(jobs: readonly JobNode[], flow: Flow): Template {
  return Object.fromEntries(jobs.map((job) => [job.name, embed(`$${flow.variable(resultOf(job))}`)]))
}
