import type { Fault, ProxiedRequest } from '../../../src/local/fault-proxy.ts'
import { nameRequest, type Service } from './name-request.ts'

/** One request of a run, such as its second `GetItem T#000001#R`. */
export interface RequestPoint {
  readonly name: string
  /** From 1, among the run's requests of this name. */
  readonly occurrence: number
}

/** A refund under way: its requests bear one or the other. */
export interface WatchedRun {
  readonly runId: string
  readonly orderNumber: string
}

export type DecideFault = (point: RequestPoint) => Fault | undefined

/** Counts the requests of each watched run on their way through the proxies, and asks `decide` what happens to each. */
export function createRunWatch() {
  const watched = new Map<string, (name: string) => Fault | undefined>()
  return {
    on(service: Service, request: ProxiedRequest): Fault | undefined {
      const named = nameRequest(service, request)
      return named && watched.get(named.subject)?.(named.name)
    },
    /** Returns what ends the watch. */
    watch({ runId, orderNumber }: WatchedRun, decide: DecideFault): () => void {
      const counts = new Map<string, number>()
      const see = (name: string) => {
        const occurrence = (counts.get(name) ?? 0) + 1
        counts.set(name, occurrence)
        return decide({ name, occurrence })
      }
      watched.set(runId, see).set(orderNumber, see)
      return () => {
        watched.delete(runId)
        watched.delete(orderNumber)
      }
    },
  }
}

/** `before` the service has seen the request, or `after` it has answered and before the caller knows. */
export type Moment = 'before' | 'after'

/** Holds a run at one of its requests until all is killed. From its arrival there on no other request of the run passes, whoever makes it. */
export function createHold(point: RequestPoint, moment: Moment) {
  const reached = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  end.promise.catch(() => undefined)
  let isThere = false
  return {
    reached: reached.promise,
    /** The requests go no further, in either direction. */
    drop: () => end.reject(new Error('Its sender was killed')),
    decide: ((seen) => {
      if (isThere) return { kind: 'call-before', run: () => end.promise }
      isThere = seen.name === point.name && seen.occurrence === point.occurrence
      if (!isThere) return undefined
      const run = () => {
        reached.resolve()
        return end.promise
      }
      return { kind: `call-${moment}`, run }
    }) satisfies DecideFault,
  }
}
