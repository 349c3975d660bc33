export interface ItemLocks {
  /** Runs `work` when nothing else runs that was given one of these keys before; those keys are then its own until it ends. */
  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>
}

/** Work of several keys waits for all of them at once, so no two can wait for each other. */
export function createItemLocks(): ItemLocks {
  const last = new Map<string, Promise<unknown>>()
  return {
    run(keys, work) {
      const running = Promise.all(keys.map((key) => last.get(key))).then(work)
      const ended = running.then(
        () => release(),
        () => release(),
      )
      for (const key of keys) last.set(key, ended)
      return running

      function release(): void {
        for (const key of keys) if (last.get(key) === ended) last.delete(key)
      }
    },
  }
}
