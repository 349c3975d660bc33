import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type PluginBuild } from 'esbuild'
import { PLATFORM, ROOT } from './platform.ts'

/** What SST's command defines for the program that it runs. */
export interface Surroundings {
  readonly app: Readonly<Record<string, unknown>> & { readonly name: string; readonly stage: string }
  /** The project, which has `functions/`; absolute. */
  readonly directory: string
  /** Where bundles of functions are zipped. */
  readonly work: string
}

const CONFIG = join(ROOT, 'sst.config.ts')
/** Loaded from the platform's node_modules, since they do not bear to be bundled. */
const EXTERNAL = [
  '@pulumi/*',
  '@pulumiverse/*',
  '@sst-provider/*',
  '@aws-sdk/*',
  'undici',
  'esbuild',
  'archiver',
  'glob',
  'vite',
]
/** CommonJS packages in the bundle look for these. */
const BANNER = [
  `import { createRequire as createRequireOfBundle } from 'node:module'`,
  `const require = createRequireOfBundle(import.meta.url)`,
  `const __filename = import.meta.filename`,
  `const __dirname = import.meta.dirname`,
].join('\n')

/** What `app()` of sst.config.ts answers. */
export async function readApp(stage: string): Promise<Surroundings['app']> {
  const { app } = await load(
    `globalThis.$config = (config) => config
     const { default: config } = await import(${JSON.stringify(CONFIG)})
     export const app = await config.app({ stage: ${JSON.stringify(stage)} })`,
    {},
  )
  return { removal: 'retain', ...Object(app), stage }
}

/** `run()` of sst.config.ts, bundled as SST's command bundles it. */
export async function loadProgram({ app, directory, work }: Surroundings): Promise<() => Promise<unknown>> {
  const cli = {
    command: 'deploy',
    dev: false,
    paths: { home: work, root: directory, work, platform: PLATFORM },
    state: { version: {} },
  }
  const { program } = await load(
    `import { run } from ${JSON.stringify(join(PLATFORM, 'src/auto/run.ts'))}
     import config from ${JSON.stringify(CONFIG)}
     export const program = () => run(config.run)`,
    { $app: JSON.stringify(app), $cli: JSON.stringify(cli), $dev: 'false' },
  )
  if (typeof program !== 'function') throw new Error('The bundle of sst.config.ts exports no program')
  return async () => program()
}

async function load(contents: string, define: Record<string, string>): Promise<Record<string, unknown>> {
  // In the platform's folder, so that what is external is found in its node_modules.
  const outfile = join(PLATFORM, `synth-${process.pid}-${Object.keys(define).length}.mjs`)
  const isProgram = Object.keys(define).length > 0
  try {
    await build({
      stdin: { contents, resolveDir: ROOT, sourcefile: 'program.ts', loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      banner: { js: BANNER },
      external: EXTERNAL,
      nodePaths: [join(PLATFORM, 'node_modules')],
      define,
      ...(isProgram && { inject: [join(PLATFORM, 'src/shim/run.js')], plugins: [globals] }),
      outfile,
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    await rm(outfile, { force: true })
  }
}

/** SST's command puts these before every file that is not its own. */
const globals = {
  name: 'globals',
  setup({ onLoad }: PluginBuild) {
    const components = JSON.stringify(join(PLATFORM, 'src/components'))
    const imports = `import * as aws from '@pulumi/aws'\nimport * as sst from ${components}\n`
    onLoad({ filter: /\.[jt]sx?$/ }, ({ path }) =>
      path.startsWith(PLATFORM)
        ? undefined
        : { contents: imports + readFileSync(path, 'utf8'), loader: 'default' },
    )
  },
}
