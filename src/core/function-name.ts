/** Lambda: a function's name has at most 64 characters. */
const FUNCTION_NAME_LENGTH = 64
/** Step Functions: a machine's name has at most 80 characters. */
const MACHINE_NAME_LENGTH = 80

/**
 * The name of a deployed function: `shop-tool-order_status` for the id `tool-order_status`. One that would be
 * too long is cut, and ends in a hash of the whole. Names are computed, never passed on, since a tool and its
 * thinker name each other.
 */
export function functionName(prefix: string, id: string): string {
  return cut(`${prefix}-${id}`, FUNCTION_NAME_LENGTH)
}

/** The name of a deployed state machine: `shop-customer_report`. */
export function machineName(prefix: string, doerName: string): string {
  return cut(`${prefix}-${doerName}`, MACHINE_NAME_LENGTH)
}

function cut(name: string, length: number): string {
  if (name.length <= length) return name
  const hash = fingerprint(name)
  return `${name.slice(0, length - hash.length - 1)}-${hash}`
}

/** FNV-1a, 64 bits, in base 36: the same on every machine and in every release. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(36)
}
