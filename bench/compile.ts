import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import validate from 'asl-validator'
import type { Machine } from '../src/compile/asl.ts'
import { compileDoer } from '../src/compile/compile-doer.ts'
import type { Doer } from '../src/core/doer.ts'
import { doerSource, LOOK_SOURCE } from './doer-source.ts'
import { median } from './median.ts'
import { time } from './time.ts'

const ROUNDS = 31
const SMALL = 40
/** Ten times as large: whatever grows with the steps has a ratio of 10. */
const LARGE = 400
/** Of what takes long enough to be steady. */
const SLOW_ROUNDS = 3
const DOERS = 20
const STEPS = 120

/** What an author waits for: planning and compiling doers, and the check of their types. */
export async function benchCompile(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'turnwise-bench-'))
  try {
    await linkPackages(folder)
    await benchMachines(await writeDoers(join(folder, 'machines'), [SMALL, LARGE]))
    await benchTypes(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Sources outside the repository find it, and what it depends on, as they would in a project of their own. */
async function linkPackages(folder: string): Promise<void> {
  const packages = join(folder, 'node_modules')
  await mkdir(packages)
  await symlink(resolve('.'), join(packages, 'turnwise'))
  await mkdir(join(packages, '@types'))
  for (const name of ['zod', '@types/node'])
    await symlink(resolve('node_modules', name), join(packages, name))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n')
}

/** Doers of so many steps, each in a file of its own. */
async function writeDoers(folder: string, steps: readonly number[]): Promise<readonly string[]> {
  await mkdir(folder)
  await writeFile(join(folder, 'look.ts'), LOOK_SOURCE)
  const files = steps.map((_, index) => join(folder, `doer-${index}.ts`))
  for (const [index, file] of files.entries())
    await writeFile(file, doerSource(`doer_${index}`, steps[index] ?? 0))
  return files
}

/** With every retry 400 steps could have more events than an execution takes, and would be refused. */
const UNBOUNDED = { maximumEvents: 100_000 }

async function benchMachines(files: readonly string[]): Promise<void> {
  const plans = await Promise.all(files.map(planOf))
  const doers = plans.map((plan) => plan())
  const machines = doers.map((doer) => compileDoer(doer, UNBOUNDED))
  const compiling = doers.map((doer) => () => compileDoer(doer, UNBOUNDED))
  const validating = machines.map((machine) => () => requireValid(machine))
  const bytes = machines.map((machine) => Buffer.byteLength(JSON.stringify(machine)))
  report('plan', 'ms', await inTurns(plans, ROUNDS), 2)
  report('compile', 'ms', await inTurns(compiling, ROUNDS), 2)
  report('asl-validator', 'ms', await inTurns(validating, SLOW_ROUNDS))
  report('machine', 'bytes', bytes)
}

async function planOf(file: string): Promise<() => Doer> {
  const { plan } = await import(pathToFileURL(file).href)
  return plan
}

function requireValid(machine: Machine): void {
  const { isValid, errors } = validate(machine)
  if (!isValid) throw new Error(`asl-validator refuses a machine: ${JSON.stringify(errors)}`)
}

/** Medians in ms of works that take turns, so that what disturbs one disturbs the others, after a third as many rounds that warm up. */
async function inTurns(works: readonly (() => unknown)[], rounds: number): Promise<readonly number[]> {
  const times = works.map((): number[] => [])
  for (let round = -Math.ceil(rounds / 3); round < rounds; round++)
    for (const [index, work] of works.entries()) {
      const took = await time(work)
      if (round >= 0) times[index]?.push(took)
    }
  return times.map(median)
}

/** Of the small doer and the large one. */
function report(what: string, unit: string, [small = 0, large = 0]: readonly number[], digits = 0): void {
  process.stdout.write(
    `${what}: ${SMALL} steps ${small.toFixed(digits)} ${unit}, ${LARGE} steps ${large.toFixed(digits)} ${unit}; ` +
      `ratio ${(large / small).toFixed(1)}\n`,
  )
}

/** Against the same without doers: what they import is checked in both. */
async function benchTypes(folder: string): Promise<void> {
  await writeDoers(join(folder, 'typed'), Array(DOERS).fill(STEPS))
  await writeDoers(join(folder, 'bare'), [])
  const checking = ['bare', 'typed'].map((name) => () => checkTypes(join(folder, name)))
  const [bare = 0, typed = 0] = await inTurns(checking, SLOW_ROUNDS)
  const ownMs = (typed - bare) / (DOERS * STEPS)
  process.stdout.write(
    `types: ${DOERS} doers of ${STEPS} steps ${typed.toFixed(0)} ms; without doers ${bare.toFixed(0)} ms; ` +
      `${ownMs.toFixed(2)} ms a step, ratio ${(typed / bare).toFixed(2)}\n`,
  )
}

/** Throws with what `tsc` says when it finds an error. */
async function checkTypes(folder: string): Promise<void> {
  const config = { extends: resolve('tsconfig.json'), include: ['*.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = resolve('node_modules/typescript/bin/tsc')
  try {
    await promisify(execFile)(process.execPath, [tsc, '--noEmit', '--project', folder])
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string } // what execFile adds to its errors
    throw new Error(`tsc refuses what is measured: ${stdout}`, { cause: error })
  }
}
