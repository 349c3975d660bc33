import { startHelper } from '../helper-process.ts'

/** A table server on 127.0.0.1 for the real DynamoDB client. */
export interface DynamoDb {
  readonly url: string
  /** Of the server's process. */
  readonly pid: number
  /** Lets open requests finish, then ends the server. */
  close(): Promise<void>
  /** SIGKILL, as a crash would: what had been answered stays. */
  kill(): Promise<void>
}

/**
 * Starts DynamoDB's stand-in (dynalite) on what `directory` holds, in a process of its own: it outlives a crash of
 * this one for as long as its requests in flight take, and no longer. Port 0 (the default) takes a free one.
 * Throws when another process serves the directory, naming it; a dead one's lock is taken over.
 */
export async function startDynamoDb(options: { directory: string; port?: number }): Promise<DynamoDb> {
  const server = await startHelper(new URL('./dynamodb-server.ts', import.meta.url), [
    options.directory,
    String(options.port ?? 0),
  ])
  if (server.url === undefined) throw new Error('The table server named no URL')
  return {
    url: server.url,
    pid: server.pid,
    close: server.close,
    async kill() {
      server.child.kill('SIGKILL')
      await server.exited
    },
  }
}
