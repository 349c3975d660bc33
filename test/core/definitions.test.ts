import { doer, thinker, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const common = { name: 'a_name', description: 'Does it', input: z.object({}), output: z.null() }
const agent = {
  ...common,
  grade: 'small',
  outputSize: 'compact',
  instructions: 'Do it.',
  palette: [],
} as const

describe('N1 a tool declares name, description, input and output', () => {
  it('keeps what was declared, with defaults', () => {
    expect(tool(common).run(() => null)).toMatchObject({
      kind: 'tool',
      name: 'a_name',
      displayName: 'A name',
      readOnly: false,
      idempotent: false,
      timeoutSeconds: 60,
      memoryMb: 256,
    })
  })

  it.each(['Order', '1st', 'order-status', '', 'a'.repeat(65)])('refuses the name "%s"', (name) => {
    expect(() => tool({ ...common, name })).toThrow(`tool "${name}": a name is 1 to 64 of a-z, 0-9 and _`)
  })

  it('refuses a blank description', () => {
    expect(() => tool({ ...common, description: ' ' })).toThrow('tool "a_name": its description is blank')
  })
})

describe('N3 a tool has its own timeout, an orchestrator has none', () => {
  it('takes 895 s', () => {
    expect(tool({ ...common, timeoutSeconds: 895 }).run(() => null).timeoutSeconds).toBe(895)
  })

  it.each([896, 0, 1.5, Number.NaN])('refuses a tool with a timeout of %d s', (timeoutSeconds) => {
    expect(() => tool({ ...common, timeoutSeconds })).toThrow(
      `tool "a_name": timeoutSeconds is ${timeoutSeconds}; it must be a whole number from 1 to 895`,
    )
  })

  it('refuses a thinker with a timeout when it is defined', () => {
    // @ts-expect-error: the types refuse it too
    expect(() => thinker({ ...agent, timeoutSeconds: 60 })).toThrow(
      'thinker "a_name": an orchestrator has no timeout',
    )
  })

  it('refuses a doer with a timeout when it is defined', () => {
    // @ts-expect-error: the types refuse it too
    expect(() => doer({ ...common, timeoutSeconds: 60 })).toThrow(
      'doer "a_name": an orchestrator has no timeout',
    )
  })
})

describe('N14 a thinker', () => {
  it('refuses two callables of one name in its palette', () => {
    const palette = [
      tool({ ...common, name: 'twin' }).run(() => null),
      tool({ ...common, name: 'twin' }).run(() => null),
    ]
    expect(() => thinker({ ...agent, palette })).toThrow('thinker "a_name": palette[1] is a second "twin"')
  })
})
