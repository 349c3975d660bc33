import { Denied } from '../../../src/core/errors.ts'
import type { FailureReport, ResumeMessage } from '../../../src/runtime/messages.ts'
import type { AsynchronousMessage, Invocation, Ports } from '../../../src/runtime/ports.ts'
import type { World } from './world.ts'

/** How often things go wrong, each from 0 to 1. */
export interface Faults {
  /** A worker dies before or after one of its steps. */
  readonly crash: number
  /** A write is applied, its answer is lost, and the SDK sends it again. */
  readonly lostResponse: number
  /** A message is accepted and never delivered. */
  readonly lostMessage: number
  /** A message is delivered twice, under one request id. */
  readonly doubled: number
  /** A message is delivered up to 90 s late. */
  readonly delayed: number
  /** A message to a tool outlives its maximum age. */
  readonly agedOut: number
}
export const NO_FAULTS: Faults = {
  crash: 0,
  lostResponse: 0,
  lostMessage: 0,
  doubled: 0,
  delayed: 0,
  agedOut: 0,
}

export type Message = AsynchronousMessage | ResumeMessage

/** One delivery at work. What it does goes through `step`, so that it can die between any two of them. */
export interface Worker {
  readonly functionId: string
  readonly invocation: Invocation
  isAlive(): boolean
  step<T>(durationMs: number, effect: () => T | Promise<T>): Promise<T>
  setTimer(delayMs: number, action: () => void): () => void
  /** The process blocks: nothing in it goes on, and Lambda kills it at its deadline. */
  block(): Promise<never>
}

/** What came of a synchronous invocation. */
export type Called =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: { readonly errorType: string; readonly errorMessage: string } }

export interface Lambda {
  /** Asynchronously. */
  invoke(functionId: string, message: Message): void
  /** Synchronously, once. */
  call(functionId: string, message: Message): Promise<Called>
  /** Workers that are alive now, by owner. */
  readonly alive: ReadonlyMap<string, Worker>
  /** Request ids of which a doubled delivery died: what Lambda reports of them says nothing of the other delivery. */
  readonly doublesThatDied: ReadonlySet<string>
  /** Steps of all workers so far; a step may be chosen to be the one that kills. */
  steps(): number
  /** Messages so far. */
  messages(): number
  /** The message that `loseMessage` chose. */
  lost(): Message | undefined
}

export interface LambdaOptions {
  readonly faults: Faults
  readonly timeoutMs: (functionId: string) => number
  readonly handle: (worker: Worker, message: Message) => Promise<unknown>
  /** The step, by number from 0, at which its worker dies. */
  readonly crashAt?: number
  /** The message, by number from 0, that is lost. */
  readonly loseMessage?: number
  readonly onCrash?: () => void
}

interface Delivery {
  readonly functionId: string
  readonly message: Message
  readonly requestId: string
  readonly isDoubled: boolean
}

/**
 * What a machine asks for asynchronously is known to nobody else until it arrives. So what the machine builds on is that Lambda keeps an event
 * that it has taken: neither that nor the report of its failure is lost.
 */
function comesFromMachine(message: Message): boolean {
  if ('requestPayload' in message) return comesFromMachine(message.requestPayload)
  return 'kind' in message && (message.kind === 'step' || message.kind === 'ask')
}

const never = new Promise<never>(() => undefined)
const RETRY_DELAYS_MS = [60_000, 120_000]
const EVENT_AGE_MS = 300_000

