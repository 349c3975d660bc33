import * as z from 'zod'
import type { Callable } from '../core/callable.ts'
import { InvalidInput } from '../core/errors.ts'
import { toJsonText } from '../core/json-text.ts'
import { refusePointers } from './pointers.ts'

/** Step Functions: an execution's input is at most 256 KiB, the run's id and the names of both included. */
const LARGEST_DOER_INPUT_BYTES = 262_000

/** Reads an input by the callable's schema, defaults and transforms included. Throws `InvalidInput` that names each field that is wrong. */
export function parseInput(callable: Callable, value: unknown): unknown {
  const parsed = callable.input.safeParse(value)
  if (!parsed.success)
    throw new InvalidInput(`The input of ${callable.name} is wrong:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}

/**
 * What is kept of an input. An agent sees what it parses to, defaults filled in; a tool's own function parses it again, and a
 * transform must not run twice. Throws `Internal` when a transform of an agent's input made something that cannot be kept as JSON.
 */
export function inputOfRun(callable: Callable, asked: unknown, parsed: unknown): unknown {
  if (callable.kind === 'tool') return asked
  const text = toJsonText(parsed, `The input of ${callable.name}`)
  if (callable.kind === 'doer') refusePointers(parsed, `The input of ${callable.name}`)
  if (callable.kind === 'doer' && Buffer.byteLength(text) > LARGEST_DOER_INPUT_BYTES)
    throw new InvalidInput(
      `The input of ${callable.name} is larger than ${LARGEST_DOER_INPUT_BYTES} bytes, which is all that a state machine takes`,
    )
  return JSON.parse(text)
}
