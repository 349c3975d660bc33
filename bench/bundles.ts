import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Metafile } from 'esbuild'
import { writePlan } from '../src/cli/write-plan.ts'
import { bundleFunctions } from '../src/local/lambda/bundle-functions.ts'
import { createFunctionEnvironment } from '../src/local/stack/environment.ts'
import { localFunctions } from '../src/local/stack/local-functions.ts'
import { median } from './median.ts'

const ROUNDS = 7
const NOWHERE = 'http://127.0.0.1:9'

/** What a cold start loads: the bundle's size, and the time to import it in a fresh process beyond an empty one's. */
export async function benchBundles(): Promise<void> {
  const plan = await writePlan('.')
  const environment = createFunctionEnvironment(
    {},
    { dynamoDb: NOWHERE, lambda: NOWHERE, stepFunctions: NOWHERE },
    NOWHERE,
  )
  const bundles = await bundleFunctions(
    localFunctions(plan, resolve('.'), environment),
    resolve('.turnwise/bench-bundles'),
  )
  const emptyMs = await loadMs(undefined, environment)
  for (const { name, file, metafile } of bundles) {
    const sizeKb = loadedBytes(metafile) / 1_024
    const ms = (await loadMs(file, environment)) - emptyMs
    process.stdout.write(
      `${name.padEnd(40)}${sizeKb.toFixed(0).padStart(6)} KB to load  ${ms.toFixed(0).padStart(5)} ms\n`,
    )
  }
}

async function loadMs(file: string | undefined, env: Readonly<Record<string, string>>): Promise<number> {
  const code = file === undefined ? '' : `await import(${JSON.stringify(file)})`
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env })
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

/** What is read before the first invocation: the entry and the chunks that it imports at once, not those it may import later. */
function loadedBytes({ outputs }: Metafile): number {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint !== undefined)
  const reached = new Set(entry === undefined ? [] : [entry])
  let bytes = 0
  for (const path of reached) {
    bytes += outputs[path]?.bytes ?? 0
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement') reached.add(imported)
  }
  return bytes
}
