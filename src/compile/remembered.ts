/**
 * Finds what belongs to each key once. Each of many chooses in a row may give in both branches what the one before gave: found afresh, what is
 * known of the last would take twice as long with each of them.
 */
export function remembered<K, V>(find: (key: K) => V): (key: K) => V {
  const found = new Map<K, V>()
  return (key) => {
    if (!found.has(key)) found.set(key, find(key))
    return found.get(key) as V // it has one
  }
}

/** The same for what belongs to no key. */
export function once<V>(find: () => V): () => V {
  const found = remembered<undefined, V>(find)
  return () => found(undefined)
}
