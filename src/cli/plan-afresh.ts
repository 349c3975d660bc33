import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { planSchema } from '../compile/plan.ts'

const planMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('made'), plan: planSchema }),
  /** `problem`: what `check` says. */
  z.object({ kind: z.literal('failed'), problem: z.string() }),
])
export type PlanMessage = z.infer<typeof planMessageSchema>

/** Makes the plan of the files as they are now, in a process of its own, and writes it nowhere. `signal` ends it. */
export async function makePlanAfresh(directory: string, signal: AbortSignal): Promise<PlanMessage> {
  const module = fileURLToPath(new URL('./plan-process.ts', import.meta.url))
  const child = fork(module, [directory], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  })
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(planMessageSchema.parse(message)))
    child.once('error', (error) => resolve({ kind: 'failed', problem: error.message }))
    const fail = () => resolve({ kind: 'failed', problem: 'the process that makes it has ended' })
    // It can be gone before its message is read: only a closed channel has no more.
    child.once('exit', () => (child.connected ? child.once('disconnect', fail) : fail()))
  })
}
