import { customerReport } from './doers/customer-report.ts'
import { orderAgent } from './thinkers/order-agent.ts'

/** What the gateway serves. All that these reach is deployed with them. */
export const agents = [orderAgent, customerReport]
