import type fc from 'fast-check'
import { doer } from 'turnwise'
import * as z from 'zod'
import type { Doer } from '../../../src/core/doer.ts'
import { createNames } from './names.ts'
import { type Program, program } from './programs.ts'
import { writePlan } from './write-plan.ts'

/** A doer that does what a program says, over the stub tools; its input is `{ n }`. */
export const doerOf = (program: Program): Doer =>
  doer({
    name: 'generated',
    description: 'Does what was generated',
    input: z.object({ n: z.number() }),
    output: z.unknown(),
  }).plan((d, { n }) => writePlan(d, n, program, createNames()))

/** Doers of every construct of the language. */
export const generatedDoer: fc.Arbitrary<Doer> = program.map(doerOf)
