/** A name for something of a kind that nothing else in the plan has: `map 12`. */
export type Names = (kind: string) => string

export function createNames(): Names {
  let last = 0
  return (kind) => {
    last += 1
    return `${kind} ${last}`
  }
}
