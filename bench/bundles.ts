import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
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
  for (const { name, file } of bundles) {
    const sizeKb = (await stat(file)).size / 1_024
    const ms = (await loadMs(file, environment)) - emptyMs
    process.stdout.write(
      `${name.padEnd(40)}${sizeKb.toFixed(0).padStart(6)} KB  ${ms.toFixed(0).padStart(5)} ms to load\n`,
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
