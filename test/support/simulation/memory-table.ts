import type { Attribute, Attributes, Change, Condition, Item, Key, Table } from '../../../src/store/table.ts'

export interface MemoryTableOptions {
  now(): number
  /** How old the answer to a read not marked consistent may be, in milliseconds. */
  staleMs(): number
  /** How far the index is behind. */
  indexLagMs(): number
  pageSize(): number
  /** Hears of every write that was not refused. */
  onWrite?(write: {
    readonly key: Key
    readonly before: Attributes | undefined
    readonly after: Attributes
  }): void
}

/** The table's port in memory, with DynamoDB's answers, its stale reads and its late index. A contract test holds it against DynamoDB's own API. */
export function createMemoryTable(options: MemoryTableOptions): Table {
  const partitions = new Map<string, Map<string, { time: number; item: Item }[]>>()
  const versionsOf = ({ pk, sk }: Key) => partitions.get(pk)?.get(sk)
  const newest = (key: Key): Item | undefined => versionsOf(key)?.at(-1)?.item
  const asOf = (key: Key, time: number): Item | undefined =>
    versionsOf(key)?.findLast((version) => version.time <= time)?.item

  const write = (item: Item, before: Item | undefined) => {
    const partition = partitions.get(item.pk) ?? new Map<string, { time: number; item: Item }[]>()
    partitions.set(item.pk, partition)
    const versions = partition.get(item.sk) ?? []
    partition.set(item.sk, versions)
    versions.push({ time: options.now(), item })
    options.onWrite?.({ key: { pk: item.pk, sk: item.sk }, before, after: item })
  }
  const readTime = (consistent: boolean) => options.now() - (consistent ? 0 : options.staleMs())

  return {
    async get(key, { consistent }) {
      return asOf(key, readTime(consistent))
    },
    async queryPage({ pk, from, to, after, consistent }) {
      const time = readTime(consistent)
      const sks = [...(partitions.get(pk)?.keys() ?? [])].filter(
        (sk) => sk >= from && sk <= to && (after === undefined || sk > after),
      )
      const items = sks.sort().flatMap((sk) => asOf({ pk, sk }, time) ?? [])
      const page = items.slice(0, options.pageSize())
      const last = page.at(-1)
      return { items: page, ...(last && items.length > page.length && { after: last.sk }) }
    },
    async queryDue({ shard, dueAt, limit }) {
      const time = options.now() - options.indexLagMs()
      const runs = [...partitions.keys()].flatMap((pk) => asOf({ pk, sk: 'RUN' }, time) ?? [])
      const isDue = ({ openShard, lookAt }: Attributes) =>
        openShard === shard && typeof lookAt === 'number' && lookAt <= dueAt
      return runs
        .filter(isDue)
        .sort((a, b) => Number(a.lookAt) - Number(b.lookAt))
        .slice(0, limit)
    },
    async put(item, condition) {
      const before = newest(item)
      if (condition && !holds(condition, before)) return false
      write(item, before)
      return true
    },
    async update(key, change, condition) {
      const before = newest(key)
      if (condition && !holds(condition, before)) return undefined
      const after = apply(change, before ?? { ...key })
      write(after, before)
      const touched = [change.set, change.add, change.take].flatMap((names) => Object.keys(names ?? {}))
      const attributes: Attributes = after
      return Object.fromEntries(
        touched.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]]])),
      )
    },
  }
}

function apply({ set = {}, add = {}, take = {}, remove = [] }: Change, item: Item): Item {
  const changed: Record<string, Attribute> = { ...item, ...set }
  for (const [name, members] of Object.entries(add)) {
    const had = changed[name]
    // A set holds numbers or texts, as the one that is added does.
    changed[name] = new Set([...(had instanceof Set ? had : []), ...members]) as ReadonlySet<string>
  }
  for (const [name, members] of Object.entries(take)) {
    const taken: ReadonlySet<string | number> = members
    const had = changed[name]
    const left = had instanceof Set ? [...had].filter((member) => !taken.has(member)) : []
    if (left.length > 0) changed[name] = new Set(left)
    else delete changed[name]
  }
  for (const name of remove) delete changed[name]
  return { ...changed, pk: item.pk, sk: item.sk }
}

function holds(condition: Condition, item: Attributes | undefined): boolean {
  switch (condition.kind) {
    case 'absent':
      return item?.[condition.name] === undefined
    case 'present':
      return item?.[condition.name] !== undefined
    case 'equals':
      return item?.[condition.name] === condition.value
    case 'at-most': {
      const value = item?.[condition.name]
      return value !== undefined && typeof value === typeof condition.value && value <= condition.value
    }
    case 'members': {
      const value = item?.[condition.name]
      return value instanceof Set && value.size === condition.count
    }
    case 'all':
      return condition.of.every((part) => holds(part, item))
    case 'any':
      return condition.of.some((part) => holds(part, item))
  }
}
