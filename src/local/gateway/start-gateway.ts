import { startHelper } from '../helper-process.ts'

export interface LocalGateway {
  readonly url: string
  readonly pid: number
  /** Answers what is open, then ends. */
  close(): Promise<void>
}

/**
 * Serves the gateway of a project on 127.0.0.1, in a process of its own with the environment that its function would have.
 * Port 0 (the default) takes a free one; throws when the port is taken.
 */
export async function startGateway(options: {
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly port?: number
}): Promise<LocalGateway> {
  const { directory, environment, port = 0 } = options
  const server = await startHelper(
    new URL('./gateway-server.ts', import.meta.url),
    [directory, String(port)],
    environment,
  )
  if (server.url === undefined) throw new Error('The gateway named no URL')
  return { url: server.url, pid: server.pid, close: server.close }
}
