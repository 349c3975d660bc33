import type { ProxiedRequest } from '../../../src/local/fault-proxy.ts'
import { ORDERS_TABLE } from './orders.ts'

/** What a request of a run goes to. */
export type Service = 'table' | 'lambda' | 'model'

/** A request of a run. Two runs of one kind make requests of the same names, most of them in the same order. */
export interface NamedRequest {
  /** `UpdateItem T#000001`, `Invoke tool`, `chat completion`. */
  readonly name: string
  /** The run's id, or the number of the order that it is about: whichever the request bears. */
  readonly subject: string
}

/** Says what a request is; undefined for what belongs to no run, such as the sweep's look into the index. */
export function nameRequest(service: Service, request: ProxiedRequest): NamedRequest | undefined {
  switch (service) {
    case 'table':
      return nameTableRequest(request)
    case 'lambda':
      return nameInvoke(request)
    case 'model':
      return named('chat completion', /A-\d{4}/.exec(request.body)?.[0])
  }
}

function nameTableRequest({ target = '', body }: ProxiedRequest): NamedRequest | undefined {
  const operation = target.split('.').at(-1) ?? ''
  const { TableName, Key, Item, ExpressionAttributeValues } = JSON.parse(body)
  const key = Key ?? Item
  if (TableName === ORDERS_TABLE) return named(`${operation} order`, key?.orderNumber?.S)
  const partition: string | undefined = key?.pk?.S ?? ExpressionAttributeValues?.[':pk']?.S
  return named(`${operation} ${key?.sk?.S ?? 'run'}`, /^RUN#(.+)/.exec(partition ?? '')?.[1])
}

function nameInvoke({ path, body }: ProxiedRequest): NamedRequest | undefined {
  const kind = /functions\/[^/]*?(turn|tool|resume)/.exec(path)?.[1]
  return named(`Invoke ${kind}`, JSON.parse(body).runId)
}

const named = (name: string, subject: string | undefined): NamedRequest | undefined =>
  subject === undefined ? undefined : { name, subject }
