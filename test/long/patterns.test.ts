import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleOrders } from '../../functions/setup.ts'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import {
  type RecordedRequest,
  type ScriptedReply,
  startScriptedModel,
} from '../../src/local/models/scripted.ts'
import { orderDesk, orderIn } from '../e2e/order-desk.ts'
import { type GatewayClient, startTestProject, type TestProject } from '../support/test-project.ts'

let model: ModelServer
let project: TestProject
let gateway: GatewayClient
beforeAll(async () => {
  model = await startScriptedModel({ replies })
  project = await startTestProject({ functionsDirectory: 'functions', modelUrl: model.url })
  gateway = project.gateway
})
afterAll(async () => {
  await project?.close()
  await model?.close()
})

/** What each of the example's thinkers says, told apart by what it is given; the order agent works as in the other tests. */
function replies(request: RecordedRequest): ScriptedReply {
  const [system, user] = request.messages
  const input: Readonly<Record<string, string>> = JSON.parse(String(user?.content))
  const say = (answer: unknown): ScriptedReply => ({ text: JSON.stringify(answer) })
  const isAsked = (instructions: string) => String(system?.content).includes(instructions)
  if (isAsked('Write a short, friendly letter'))
    return say({ letter: `Dear ${input.customerId}: ${input.about}` })
  if (isAsked('Say what the question is about')) {
    const topic = ['refund', 'status'].find((word) => input.question?.includes(word)) ?? 'other'
    return say({ topic, orderNumber: orderIn(input.question ?? '') ?? null })
  }
  if (isAsked('Judge whether the complaint'))
    return say({ urgent: input.pointOfView !== 'the shop', reason: 'so' })
  if (isAsked('Do what the instruction says')) {
    const { item, instruction } = JSON.parse(String(user?.content))
    return say({ orderNumber: item.orderNumber, finding: `${instruction} No` })
  }
  if (isAsked('Sum up these orders')) return say({ summary: `${input.customerId} is fine` })
  if (isAsked('Put the reports on these customers together')) return say({ review: 'All is well' })
  if (isAsked('say from 0 to 1 how sure'))
    return say({ answer: 'quickly', confidence: input.question?.includes('easy') ? 0.9 : 0.2 })
  if (isAsked('Give the best honest argument')) return say({ argument: `but ${input.objection}` })
  if (isAsked('Say whether the argument convinces'))
    return say({ convinced: input.argument === 'but but Why at all?', objection: input.argument })
  return orderDesk(request)
}

async function run(agent: string, input: unknown) {
  const { id } = await gateway.submit(agent, input)
  return gateway.ended(id)
}

const orderOf = (orderNumber: string) => exampleOrders.find((order) => order.orderNumber === orderNumber)

