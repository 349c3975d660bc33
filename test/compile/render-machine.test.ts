import { expect, it } from 'vitest'
import type { States } from '../../src/compile/asl.ts'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { renderMachine } from '../../src/compile/render-machine.ts'
import { refundAll } from './doers.ts'

function functionsOf({ States }: States): readonly string[] {
  return Object.values(States).flatMap((state) => {
    if (state.Type === 'Task') return [state.Arguments.FunctionName]
    return state.Type === 'Map' ? functionsOf(state.ItemProcessor) : []
  })
}

it("names the deployment's functions, in maps too, and changes nothing else", () => {
  const machine = compileDoer(refundAll)
  const rendered = renderMachine(machine, { prefix: 'shop-dev' })
  expect(functionsOf(rendered)).toEqual([
    'shop-dev-tool-list_orders',
    'shop-dev-tool-refund_order',
    'shop-dev-tool-refund_order',
    'shop-dev-turn-letter_writer',
    'shop-dev-resume',
    'shop-dev-resume',
  ])
  expect(JSON.stringify(rendered).replaceAll('"shop-dev-', '"\u0024{prefix}-')).toBe(JSON.stringify(machine))
})
