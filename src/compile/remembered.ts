/**
 * Finds what belongs to each key, or to none, once. Each of many chooses in a row may give in both branches what the one before gave: found
 * afresh, what is known of the last would take twice as long with each of them.
 */
export function remembered<K extends readonly unknown[], V>(find: (...key: K) => V): (...key: K) => V {
  const found = new Map<unknown, V>()
  return (...key) => {
    const value = found.get(key[0]) ?? find(...key)
    found.set(key[0], value)
    return value
  }
}
