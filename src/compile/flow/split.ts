/**
 * What of a doer runs in executions of its own, by the id of its node: each item of a map, and a repeat so many times
 * at a stretch. A map's number means nothing.
 */
export type Split = ReadonlyMap<number, number>

export const NOTHING_SPLIT: Split = new Map()
