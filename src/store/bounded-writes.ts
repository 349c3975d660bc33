/** Writes that go on beside each other, within bounds. */
export interface BoundedWrites {
  /** Begins a write once there is room for it. Throws what an earlier one failed with. */
  begin(sizeBytes: number, write: () => Promise<void>): Promise<void>
  /** Resolves when none goes on, whether they succeeded or not. */
  settle(): Promise<void>
  /** Waits for all. Throws what one of them failed with. */
  finish(): Promise<void>
}

/** At most so many at once, and so many bytes between them; one that is larger goes alone. */
export function createBoundedWrites(most: number, mostBytes: number): BoundedWrites {
  const going = new Set<Promise<void>>()
  const failures: unknown[] = []
  let goingBytes = 0

  const throwFirst = () => {
    if (failures.length > 0) throw failures[0]
  }
  const settle = async () => {
    await Promise.all(going)
  }
  return {
    async begin(sizeBytes, write) {
      while (going.size > 0 && (going.size >= most || goingBytes + sizeBytes > mostBytes))
        await Promise.race(going)
      throwFirst()
      goingBytes += sizeBytes
      // Caught at once: a failure that nobody waits for yet would end the process.
      const writing = write()
        .catch((error: unknown) => {
          failures.push(error)
        })
        .finally(() => {
          goingBytes -= sizeBytes
          going.delete(writing)
        })
      going.add(writing)
    },
    settle,
    async finish() {
      await settle()
      throwFirst()
    },
  }
}
