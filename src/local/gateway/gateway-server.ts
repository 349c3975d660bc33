// The gateway's own process: `node gateway-server.ts <project> <port>`, started by `startGateway`.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Callable } from '../../core/callable.ts'
import { createPorts } from '../../doors/ports.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { greet } from '../helper-hello.ts'
import { listen } from '../listen.ts'

const [project = '.', port = '0'] = process.argv.slice(2)

// Ctrl-C reaches every process of the terminal: the parent decides when this one ends.
process.on('SIGINT', () => {})

try {
  const { agents }: { agents: readonly Callable[] } = await import(
    pathToFileURL(join(project, 'functions/agents.ts')).href
  )
  const server = await listen(createGateway(createPorts(), agents).fetch, Number(port))
  process.once('disconnect', () => server.close().then(() => process.exit(0)))
  await greet({ kind: 'ready', url: server.url })
  if (!process.connected) process.exit(0)
} catch (error) {
  await greet({ kind: 'refused', message: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}
