import { type Arrangement, arrangeJobs, jobsIn } from '../../core/arrange-jobs.ts'
import { type GroupNode, type JobNode, nodesOf, type PlanNode } from '../../core/doer-plan.ts'
import type { Expression } from '../../core/expression.ts'
import type { Analysis } from '../analysis.ts'
import { readRoots } from '../flow/flow.ts'
import { rootsAround } from '../flow/hand-in.ts'
import { NOTHING_SPLIT, type Split } from '../flow/split.ts'
import { add, objectOf } from './size.ts'
import { createSizes } from './size-of-expression.ts'
import { sizeOfSchema } from './size-of-schema.ts'

/** Step Functions: what a state or task is given and gives, and an execution's input and output, is at most 256 KiB. */
export const MAXIMUM_PAYLOAD_BYTES = 262_144
/** Around a step's input: the run, its place in the plan, and a task token of at most 2,048 characters. */
const AROUND_INPUT_BYTES = 3_000
/** Around a step's output: what Lambda says of the invocation. */
const AROUND_OUTPUT_BYTES = 2_000

/** The largest that one state is given or gives. */
export interface Payload {
  /** Of whom: `the input of step "look up"`. */
  readonly of: string
  /** As JSON; undefined where a schema sets no bound. */
  readonly bytes: number | undefined
}

/**
 * What the states of a doer's machine are given and give at most, in the order of the plan, split as `split` says. Of outputs of steps
 * that is what the machine is answered of them.
 */
export function payloadsOf(analysis: Analysis, split: Split = NOTHING_SPLIT): readonly Payload[] {
  const { doer } = analysis
  const sizeOf = createSizes(analysis)
  const around = (bytes: number, size: number | undefined) => (size === undefined ? undefined : size + bytes)
  const isRead = readRoots(doer.plan)
  /** What the jobs at the same time give comes in one result. */
  const givenTogether = ({ name }: GroupNode, jobs: readonly JobNode[]): Payload => {
    const results = jobs
      .map((job) => ({ job, root: { kind: 'result', id: job.id } as const }))
      .filter(({ root }) => isRead(root))
    const sizes = results.map(({ job, root }) => [job.name, sizeOf({ kind: 'root', root })] as const)
    const names = jobs.map((job) => `"${job.name}"`).join(', ')
    return {
      of: `what jobs ${names} of group "${name}" give together`,
      bytes: objectOf(new Map(sizes)).bytes,
    }
  }
  const ofNode = (node: PlanNode): readonly Payload[] => {
    if (node.kind === 'step')
      return [
        {
          of: `the input of step "${node.name}"`,
          bytes: around(AROUND_INPUT_BYTES, sizeOf(node.input).bytes),
        },
        {
          of: `the output of step "${node.name}"`,
          bytes: around(
            AROUND_OUTPUT_BYTES,
            sizeOf({ kind: 'root', root: { kind: 'result', id: node.id } }).bytes,
          ),
        },
      ]
    const result: Expression = { kind: 'root', root: { kind: 'result', id: node.id } }
    const gives = { of: `what ${node.kind} "${node.name}" gives`, bytes: sizeOf(result).bytes }
    if (node.kind === 'parallel') return [gives]
    if (node.kind === 'group') return besides(arrangeJobs(node)).map((jobs) => givenTogether(node, jobs))
    if (node.kind !== 'map' && node.kind !== 'repeat') return []
    const roots = rootsAround(node.body, node.kind === 'repeat' ? [node.until] : [])
    const sizes = roots.map((root) => sizeOf({ kind: 'root', root }).bytes)
    const handed = {
      of: `what each execution of ${node.kind} "${node.name}" is handed`,
      bytes: around(AROUND_INPUT_BYTES, add(sizes)),
    }
    return [...(node.kind === 'map' ? [gives] : []), ...(split.has(node.id) ? [handed] : [])]
  }
  return [
    { of: 'the input', bytes: around(AROUND_INPUT_BYTES, sizeOfSchema(doer.input).bytes) },
    ...nodesOf(doer.plan).flatMap(ofNode),
    { of: 'the result', bytes: around(AROUND_INPUT_BYTES, sizeOf(doer.plan.result).bytes) },
  ]
}

/** The jobs of each Parallel that a group becomes. */
function besides(part: Arrangement): readonly (readonly JobNode[])[] {
  if (part.kind === 'job') return []
  return [...(part.kind === 'parallel' ? [jobsIn(part)] : []), ...part.parts.flatMap(besides)]
}
