import { add, at, type ListArtifact, orElse, type Ref, type RefTo, size } from 'turnwise'
import { type InReach, type Made, numbersOfRow, oneOf, partsOfMade, type SettledMade } from './in-reach.ts'
import type { MapKeptStatement, MapStatement } from './programs.ts'
import { echo } from './stub-tools.ts'
import { type Came, reachOfMade, type Writing, type Written } from './writing.ts'

/** A map over a list, of which the first result is read. */
export function writeMap(statement: MapStatement, writing: Writing): Came {
  const whole = oneOf(writing.reach.wholes, statement.n.index)
  switch (statement.over) {
    case 'list':
      return mapOver(whole.list, statement, writing, (item) => [item])
    case 'more':
      return mapOver(orElse(whole.more, []), statement, writing, (item) => [item])
    case 'spare':
      return mapOver(orElse(whole.spare, [6]), statement, writing, (item) => [item])
    case 'rows':
      return mapOver(whole.rows, statement, writing, numbersOfRow)
  }
}

function mapOver<E>(
  list: RefTo<readonly E[]>,
  { body, shown, tolerate, ...statement }: MapStatement,
  writing: Writing,
  numbersOf: (item: Ref<E>) => readonly Ref<number>[],
): Came {
  const { d, name, inner } = writing
  const options = optionsOf(statement)
  const job = (item: Ref<E>, index: Ref<number>) => inner(body, { numbers: [index, ...numbersOf(item)] })
  const mapName = name('map')
  if (tolerate === undefined) {
    const results = d.map(mapName, list, job, options)
    const first = orElse(at(results, 0), nothingMade(writing))
    return {
      added: { ...reachOfMade(first), numbers: [size(results), first.n] },
      shown: { first: partsOfMade(first, shown), ...(shown % 3 === 0 ? { results } : {}) },
    }
  }
  const results: Ref<SettledMade[]> = d.map(mapName, list, job, { ...options, tolerate })
  const first = orElse(orElse(at(results, 0), { ok: false }).value, nothingMade(writing))
  return {
    added: { ...reachOfMade(first), numbers: [size(results), first.n] },
    shown: { first: partsOfMade(first, shown), ...(shown % 3 === 0 ? { results } : {}) },
  }
}

/** A map over a list artifact, which makes another. */
export function writeKeptMap(statement: MapKeptStatement, writing: Writing): Came {
  const kept = oneOf(writing.reach.kept, statement.index)
  switch (kept.of) {
    case 'numbers':
      return mapOverKept(kept.list, statement, writing, (item) => ({ numbers: [item] }))
    case 'rows':
      return mapOverKept(kept.list, statement, writing, (item) => ({ numbers: numbersOfRow(item) }))
    case 'made':
      return mapOverKept(kept.list, statement, writing, reachOfMade)
    case 'settled':
      return mapOverKept(kept.list, statement, writing, (item) =>
        reachOfMade(orElse(item.value, nothingMade(writing))),
      )
  }
}

function mapOverKept<E>(
  list: RefTo<ListArtifact<E>>,
  { body, shown, tolerate, reads, ...statement }: MapKeptStatement,
  { d, name, inner }: Writing,
  reachOf: (item: Ref<E>) => Partial<InReach>,
): Came {
  const options = optionsOf(statement)
  const job = (item: Ref<E>, index: Ref<number>): Written => {
    if (reads === 'parts of the item') {
      const { numbers = [], ...added } = reachOf(item)
      const made = inner(body, { ...added, numbers: [index, ...numbers] })
      return { ...made, all: [...numbers.map((n) => add(n, 1)), ...made.all] }
    }
    if (reads === 'nothing') return inner(body, { numbers: [index] })
    const echoed = shown % 2 === 0 ? [] : [d.step(name('echo'), echo, { any: item })]
    const made = inner(body, { numbers: echoed.map(({ n }) => n) })
    return { ...made, all: [item, ...echoed.map(({ any }) => any), ...made.all] }
  }
  const mapName = name('map')
  if (tolerate === undefined) {
    const results: Ref<ListArtifact<Made>> = d.map(mapName, list, job, options)
    return { added: { numbers: [results.size], kept: [{ of: 'made', list: results }] }, shown: results }
  }
  // The union, as one type to whose parts references can be made.
  const results = d.map(mapName, list, job, { ...options, tolerate }) as unknown as Ref<
    ListArtifact<SettledMade>
  >
  return { added: { numbers: [results.size], kept: [{ of: 'settled', list: results }] }, shown: results }
}

function optionsOf({ concurrency, atMost }: Pick<MapStatement, 'concurrency' | 'atMost'>) {
  return { concurrency, ...(atMost === undefined ? {} : { atMost }) }
}

/** Where there is no result. */
function nothingMade({ reach }: Writing) {
  return { n: 7, whole: oneOf(reach.wholes, 0), list: oneOf(reach.lists, 0), all: [] }
}
