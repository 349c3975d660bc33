import * as z from 'zod'
import type { Callable } from '../core/callable.ts'
import { Denied, InvalidInput, toFailure } from '../core/errors.ts'
import { parseExactJson } from '../core/json-text.ts'
import type { Thinker } from '../core/thinker.ts'
import { isTool } from '../core/tool.ts'
import { parseJsonText } from '../model/json-text.ts'
import type { ModelCall, Reply } from '../model/types.ts'
import type { AskedCall, TurnOutcome } from '../store/records.ts'
import { toolTarget } from './asked-calls.ts'
import { inputOfRun, parseInput } from './parse-input.ts'
import { childRunId } from './run-ids.ts'

/** Rule 9 of the protocol: more calls in one turn are refused. */
const MAXIMUM_CALLS = 64

/** What a reply means: calls to make, an answer that fits the schema, or what the model must be told to correct. */
export function readReply(
  thinker: Thinker,
  reply: Reply,
  place: { readonly runId: string; readonly turn: number },
): TurnOutcome {
  const { text } = reply
  switch (reply.stop) {
    case 'cut':
      return {
        kind: 'correction',
        text,
        correction: 'Your reply was cut off at its length limit. Say less in one turn.',
      }
    case 'refused':
      return {
        kind: 'correction',
        text,
        correction: 'That is no answer. Answer as asked, or say in the answer why you cannot.',
      }
    case 'calls':
      return {
        kind: 'calls',
        text,
        calls: reply.calls.map((call, index) => readCall(thinker, call, { ...place, index })),
      }
    case 'answer':
      return readAnswer(thinker, text)
  }
}

function readAnswer(thinker: Thinker, text: string): TurnOutcome {
  if (text.trim() === '')
    return {
      kind: 'correction',
      text: '',
      correction: 'You called no tool and gave no answer. Do one or the other.',
    }
  try {
    const parsed = thinker.output.safeParse(parseJsonText(text))
    if (parsed.success) return { kind: 'answer', text, value: parsed.data }
    return {
      kind: 'correction',
      text,
      correction: `The answer does not fit its schema:\n${z.prettifyError(parsed.error)}`,
    }
  } catch (error) {
    return {
      kind: 'correction',
      text,
      correction: `The answer must be JSON that fits its schema. ${toFailure(error).message}`,
    }
  }
}

interface CallSpot {
  readonly runId: string
  readonly turn: number
  readonly index: number
}

function readCall(thinker: Thinker, call: ModelCall, spot: CallSpot): AskedCall {
  const said = { id: call.id, name: toLegalName(call.name), arguments: call.arguments }
  const callable = thinker.palette.find(({ name }) => name === call.name)
  const refuse = (error: unknown): AskedCall => ({
    ...said,
    arguments: legalArguments(call),
    answered: toFailure(error),
    input: null,
  })
  if (spot.index >= MAXIMUM_CALLS)
    return refuse(new Denied(`At most ${MAXIMUM_CALLS} calls fit in one turn; make this one in the next`))
  if (!callable) {
    const known = thinker.palette.map(({ name }) => name).join(', ') || 'none'
    return refuse(new InvalidInput(`Nothing is named "${call.name}"; known: ${known}`))
  }
  try {
    const asked = parseExactJson(call.arguments)
    const input = inputOfRun(callable, asked, parseInput(callable, asked))
    return { ...said, target: targetOf(callable, spot), input }
  } catch (error) {
    const problem =
      error instanceof SyntaxError
        ? new InvalidInput(`The arguments are not JSON: ${call.arguments.slice(0, 200)}`)
        : error
    return refuse(problem)
  }
}

function targetOf(callable: Callable, { runId, turn, index }: CallSpot): NonNullable<AskedCall['target']> {
  if (isTool(callable)) return toolTarget(callable)
  const kind = callable.kind === 'doer' ? 'doer' : 'thinker'
  return { kind, childId: childRunId(runId, `T#${turn}/${index}`) }
}

/** Providers refuse a history with a name outside ^[a-zA-Z0-9_-]{1,64}$, even one that their own model wrote. */
const toLegalName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || '_'

/** Providers refuse a history whose arguments are not a JSON object; what the model wrote stands in the refusal. */
function legalArguments({ arguments: text }: ModelCall): string {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).success ? text : '{}'
  } catch {
    return '{}'
  }
}