/** Lambda's asynchronous invocations: at least once, in any order; what fails for good is reported to `resume`, and what `resume` fails over to `rescue`. */
export function createLambda(world: World, options: LambdaOptions): Lambda {
  const { faults, crashAt, loseMessage } = options
  const alive = new Map<string, Worker>()
  const doublesThatDied = new Set<string>()
  let requests = 0
  let owners = 0
  let steps = 0
  let messages = 0
  let lost: Message | undefined
  const happens = (likelihood: number) => likelihood > 0 && world.chance() < likelihood

  const invoke: Lambda['invoke'] = (functionId, message) => {
    const isKept = comesFromMachine(message)
    if (!isKept && messages++ === loseMessage) {
      lost = message
      return
    }
    if (!isKept && happens(faults.lostMessage)) return
    const requestId = `request-${++requests}`
    if ((functionId.startsWith('tool-') || isKept) && happens(faults.agedOut)) {
      world.at(EVENT_AGE_MS, () => report({ functionId, message, requestId }, 'EventAgeExceeded', undefined))
      return
    }
    const delayMs = () => 20 + world.chance() * 80 + (happens(faults.delayed) ? world.chance() * 90_000 : 0)
    const isDoubled = happens(faults.doubled)
    world.at(delayMs(), () => deliver({ functionId, message, requestId, isDoubled }))
    if (isDoubled)
      world.at(delayMs() + world.chance() * 5_000, () =>
        deliver({ functionId, message, requestId, isDoubled: true }),
      )
  }

  const report = (
    { functionId, message, requestId }: Pick<Delivery, 'functionId' | 'message' | 'requestId'>,
    condition: FailureReport['requestContext']['condition'],
    error: { errorType: string; errorMessage: string } | undefined,
  ) => {
    const requestPayload = message as FailureReport['requestPayload']
    world.at(100 + world.chance() * 400, () =>
      invoke(functionId === 'resume' ? 'rescue' : 'resume', {
        requestContext: { requestId, condition },
        requestPayload,
        responsePayload: error,
      }),
    )
  }

  const deliver = (delivery: Delivery, retry = 0) => {
    const { functionId } = delivery
    const isRepeated = functionId === 'rescue' || functionId === 'cancel'
    run(delivery, (called) => {
      if (called.ok || functionId === 'person') return
      const retryDelayMs = isRepeated ? RETRY_DELAYS_MS[retry] : undefined
      if (retryDelayMs !== undefined) world.at(retryDelayMs, () => deliver(delivery, retry + 1))
      else if (!isRepeated) report(delivery, 'RetriesExhausted', called.error)
    })
  }

  const call: Lambda['call'] = (functionId, message) =>
    new Promise((resolve) => {
      const requestId = `request-${++requests}`
      world.at(20 + world.chance() * 80, () =>
        run({ functionId, message, requestId, isDoubled: false }, resolve),
      )
    })

  /** One worker at work. `ended` hears what it answered, or of what it died. */
  const run = ({ functionId, message, requestId, isDoubled }: Delivery, ended: (called: Called) => void) => {
    let isAlive = true
    let isBlocked = false
    const owner = `owner-${++owners}`
    const invocation = { requestId, owner, deadline: world.now() + options.timeoutMs(functionId) }
    const end = () => {
      isAlive = false
      alive.delete(owner)
    }
    const fail = (errorType: string, errorMessage: string) => {
      if (!isAlive) return
      end()
      if (isDoubled) doublesThatDied.add(requestId)
      ended({ ok: false, error: { errorType, errorMessage } })
    }
    const die = (errorType: string, errorMessage: string) => {
      if (isAlive) options.onCrash?.()
      fail(errorType, errorMessage)
    }
    const crash = () => die('Runtime.ExitError', 'Runtime exited with error: signal: killed')
    const worker: Worker = {
      functionId,
      invocation,
      isAlive: () => isAlive,
      step(durationMs, effect) {
        if (!isAlive || isBlocked) return never
        const isLast = steps++ === crashAt
        if (happens(faults.crash)) {
          crash()
          return never
        }
        return new Promise((resolve, reject) => {
          world.at(durationMs, () => {
            if (!isAlive || isBlocked) return
            Promise.resolve()
              .then(effect)
              .then(
                (value) => {
                  if (isLast || happens(faults.crash)) return crash()
                  if (isAlive) resolve(value)
                },
                (error) => (isAlive ? reject(error) : undefined),
              )
          })
        })
      },
      setTimer(delayMs, action) {
        let isSet = true
        world.at(delayMs, () => {
          if (isSet && isAlive && !isBlocked) action()
        })
        return () => {
          isSet = false
        }
      },
      block() {
        isBlocked = true
        return never
      },
    }
    alive.set(owner, worker)
    world.at(invocation.deadline - world.now(), () =>
      die('Sandbox.Timedout', 'Task timed out after its seconds'),
    )
    options.handle(worker, message).then(
      (result) => {
        if (!isAlive) return
        end()
        ended({ ok: true, result })
      },
      (error: Error) => fail(error.name, error.message),
    )
  }

  return {
    invoke,
    call,
    alive,
    doublesThatDied,
    steps: () => steps,
    messages: () => messages,
    lost: () => lost,
  }
}

/** The runtime's ports for one worker: everything that leaves the process is a step. */
export function createWorkerPorts(
  world: World,
  lambda: () => Lambda,
  worker: Worker,
  ports: Pick<Ports, 'store' | 'machines'>,
  mayInvoke: (from: string, to: string) => boolean,
): Ports {
  return {
    ...ports,
    send: (target, message) =>
      worker.step(5 + world.chance() * 20, () => {
        if (!mayInvoke(worker.functionId, target))
          throw new Denied(`${worker.functionId} may not invoke ${target}`)
        lambda().invoke(target, message)
      }),
    reportFault: () => undefined,
    mayTell: worker.functionId === 'resume' || worker.functionId === 'rescue',
    clock: { now: world.now, setTimer: worker.setTimer },
    random: world.unique,
  }
}
