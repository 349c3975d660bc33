import type { Doer } from '../../core/doer.ts'
import { DefinitionError } from '../../core/errors.ts'
import type { Machine } from '../asl.ts'
import { MAXIMUM_PAYLOAD_BYTES, type Payload } from '../payload/payloads.ts'
import type { History } from '../worst-case/worst-case.ts'
import type { Share } from './shares.ts'

/** Step Functions: a definition has at most 1 MB. */
const MAXIMUM_DEFINITION_BYTES = 1_048_576

export const grouped = (number: number): string => number.toLocaleString('en-US')

/** Throws: the steps of a history are too many, and none is a map or repeat that could run in executions of its own. */
export function refuseHistory(
  { name }: Doer,
  { map, events }: History,
  [largest]: readonly Share[],
  maximumEvents: number,
): never {
  const where = map === undefined ? 'a run' : `an execution of "${map}"`
  const most =
    largest === undefined ? '' : `; step "${largest.state}" has most of them, ${grouped(largest.events)}`
  throw new DefinitionError(
    `doer "${name}": ${where} can have ${grouped(events)} events, ${grouped(events - maximumEvents)} more than the ` +
      `${grouped(maximumEvents)} that Step Functions takes of an execution${most}. Every retry counts: give tools shorter ` +
      'timeouts, put fewer steps one after the other, or work on a list with map',
  )
}

/** Throws for a payload whose schemas bound it, and too high. */
export function requireSmallPayloads({ name }: Doer, payloads: readonly Payload[]): void {
  for (const { of, bytes } of payloads)
    if (bytes !== undefined && bytes > MAXIMUM_PAYLOAD_BYTES)
      throw new DefinitionError(
        `doer "${name}": ${of} can have ${grouped(bytes)} bytes, ${grouped(bytes - MAXIMUM_PAYLOAD_BYTES)} more than the ` +
          `${grouped(MAXIMUM_PAYLOAD_BYTES)} that Step Functions hands from state to state; give its lists and texts smaller bounds`,
      )
}

/** Throws for a machine that Step Functions would not create. */
export function requireSmallDefinition({ name }: Doer, machine: Machine): void {
  const bytes = Buffer.byteLength(JSON.stringify(machine))
  if (bytes > MAXIMUM_DEFINITION_BYTES)
    throw new DefinitionError(
      `doer "${name}": its state machine has ${grouped(bytes)} bytes, ${grouped(bytes - MAXIMUM_DEFINITION_BYTES)} more than ` +
        `the ${grouped(MAXIMUM_DEFINITION_BYTES)} that Step Functions takes; divide the doer`,
    )
}
