import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadProgram, readApp } from './bundle-program.ts'
import { type BuiltFunction, startCommandServer } from './command-server.ts'
import { loadPulumi } from './platform.ts'
import { type RecordedResource, recordResources } from './record-resources.ts'

/** What `--out` is written with. */
export interface Synthesis {
  readonly resources: readonly RecordedResource[]
  readonly built: readonly BuiltFunction[]
}

/**
 * Runs sst.config.ts with SST's own components and no cloud, and writes down every resource that `sst deploy`
 * would make for the stage `test`: `node synth.ts --directory PROJECT --out FILE`.
 */
const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: '.' },
    out: { type: 'string', default: 'resources.json' },
  },
})
const directory = resolve(values.directory)
const out = resolve(values.out)
const work = await mkdtemp(join(tmpdir(), 'turnwise-synth-'))
try {
  const server = await startCommandServer({ directory, work })
  process.env.SST_SERVER = server.url
  process.env.SST_SECRET_OpenaiApiKey = 'a key'
  const { mocks, resources } = recordResources()
  const { runtime } = loadPulumi()
  const app = await readApp('test')
  await runtime.setMocks(mocks, app.name, app.stage, false)
  await runtime.runInPulumiStack(await loadProgram({ app, directory, work }))
  // No promise waits for the callbacks that make the functions: all is done when nothing is left to do.
  server.unref()
  await new Promise((done) => process.once('beforeExit', done))
  await runtime.disconnect()
  const synthesis: Synthesis = { resources, built: server.built }
  await writeFile(out, JSON.stringify(synthesis))
} finally {
  await rm(work, { recursive: true, force: true })
}
