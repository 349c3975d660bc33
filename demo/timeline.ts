import type { CallView, RunView, StepView, TurnView } from '../src/gateway/run-view.ts'

/** One thing that happened in a run. `key` is the same in every later look at the run. */
export interface Happening {
  readonly key: string
  readonly at: string
  readonly text: string
}

/** What a run's record says has happened, in the order of time. */
export function happeningsOf(run: RunView): Happening[] {
  const all = [
    { key: 'submitted', at: run.createdAt, text: `submitted: ${brief(run.input)}` },
    ...run.turns.flatMap(ofTurn),
    ...run.steps.flatMap(ofStep),
    ...(run.endedAt === undefined
      ? []
      : [{ key: 'ended', at: run.endedAt, text: `${run.status}${reason(run)}` }]),
  ]
  return all.toSorted((a, b) => a.at.localeCompare(b.at))
}

const reason = ({ error }: RunView): string => (error ? `: ${error.name}: ${error.message}` : '')

function ofTurn(turn: TurnView): Happening[] {
  const name = `turn ${turn.number}`
  const said =
    turn.endedAt === undefined
      ? []
      : [{ key: `${name} said`, at: turn.endedAt, text: `${name}: ${saidIn(turn)}` }]
  const calls =
    turn.calls?.flatMap((call, index) => ofCall(`${name} call ${index}`, `${name}: ${call.name}`, call)) ?? []
  return [...said, ...calls]
}

function saidIn({ outcome, calls, correction, waitUntil, model }: TurnView): string {
  const by = model === undefined ? 'the model' : `the model (${model})`
  switch (outcome) {
    case 'calls':
      return `${by} asks for ${calls?.map(({ name, input }) => `${name} ${brief(input)}`).join(', ')}`
    case 'correction':
      return `${by} is corrected: ${correction}`
    case 'wait':
      return `${by} cannot be asked before ${waitUntil}`
    default:
      return `${by} answers`
  }
}

const ofStep = (step: StepView): Happening[] => {
  const item = step.indexes === undefined ? '' : ` [${step.indexes.join(', ')}]`
  return ofCall(`step ${step.step}${item}`, `step ${step.number} ${step.step}${item}: ${step.name}`, step)
}

function ofCall(key: string, text: string, { startedAt, endedAt, output, error }: CallView): Happening[] {
  const started =
    startedAt === undefined ? [] : [{ key: `${key} started`, at: startedAt, text: `${text} runs` }]
  if (endedAt === undefined) return started
  const result = error ? `${error.name}: ${error.message}` : brief(output)
  return [...started, { key: `${key} ended`, at: endedAt, text: `${text} → ${result}` }]
}

function brief(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 110 ? `${text.slice(0, 107)}…` : text
}
