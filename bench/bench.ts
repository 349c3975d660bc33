// `npm run bench` lists the benchmarks; `npm run bench -- NAME` runs one. Figures are medians; compare ratios, not milliseconds.
import { benchBundles } from './bundles.ts'
import { benchCompile } from './compile.ts'
import { benchRuns } from './runs.ts'
import { benchStandIn } from './stand-in.ts'

const BENCHMARKS: Readonly<Record<string, { readonly about: string; readonly run: () => Promise<void> }>> = {
  runs: { about: 'runs of the example on the local stack, against bare invocations', run: benchRuns },
  'stand-in': {
    about: 'the local Step Functions: transitions, a Map of invocations, memory',
    run: benchStandIn,
  },
  compile: {
    about: 'plan and compile doers of 40 and 400 steps, and check the types of twenty of 120',
    run: benchCompile,
  },
  bundles: { about: 'size and load time of each function', run: benchBundles },
}

const [name = ''] = process.argv.slice(2)
const chosen = BENCHMARKS[name]
if (chosen) await chosen.run()
else {
  for (const [known, { about }] of Object.entries(BENCHMARKS))
    process.stdout.write(`${known.padEnd(10)}${about}\n`)
  process.exitCode = name === '' ? 0 : 1
}
