/** A discrete-event world: virtual time, one seeded source of chance, and workers that can die between any two steps. */
export interface World {
  now(): number
  /** From 0 up to, not including, 1. */
  chance(): number
  /** A text that was never given before. */
  unique(): string
  at(delayMs: number, action: () => void): void
  /** Runs events until there are none before `untilMs`, or `isDone` says so. */
  run(untilMs: number, isDone?: () => boolean): Promise<void>
}

/** `steady`: chance is always one half, so everything takes its usual time and two runs differ only by what is done to them. */
export function createWorld(seed: number, { steady = false } = {}): World {
  let now = 1_767_225_600_000
  const start = now
  let state = (seed * 2_654_435_761) >>> 0 || 1
  const queue = createQueue()
  const chance = () => {
    if (steady) return 0.5
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 4_294_967_296
  }
  for (let i = 0; i < 20; i++) chance()
  let given = 0
  return {
    now: () => now,
    chance,
    unique: () => `unique-${given++}`,
    at: (delayMs, action) => queue.push(now + Math.max(0, delayMs), action),
    async run(untilMs, isDone = () => false) {
      for (;;) {
        const next = queue.pop()
        if (!next || next.time > start + untilMs || isDone()) return
        now = next.time
        next.action()
        // All that follows from an event without the world's doing is microtasks; they end before this does.
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

interface Event {
  readonly time: number
  readonly order: number
  readonly action: () => void
}

/** A binary heap: earliest first, and of the same time the one that was put first. */
function createQueue() {
  const heap: Event[] = []
  let order = 0
  const isBefore = (a: Event, b: Event) => a.time < b.time || (a.time === b.time && a.order < b.order)
  const at = (index: number): Event => {
    const event = heap[index]
    if (!event) throw new Error(`The heap has no ${index}`)
    return event
  }
  const swap = (a: number, b: number) => {
    const held = at(a)
    heap[a] = at(b)
    heap[b] = held
  }
  return {
    push(time: number, action: () => void) {
      heap.push({ time, order: order++, action })
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1
        if (!isBefore(at(index), at(parent))) break
        swap(index, parent)
        index = parent
      }
    },
    pop(): Event | undefined {
      const top = heap[0]
      const last = heap.pop()
      if (!top || !last || heap.length === 0) return top
      heap[0] = last
      for (let index = 0; ; ) {
        const left = 2 * index + 1
        let least = index
        if (left < heap.length && isBefore(at(left), at(least))) least = left
        if (left + 1 < heap.length && isBefore(at(left + 1), at(least))) least = left + 1
        if (least === index) return top
        swap(index, least)
        index = least
      }
    },
  }
}
