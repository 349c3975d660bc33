/** Steps of one stretch of a doer's source, with one of each construct that has a body. */
export const STEPS_PER_STRETCH = 10

/** The source of a file that exports `plan`, which makes a doer of so many steps, a multiple of ten, whose stretches build on each other. */
export function doerSource(name: string, steps: number): string {
  const stretches = Array.from({ length: steps / STEPS_PER_STRETCH }, (_, index) => stretch(index + 1))
  return `import { add, doer, gt } from 'turnwise'
import * as z from 'zod'
import { look } from './look.ts'

export const plan = () =>
  doer({
    name: '${name}',
    description: 'Has ${steps} steps',
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
  }).plan((d, input) => {
    const last0 = input
${stretches.join('')}
    return { n: last${stretches.length}.n }
  })
`
}

/** What the doers call. */
export const LOOK_SOURCE = `import { tool } from 'turnwise'
import * as z from 'zod'

export const look = tool({
  name: 'look',
  description: 'Looks',
  readOnly: true,
  input: z.object({ n: z.number(), note: z.string().optional() }),
  output: z.object({ n: z.number(), list: z.array(z.object({ n: z.number(), note: z.string() })) }),
}).run(({ n }) => ({ n, list: [] }))
`

function stretch(number: number): string {
  return `
    const found${number} = d.step('find ${number}', look, { n: last${number - 1}.n })
    const all${number} = d.map('each ${number}', found${number}.list, ({ n, note }) => {
      const first = d.step('first ${number}', look, { n, note })
      return d.step('second ${number}', look, { n: first.n }).n
    })
    const chosen${number} = d.choose(
      'choose ${number}',
      gt(all${number}.length, 3),
      () => d.step('many ${number}', look, { n: found${number}.n }),
      () => d.step('few ${number}', look, { n: all${number}.length }),
    )
    const tried${number} = d.recover('try ${number}', () => d.step('risky ${number}', look, { n: chosen${number}.n }), {
      on: ['NotFound'],
      with: ({ message }) => d.step('instead ${number}', look, { n: chosen${number}.n, note: message }),
    })
    const both${number} = d.parallel('both ${number}', {
      left: () => d.step('left ${number}', look, { n: tried${number}.n }).n,
      right: () => d.step('right ${number}', look, { n: found${number}.n }).n,
    })
    const last${number} = d.step('add ${number}', look, { n: add(both${number}.left, both${number}.right) })
`
}
