import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Fault, type FaultProxy, type ProxiedRequest, startProxy } from '../../src/local/fault-proxy.ts'

/** What reached the service behind the proxy, in order. */
const served: string[] = []
const service = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  served.push(body)
  response.writeHead(201, { 'x-from': 'service' }).end(`did ${body}`)
})
let fault: Fault | undefined
let seen: ProxiedRequest[]
let proxy: FaultProxy

beforeAll(async () => {
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
})
afterAll(() => void service.close())

beforeEach(async () => {
  served.length = 0
  seen = []
  fault = undefined
  const { port } = service.address() as AddressInfo
  proxy = await startProxy({
    target: `http://127.0.0.1:${port}`,
    on: (request) => {
      seen.push(request)
      return fault
    },
  })
})
afterEach(() => proxy.close())

const post = (body: string) =>
  fetch(`${proxy.url}/table?x=1`, { method: 'POST', body, headers: { 'x-amz-target': 'DynamoDB.PutItem' } })

describe('the fault proxy', () => {
  it('forwards both ways and tells what it saw', async () => {
    const answer = await post('a')
    expect([answer.status, answer.headers.get('x-from'), await answer.text()]).toEqual([
      201,
      'service',
      'did a',
    ])
    await post('b')
    expect(seen).toEqual([
      { number: 1, method: 'POST', path: '/table?x=1', target: 'DynamoDB.PutItem', body: 'a' },
      { number: 2, method: 'POST', path: '/table?x=1', target: 'DynamoDB.PutItem', body: 'b' },
    ])
  })

  it('lets the service work and loses its response', async () => {
    fault = { kind: 'lose-response' }
    await expect(post('a')).rejects.toThrow('fetch failed')
    expect(served).toEqual(['a'])
  })

  it('refuses before the service sees anything', async () => {
    fault = { kind: 'refuse' }
    await expect(post('a')).rejects.toThrow('fetch failed')
    expect(served).toEqual([])
  })

  it('lets the service see a request twice', async () => {
    fault = { kind: 'double' }
    expect(await (await post('a')).text()).toBe('did a')
    expect(served).toEqual(['a', 'a'])
  })

  it('answers in the place of the service', async () => {
    fault = { kind: 'answer', status: 429, headers: { 'retry-after': '3' }, body: 'later' }
    const answer = await post('a')
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      429,
      '3',
      'later',
    ])
    expect(served).toEqual([])
  })

  it('delays', async () => {
    fault = { kind: 'delay', ms: 60 }
    const startedAtMs = performance.now()
    await post('a')
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(55)
  })

  it('runs a function before the service works, or after', async () => {
    const servedAtCall: number[] = []
    const run = () => void servedAtCall.push(served.length)
    fault = { kind: 'call-before', run }
    await post('a')
    fault = { kind: 'call-after', run }
    await post('b')
    expect(servedAtCall).toEqual([0, 2])
  })

  it('breaks the connection when the service is not there', async () => {
    const nowhere = await startProxy({ target: 'http://127.0.0.1:9', on: () => undefined })
    await expect(fetch(nowhere.url)).rejects.toThrow('fetch failed')
    await nowhere.close()
  })
})
