import validate from 'asl-validator'
import type { Machine } from '../../src/compile/asl.ts'

/** What asl-validator says of a machine: of a copy, for it writes into what it is given, and machines share states. */
export const validated = (machine: Machine) => validate(structuredClone(machine))
