import { type Draft, refer } from './draft.ts'
import type { Group } from './plan.ts'
import { type RefTo, referenceOf, type Scope } from './reference.ts'
import { refuse, type Use } from './step-names.ts'

/** Of a job: the jobs that it waits for, those that these wait for included, and the number of its last step in the record. */
interface KnownJob {
  readonly waitsFor: ReadonlySet<number>
  readonly lastNumber: number
}

/** The jobs of one group: what one gives is read in those alone that wait for it, and in what the group gives. */
export function createJobs(draft: Draft, group: Use): Group {
  const block = draft.block()
  const first = block.lastNumber
  const known = new Map<number, KnownJob>()
  let waitsFor: ReadonlySet<number> | undefined
  return {
    job<R>(name: string, body: () => unknown, { after = [] }: { after?: readonly RefTo<unknown>[] } = {}) {
      const use = draft.claim('job', name)
      if (draft.block() !== block)
        refuse(use.doer, use.place, `it stands in another; put it beside it, into ${group.place}`)
      const earlier = after.map((job) => jobId(job, use, known))
      const id = draft.nextId()
      const others = new Set(earlier.flatMap((other) => [other, ...(known.get(other)?.waitsFor ?? [])]))
      block.lastNumber = Math.max(first, ...earlier.map((other) => known.get(other)?.lastNumber ?? first))
      waitsFor = others
      const planned = draft.planBlock(use.place, body)
      waitsFor = undefined
      known.set(id, { waitsFor: others, lastNumber: block.lastNumber })
      block.lastNumber = Math.max(...[...known.values()].map(({ lastNumber }) => lastNumber))
      draft.addAs(id, name, 'job', { after: earlier, body: planned })
      const scope: Scope = {
        ...block.scope,
        within: `the jobs of ${group.place} that wait for it`,
        isOpen: () => block.scope.isOpen() && (waitsFor?.has(id) ?? true),
      }
      return refer<R>({ kind: 'result', id }, scope, `"${name}"`) as never // what `body` gives
    },
  }
}

function jobId(job: RefTo<unknown>, use: Use, known: ReadonlyMap<number, unknown>): number {
  const { expression } = referenceOf(job) ?? {}
  const id = expression?.kind === 'root' && expression.root.kind === 'result' ? expression.root.id : undefined
  if (id === undefined || !known.has(id))
    return refuse(use.doer, use.place, 'its after names what is no job of its group')
  return id
}
