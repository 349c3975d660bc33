import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The process ids of the functions that run from under `directory`. */
export async function functionProcesses(directory: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,args='], { maxBuffer: 2 ** 24 })
  return stdout
    .split('\n')
    .filter((line) => line.includes(directory) && line.includes('bootstrap'))
    .map((line) => Number.parseInt(line, 10))
}

/** SIGKILL; false when the process was gone already. */
export function killProcess(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
