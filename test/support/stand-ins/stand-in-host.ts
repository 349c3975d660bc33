// A process that runs stand-ins: `node stand-in-host.ts '<HostOptions as JSON>'`. Prints their URLs as one line of JSON.
import { fileURLToPath } from 'node:url'
import { startLambda } from '../../../src/local/lambda/start-lambda.ts'
import { startStepFunctions } from '../../../src/local/step-functions/start-step-functions.ts'

export interface HostOptions {
  readonly directory: string
  /** Where the functions note what they do. */
  readonly journal: string
  /** Of a Lambda that another host runs; without it this one runs one. */
  readonly lambdaUrl?: string
  readonly runsStepFunctions: boolean
}

export interface HostUrls {
  readonly lambda: string
  readonly stepFunctions?: string
}

const options: HostOptions = JSON.parse(process.argv[2] ?? '')
const { directory, journal, runsStepFunctions } = options
const entry = fileURLToPath(new URL('./work.ts', import.meta.url))
const lambda =
  options.lambdaUrl ??
  (
    await startLambda({
      directory: `${directory}/lambda`,
      functions: ['charge', 'look-up'].map((name) => ({ name, entry, timeoutSeconds: 10, memoryMb: 256 })),
      environment: { JOURNAL: journal },
      maximumProcesses: 4,
      log: (line) => process.stderr.write(`${line}\n`),
    })
  ).url
const urls: HostUrls = runsStepFunctions
  ? {
      lambda,
      stepFunctions: (
        await startStepFunctions({ directory: `${directory}/step-functions`, lambdaEndpoint: lambda })
      ).url,
    }
  : { lambda }
process.stdout.write(`${JSON.stringify(urls)}\n`)
