// The table server's own process: `node dynamodb-server.ts <directory> <port>`, started by `startDynamoDb`.
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import dynalite from 'dynalite'
import { type DirectoryLock, lockDirectory } from '../directory-lock.ts'
import { greet } from '../helper-hello.ts'

const [directory = '', port = '0'] = process.argv.slice(2)

// Ctrl-C reaches every process of the terminal: the parent decides when this one ends.
process.on('SIGINT', () => {})

try {
  const lock = lockDirectory(directory)
  const server = dynalite({
    path: join(directory, 'data'),
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  })
  server.keepAliveTimeout = 0 // cutting an idle connection would reset a request sent in that moment
  server.listen(Number(port), '127.0.0.1')
  await once(server, 'listening')
  process.once('disconnect', () => finish(server, lock))
  const { port: boundPort } = server.address() as AddressInfo // listening on TCP: neither null nor a pipe's name
  await greet({ kind: 'ready', url: `http://127.0.0.1:${boundPort}` })
  if (!process.connected) finish(server, lock)
} catch (error) {
  await greet({ kind: 'refused', message: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}

/** Answers what is open, closes the store, ends. Clients keep connections open, so idle ones are cut as they come. */
function finish(server: Server, lock: DirectoryLock): void {
  const cutter = setInterval(() => server.closeIdleConnections(), 20)
  server.close(() => {
    clearInterval(cutter)
    lock.release()
    process.exit(0)
  })
}
