import { handle } from 'hono/aws-lambda'
import type { Callable } from '../core/callable.ts'
import { createGateway } from '../gateway/gateway.ts'
import { createPorts } from './ports.ts'

/** The function behind the HTTP API. */
export const gatewayDoor = (agents: readonly Callable[]) => handle(createGateway(createPorts(), agents))
