/** A list artifact with what it holds, as stub tools and the evaluation of plans have it. */
export class KeptList {
  readonly items: readonly unknown[]
  constructor(items: readonly unknown[]) {
    this.items = items
  }

  get size(): number {
    return this.items.length
  }

  toJSON(): unknown {
    return { kept: this.items }
  }
}

/** What two results are compared by: lists by what they hold, failures by their names, since a message also says where. */
export function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_key, part: unknown) => (isFailure(part) ? { name: part.name } : part)),
  )
}

const isFailure = (value: unknown): value is { readonly name: string } =>
  typeof value === 'object' && value !== null && Object.keys(value).sort().join() === 'message,name'
