import type { PlannedMachine, Worst } from '../compile/plan.ts'

const grouped = (number: number): string => number.toLocaleString('en-US')

/**
 * Lines for people: `doer customer_report: 12 states; a run at worst 42 transitions ($0.00105), 141 events in a history, payloads of 1,024
 * bytes`, and under it what runs in executions of its own and what was supposed.
 */
export function describeWorst({ id, worst }: PlannedMachine): string {
  const { states, transitions, dollars, events, split, assumptions } = worst
  return [
    `doer ${id}: ${states} states; a run at worst ${grouped(transitions)} transitions ($${dollars}), ` +
      `${grouped(events)} events in a history, ${describePayloads(worst)}`,
    ...(split.length === 0 ? [] : [`  in executions of its own: ${split.join(', ')}`]),
    ...assumptions.map((assumption) => `  supposed: ${assumption}`),
  ].join('\n')
}

function describePayloads({ payloadBytes, unboundedPayloads }: Worst): string {
  const [first, ...others] = unboundedPayloads
  const open =
    first === undefined
      ? []
      : [`no bound for ${first}${others.length === 0 ? '' : ` and ${others.length} more`}`]
  const bounded = payloadBytes === undefined ? [] : [`payloads of ${grouped(payloadBytes)} bytes`]
  return [...bounded, ...open].join(', ')
}
