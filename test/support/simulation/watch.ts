import type { Attributes, Key } from '../../../src/store/table.ts'
import { GIVEN_UP, GOING_ON } from './cast.ts'
import type { Lambda, Message, Worker } from './workers.ts'
import type { World } from './world.ts'

export interface Outcome {
  /** How the root run ended. */
  readonly status: string
  /** Every promise that was broken, in words; empty when all held. */
  readonly broken: readonly string[]
  /** Virtual milliseconds from submission to the end of the root run. */
  readonly tookMs: number
  readonly steps: number
  readonly messages: number
  readonly crashes: number
  /** What kind of message `loseMessage` was. */
  readonly lost: string | undefined
}

/** `RUN#…/S#0002#change each#00001/0` */
const STEP_IN_KEY = /\/S#[0-9]{4}#(?<name>.*?)(#[0-9]{5})*\/0/

export type Watch = ReturnType<typeof createWatch>

/** Sees everything that happens and holds it against what was promised. */
export function createWatch(world: World, lambda: () => Lambda) {
  const broken: string[] = []
  const commits = new Map<string, number>()
  const effects = new Map<string, number>()
  const working = new Map<string, Worker>()
  const ends = new Map<string, { status: string; at: number; told: boolean }>()
  const runs = new Set<string>()
  let cancelledAt: number | undefined
  let crashes = 0
  const begun: { what: string; at: number }[] = []
  /** Runs of doers that gave up what ran at once. */
  const goneOn = new Set<string>()

  const onResult = (sk: string, entry: string, after: Attributes) => {
    const text = String(after[`r${entry}`])
    const claimant = working.get(`${after.pk}/${sk}/${entry}`)
    const isLive = claimant?.isAlive() && after[`r${entry}o`] !== claimant.invocation.owner
    if (!claimant || !text.includes('Interrupted') || !isLive) return
    // Lambda's report does not tell two deliveries of one event apart: the one case in which it may be said of a live call.
    if (lambda().doublesThatDied.has(claimant.invocation.requestId)) return
    broken.push(`a live call was called interrupted: ${after.pk} ${sk} ${entry}`)
  }

  return {
    crashed: () => {
      crashes += 1
    },
    cancelled: () => {
      cancelledAt = world.now()
    },
    say: (what: string) => broken.push(what),
    /** A lease is there so that nobody pays twice for a turn. */
    asking(turn: string, worker: Worker) {
      const other = working.get(turn)
      const isLive = other?.isAlive() && !lambda().doublesThatDied.has(other.invocation.requestId)
      if (isLive) broken.push(`the model was asked twice at once for ${turn}`)
      working.set(turn, worker)
    },
    effect(key: string, worker: Worker) {
      effects.set(key, (effects.get(key) ?? 0) + 1)
      working.set(key, worker)
    },
    begin(key: string, worker: Worker, changes: boolean) {
      working.set(key, worker)
      if (changes) begun.push({ what: `${key} was begun`, at: world.now() })
      const [run = ''] = key.split('/')
      const step = STEP_IN_KEY.exec(key)?.groups?.name ?? ''
      if (step === GOING_ON) goneOn.add(run)
      if (changes && GIVEN_UP.includes(step) && goneOn.has(run))
        broken.push(`${key} was begun after its doer had gone on without it`)
    },
    onWrite({ key, before, after }: { key: Key; before: Attributes | undefined; after: Attributes }) {
      const { pk, sk } = key
      if (sk === 'RUN') {
        runs.add(pk)
        if (after.status !== 'running')
          ends.set(pk, {
            status: String(after.status),
            at: ends.get(pk)?.at ?? world.now(),
            told: after.told === true,
          })
      }
      if (/^T#\d{6}$/.test(sk) && after.state === 'committed' && before?.state !== 'committed') {
        commits.set(pk + sk, (commits.get(pk + sk) ?? 0) + 1)
        begun.push({ what: `a commit of ${pk} ${sk}`, at: world.now() })
      }
      const isStep = sk.startsWith('S#')
      if (!isStep && !sk.endsWith('#R')) return
      for (const name of Object.keys(after)) {
        const entry = /^[rc](\d+)$/.exec(name)?.[1]
        if (
          entry !== undefined &&
          name.startsWith('r') &&
          before?.[name] !== undefined &&
          before[name] !== after[name]
        )
          broken.push(`a result was changed after it was written: ${pk} ${sk} ${entry}`)
        if (entry === undefined || before?.[name] !== undefined) continue
        if (name.startsWith('r')) onResult(sk, entry, after)
        // A doer's step looks at its run once it has claimed: after a cancel it may claim, but does not begin.
        else if (!isStep) begun.push({ what: `a claim in ${pk} ${sk}`, at: world.now() })
      }
    },
    allTold: () => runs.size > 0 && [...runs].every((pk) => ends.get(pk)?.told),
    outcome(runId: string, startedAt: number): Outcome {
      const root = ends.get(`RUN#${runId}`)
      for (const pk of runs) {
        if (!ends.has(pk)) broken.push(`${pk} never ended`)
        else if (!ends.get(pk)?.told) broken.push(`the end of ${pk} was never told`)
      }
      for (const [turn, count] of commits) if (count > 1) broken.push(`${turn} was committed ${count} times`)
      for (const [key, count] of effects)
        if (count > 1 && !key.endsWith('!idempotent')) broken.push(`${key} took effect ${count} times`)
      const ackAt = cancelledAt
      if (ackAt !== undefined)
        for (const { what, at } of begun) if (at > ackAt) broken.push(`after the cancel: ${what}`)
      return {
        status: root?.status ?? 'running',
        broken,
        tookMs: (root?.at ?? world.now()) - startedAt,
        steps: lambda().steps(),
        messages: lambda().messages(),
        crashes,
        lost: kindOf(lambda().lost()),
      }
    },
  }
}

const kindOf = (message: Message | undefined): string | undefined =>
  message && ('kind' in message ? message.kind : 'report')
