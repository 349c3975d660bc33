import { createHash } from 'node:crypto'
import type { CallAddress } from '../store/keys.ts'

/** A child's id follows from where it was asked for, so that a repeat makes the same child. */
export const childRunId = (runId: string, place: string): string => hash([runId, place])

/** A run submitted with an idempotency key always has this id. */
export const keyedRunId = (agent: string, idempotencyKey: string): string => hash(['', agent, idempotencyKey])

/** Tells whether a repeat of a submission asks for the same thing. */
export const inputHash = (inputText: string): string => hash([inputText])

/** The same for every repeat of a call. */
export const idempotencyKeyOf = ({ runId, sk, entry }: CallAddress): string =>
  hash([runId, sk, String(entry)])

/** A new list's id, as unguessable as the text that it is made of. */
export const listId = (random: string): string => hash([random])

/** The list that one map of a run makes; every invocation of it knows this id. */
export const mapListId = (runId: string, map: string, indexes: readonly number[]): string =>
  hash(['list', runId, map, ...indexes.map(String)])

/** 32 of 0-9a-f: legal as the name of an execution. */
const hash = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
