import type { GroupNode, JobNode } from './doer-plan.ts'

/** How the jobs of a group run: one, some one after the other, or some at the same time. */
export type Arrangement =
  | { readonly kind: 'job'; readonly job: JobNode }
  | { readonly kind: 'sequence' | 'parallel'; readonly parts: readonly Arrangement[] }

/**
 * Jobs that have nothing to do with each other run at the same time. Of those that have, the ones that wait for none come first, and then the
 * others, arranged in the same way: so what does not nest runs by levels, and may wait for more than it asked for.
 */
export function arrangeJobs(group: GroupNode): Arrangement {
  return arrange(jobsOf(group))
}

/** The jobs that wait for others than those in their `after`, and for which: `offer` waits for `logo`. */
export function longerWaits(
  group: GroupNode,
): readonly { readonly job: JobNode; readonly others: readonly JobNode[] }[] {
  const jobs = jobsOf(group)
  const asked = (job: JobNode): readonly JobNode[] =>
    jobs.filter(({ id }) => job.after.includes(id)).flatMap((other) => [other, ...asked(other)])
  return waitsIn(arrangeJobs(group), []).flatMap(({ job, others }) => {
    const more = others.filter((other) => !asked(job).includes(other))
    return more.length === 0 ? [] : [{ job, others: more }]
  })
}

const jobsOf = ({ body }: GroupNode): readonly JobNode[] => body.nodes.filter((node) => node.kind === 'job')

function arrange(jobs: readonly JobNode[]): Arrangement {
  const components = componentsOf(jobs)
  if (components.length > 1) return { kind: 'parallel', parts: components.map(arrange) }
  const [only, ...more] = jobs
  if (only !== undefined && more.length === 0) return { kind: 'job', job: only }
  const isFirst = ({ after }: JobNode) => !jobs.some(({ id }) => after.includes(id))
  return {
    kind: 'sequence',
    parts: [arrange(jobs.filter(isFirst)), arrange(jobs.filter((job) => !isFirst(job)))],
  }
}

/** Jobs that wait for each other, directly or by way of others, are in one. */
function componentsOf(jobs: readonly JobNode[]): readonly (readonly JobNode[])[] {
  return jobs.reduce<readonly (readonly JobNode[])[]>((components, job) => {
    const isTied = (component: readonly JobNode[]) => component.some(({ id }) => job.after.includes(id))
    return [...components.filter((each) => !isTied(each)), [...components.filter(isTied).flat(), job]]
  }, [])
}

function waitsIn(
  part: Arrangement,
  before: readonly JobNode[],
): readonly { job: JobNode; others: readonly JobNode[] }[] {
  if (part.kind === 'job') return [{ job: part.job, others: before }]
  if (part.kind === 'parallel') return part.parts.flatMap((each) => waitsIn(each, before))
  const [first, ...rest] = part.parts
  if (first === undefined) return []
  return [
    ...waitsIn(first, before),
    ...waitsIn({ kind: 'sequence', parts: rest }, [...before, ...jobsIn(first)]),
  ]
}

/** The jobs of an arrangement. */
export function jobsIn(part: Arrangement): readonly JobNode[] {
  return part.kind === 'job' ? [part.job] : part.parts.flatMap(jobsIn)
}