describe('N32 the patterns of the example', () => {
  it('pipeline: writes a letter about what it looked up', async () => {
    const order = orderOf('A-1007')
    expect(await run('order_letter', { orderNumber: 'A-1007' })).toMatchObject({
      status: 'completed',
      answer: {
        customerId: order?.customerId,
        letter: `Dear ${order?.customerId}: Order A-1007 is ${order?.status}.`,
      },
    })
  })

  it.each([
    ['What is the status of A-1007?', 'status', () => `Order A-1007 is ${orderOf('A-1007')?.status}.`],
    [
      'What is the status of my order?',
      'status',
      () => 'Which order do you mean? We find none of that number.',
    ],
    ['Tell me a joke', 'other', () => 'We can tell how an order stands, and refund it.'],
  ])('router: %s', async (question, topic, answer) => {
    const ended = await run('question_desk', { question })
    expect([ended.status, ended.answer]).toEqual(['completed', { topic, answer: answer() }])
    expect(ended.steps.map(({ step }) => step)).not.toContain('ask order agent')
  })

  it('router: leaves a refund to the agent that may', async () => {
    const ended = await run('question_desk', { question: 'Please refund A-1011' })
    expect(ended).toMatchObject({ status: 'completed', answer: { topic: 'refund' } })
    expect(ended.steps.map(({ number, step, status }) => [number, step, status])).toEqual([
      [1, 'sort question', 'completed'],
      [2, 'ask order agent', 'completed'],
    ])
  })

  it('voting: lets most of three judges decide, who judge at the same time under one number', async () => {
    const ended = await run('urgency_vote', { complaint: 'It leaks' })
    expect([ended.status, ended.answer]).toEqual(['completed', { urgent: true, votes: 2 }])
    expect(ended.steps.map(({ number }) => number)).toEqual([1, 1, 1])
  })

  it('escalation: asks the better agent only where the first is not sure', async () => {
    const easy = await run('careful_answer', { question: 'Something easy about A-1007' })
    expect([easy.answer, easy.steps.length]).toEqual([{ answer: 'quickly', by: 'quick' }, 1])
    const hard = await run('careful_answer', { question: 'Where is A-1007?' })
    expect(hard).toMatchObject({ status: 'completed', answer: { by: 'careful' } })
    expect(hard.steps.map(({ step }) => step)).toEqual(['answer quickly', 'answer carefully'])
  })

  it('hierarchy: has each customer reported on by a run of another doer, and puts the reports together', async () => {
    const customerIds = ['C-01', 'C-02', 'C-03']
    const ended = await run('customers_review', { customerIds })
    const orders = exampleOrders.filter(({ customerId }) => customerIds.includes(customerId))
    const open = orders.filter(({ status }) => status === 'open').length
    expect([ended.status, ended.answer]).toEqual([
      'completed',
      { customers: 3, orders: orders.length, open, review: 'All is well' },
    ])
    expect(ended.steps.map(({ number, step, name, indexes }) => [number, step, name, indexes])).toEqual([
      [1, 'report', 'customer_report', [0]],
      [1, 'report', 'customer_report', [1]],
      [1, 'report', 'customer_report', [2]],
      [2, 'count orders', 'code', undefined],
      [3, 'write review', 'review_writer', undefined],
    ])
    const child = await gateway.look(ended.steps[1]?.run ?? '')
    expect(child).toMatchObject({
      kind: 'doer',
      agent: 'customer_report',
      status: 'completed',
      input: { customerId: 'C-02' },
      answer: { summary: 'C-02 is fine' },
    })
  })

  it('hierarchy: ends with the failure of the doer beneath, naming each step on the way', async () => {
    const ended = await run('customers_review', { customerIds: ['C-01', 'C-99'] })
    expect(ended).toMatchObject({
      status: 'failed',
      error: {
        name: 'NotFound',
        message: 'step "report on all": step "report": step "list orders": No customer C-99 has orders',
      },
    })
  })

  it('fan-out: gives each order of a list to a run of its own, and keeps the findings in order', async () => {
    const ended = await run('customer_checks', { customerId: 'C-03', instruction: 'Is it late?' })
    const orders = exampleOrders.filter(({ customerId }) => customerId === 'C-03')
    expect(ended).toMatchObject({
      status: 'completed',
      answer: { orders: orders.length, findings: { size: orders.length } },
    })
    const { findings } = ended.answer as { findings: { artifact: string } }
    const { body } = await gateway.ask(`/artifacts/${findings.artifact}`)
    expect(body).toMatchObject({
      items: orders.map(({ orderNumber }) => ({
        ok: true,
        value: { orderNumber, finding: 'Is it late? No' },
      })),
    })
  })

  it('debate: goes on until one is convinced, each round on record', async () => {
    const ended = await run('refund_debate', { orderNumber: 'A-1007', reason: 'it came late' })
    expect([ended.status, ended.answer]).toEqual([
      'completed',
      { refund: true, argument: 'but but Why at all?', rounds: 2 },
    ])
    expect(ended.steps.map(({ number, step, indexes }) => [number, step, indexes])).toEqual([
      [1, 'look up order', undefined],
      [2, 'argue', [0]],
      [2, 'argue', [1]],
      [3, 'object', [0]],
      [3, 'object', [1]],
    ])
  })
})
