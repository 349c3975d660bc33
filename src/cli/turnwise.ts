import { parseArgs } from 'node:util'
import { check } from './check.ts'
import { describeWorst } from './describe-worst.ts'
import { type GraphOptions, graph, writeGraph } from './graph.ts'
import { type Problem, ProjectError } from './problem.ts'
import { serveGateway, serveStandIns } from './serve.ts'
import type { ProjectOptions } from './start-project.ts'
import { PLAN_FILE, writePlan } from './write-plan.ts'

const USAGE = `Usage: turnwise COMMAND [--directory DIR]

  check   says what is wrong with the definitions, their files and their bundles, and what each doer comes to at worst
  plan    writes .turnwise/plan.json and an entry for each function
  start   runs it all on this machine, with the gateway, until Ctrl-C
  local   runs the AWS stand-ins alone and prints their endpoints; AWS_ENDPOINT_URL_… set beforehand replace them
  graph   draws a doer, graph NAME: prints a flowchart in Mermaid's language, or writes an SVG file

  --directory DIR   the project, which has functions/agents.ts (default: here)
  --port PORT       of the gateway (default: a free one)
  --svg FILE        of graph: where the drawing is written
  --faults SEED     of start and local: messages are late, doubled and lost, answers too, and reads are stale, as a number decides
`

process.exitCode = await main(process.argv.slice(2))

/** 0: fine; 1: problems were found, or the command was wrong. */
async function main(words: readonly string[]): Promise<number> {
  const command = parse(words)
  switch (command?.name) {
    case 'check':
      return runCheck(command.directory)
    case 'plan':
      return runPlan(command.directory)
    case 'start':
      return reportProblems(() => serveGateway({ ...localOptions(command), port: command.port }))
    case 'local':
      return reportProblems(() => serveStandIns(localOptions(command)))
    case 'graph':
      return runGraph({ directory: command.directory, name: command.subject }, command.svg)
    default:
      if (command?.name !== undefined)
        process.stderr.write(`turnwise: there is no command "${command.name}"\n\n`)
      process.stderr.write(USAGE)
      return 1
  }
}

interface Command {
  readonly name: string | undefined
  /** The doer of `graph`. */
  readonly subject: string | undefined
  readonly svg: string | undefined
  readonly directory: string
  readonly port: number
  readonly faultSeed: number | undefined
}

/** Undefined, and said why, when the words are no command. */
function parse(words: readonly string[]): Command | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        directory: { type: 'string', default: '.' },
        port: { type: 'string', default: '0' },
        faults: { type: 'string' },
        svg: { type: 'string' },
      },
    })
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new Error(`--port is "${values.port}"; a port is 0 to 65535`)
    const faultSeed = values.faults === undefined ? undefined : Number(values.faults)
    if (faultSeed !== undefined && (values.faults === '' || !Number.isSafeInteger(faultSeed)))
      throw new Error(`--faults is "${values.faults}"; a seed is a whole number`)
    const { directory, svg } = values
    const [name, subject] = positionals
    if (positionals.length < 1 || positionals.length > (name === 'graph' ? 2 : 1)) return undefined
    return { name, subject, svg, directory, port, faultSeed }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n`)
    return undefined
  }
}

async function runCheck(directory: string): Promise<number> {
  const { problems, machines } = await check(directory)
  print(problems)
  for (const machine of machines) process.stdout.write(`${describeWorst(machine)}\n`)
  const errors = problems.filter(({ severity }) => severity === 'error').length
  if (errors > 0) {
    process.stdout.write(`${errors} ${errors === 1 ? 'error' : 'errors'}\n`)
    return 1
  }
  process.stdout.write('No errors\n')
  return 0
}

async function runPlan(directory: string): Promise<number> {
  return reportProblems(async () => {
    const { functions, machines } = await writePlan(directory)
    process.stdout.write(`${PLAN_FILE}: ${functions.length} functions, ${machines.length} machines\n`)
  })
}

/** Standard output holds the drawing and nothing else, since people send it to a file. */
async function runGraph(options: GraphOptions, svgFile: string | undefined): Promise<number> {
  return reportProblems(async () => {
    if (svgFile === undefined) process.stdout.write(await graph(options))
    else await writeGraph(options, svgFile)
  }, process.stderr)
}

function localOptions({ directory, faultSeed }: Pick<Command, 'directory' | 'faultSeed'>): ProjectOptions {
  return {
    directory,
    env: process.env,
    log: (line) => process.stderr.write(`${line}\n`),
    waitsForFunctions: true,
    stack: { watch: true, ...(faultSeed !== undefined && { faultSeed }) },
  }
}

async function reportProblems(
  work: () => Promise<void>,
  out: NodeJS.WritableStream = process.stdout,
): Promise<number> {
  try {
    await work()
    return 0
  } catch (error) {
    if (error instanceof ProjectError) print(error.problems, out)
    // A directory or a port that another process has: the message says all, and a stack would hide it.
    else process.stderr.write(`turnwise: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

function print(problems: readonly Problem[], out: NodeJS.WritableStream = process.stdout): void {
  for (const { severity, message } of problems) out.write(`${severity}: ${message}\n`)
}
