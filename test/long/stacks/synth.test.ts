import validate from 'asl-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { isPlatformInstalled } from './synth/platform.ts'
import { type Deployment, synthesize } from './synthesize.ts'

const LAMBDA = 'aws:lambda/function:Function'
const ROLE = 'aws:iam/role:Role'
const RUNS_TABLE = ['table/turnwise-test-runs']

if (!isPlatformInstalled())
  process.stderr.write(
    'The deployment is not checked: SST is not unpacked here (`npm run sst:install` does it)\n',
  )

/** Those of the example, in order of name. */
const THINKERS = [
  'letter_writer',
  'order_agent',
  'order_checker',
  'question_sorter',
  'quick_answerer',
  'refund_advocate',
  'refund_skeptic',
  'report_writer',
  'review_writer',
  'urgency_judge',
]
const DOERS = [
  'careful_answer',
  'check_each_order',
  'customer_checks',
  'customer_report',
  'customers_review',
  'order_letter',
  'question_desk',
  'refund_debate',
  'urgency_vote',
]
const MACHINES = DOERS.map((name) => `stateMachine:turnwise-test-${name}`)
/** Also those of its items, which are executions of their own. */
const TOKENS = [...MACHINES, 'stateMachine:turnwise-test-check_each_order/*'].toSorted()
const EXECUTIONS = DOERS.map((name) => `execution:turnwise-test-${name}:*`)

describe.skipIf(!isPlatformInstalled())('what `sst deploy` makes (npm run sst:install)', () => {
  /** The example. */
  let shop: Deployment
  /** Two thinkers, of which one may change things. */
  let boxes: Deployment
  beforeAll(async () => {
    const palettes = 'test/fixtures/palettes/functions'
    ;[shop, boxes] = await Promise.all([synthesize('functions'), synthesize(palettes)])
  }, 120_000)

  it('is a function for each that is planned, under its computed name, on what the entry of the plan exports', () => {
    const names = [...shop.all(LAMBDA).values()].map(({ name }) => name).toSorted()
    expect(names).toEqual([
      'turnwise-test-doer-check_each_order',
      'turnwise-test-doer-customer_report',
      'turnwise-test-doer-customers_review',
      'turnwise-test-gateway',
      'turnwise-test-lists',
      'turnwise-test-rescue',
      'turnwise-test-resume',
      'turnwise-test-tool-list_orders',
      'turnwise-test-tool-order_status',
      'turnwise-test-tool-refund_order',
      'turnwise-test-tool-save_orders',
      ...THINKERS.map((name) => `turnwise-test-turn-${name}`),
    ])
    expect(shop.built).toContainEqual({
      functionId: 'tool-refund_order',
      handler: '.turnwise/entries/tool-refund_order.handler',
      options: { minify: true, splitting: true, architecture: 'arm64' },
    })
  })

  describe('N3 a tool has its own timeout and memory', () => {
    it.each([
      ['tool-look_up', 25, 512],
      ['tool-move_box', 900, 256],
      ['turn-reader', 900, 256],
    ])('%s: %d s, %d MB', (id, timeout, memorySize) => {
      expect(boxes.one(LAMBDA, `${id}Function`)).toMatchObject({
        timeout,
        memorySize,
        runtime: 'nodejs24.x',
        architectures: ['arm64'],
      })
    })
  })

  describe('W4 a role may do what the plan says, and no more', () => {
    it('a thinker with a read-only palette cannot invoke the function that changes things, another can', () => {
      expect(boxes.rights('turn-readerRole')['lambda:InvokeFunction']).toEqual([
        'function:turnwise-test-resume',
        'function:turnwise-test-tool-look_up',
        'function:turnwise-test-turn-reader',
      ])
      expect(boxes.rights('turn-moverRole')['lambda:InvokeFunction']).toContain(
        'function:turnwise-test-tool-move_box',
      )
    })

    it('a tool reads and writes runs, nudges who offers it and tells `resume`; the orders are as open to it as it needs', () => {
      const invoked = ['function:turnwise-test-resume', 'function:turnwise-test-turn-order_agent']
      const orders = 'table/turnwise-test-orders'
      expect(shop.rights('tool-list_ordersRole')).toEqual({
        'dynamodb:GetItem': RUNS_TABLE,
        'dynamodb:Query': [`${orders}/index/byCustomer`, ...RUNS_TABLE],
        'dynamodb:PutItem': RUNS_TABLE,
        'dynamodb:UpdateItem': RUNS_TABLE,
        'lambda:InvokeFunction': invoked,
      })
      expect(shop.rights('tool-order_statusRole')['dynamodb:UpdateItem']).toEqual(RUNS_TABLE)
      expect(shop.rights('tool-refund_orderRole')['dynamodb:UpdateItem']).toEqual([orders, ...RUNS_TABLE])
    })

    it('the gateway starts the doers that it serves and stops every execution, for a cancel', () => {
      expect(shop.rights('gatewayRole')).toMatchObject({
        // This one is only ever the step of another.
        'states:StartExecution': MACHINES.filter((machine) => !machine.endsWith('-check_each_order')),
        'states:StopExecution': EXECUTIONS,
      })
      expect(shop.rights('gatewayRole')).not.toHaveProperty('states:SendTaskSuccess')
    })

    it('only `resume` and `rescue` answer task tokens, describe executions and read the index of open runs', () => {
      expect(shop.rights('resumeRole')).toMatchObject({
        'dynamodb:Query': [...RUNS_TABLE, 'table/turnwise-test-runs/index/openRuns'],
        'states:StartExecution': MACHINES,
        'states:DescribeExecution': EXECUTIONS,
        'states:SendTaskSuccess': TOKENS,
        'states:SendTaskFailure': TOKENS,
      })
      const others = [...shop.all(ROLE).keys()].filter(
        (role) => role !== 'resumeRole' && role !== 'rescueRole',
      )
      expect(others.filter((role) => 'states:SendTaskSuccess' in shop.rights(role))).toEqual([])
    })

    it('a machine invokes the functions of its steps and nothing else', () => {
      expect(shop.rights('machine-customer_report-role')).toEqual({
        'lambda:InvokeFunction': [
          'function:turnwise-test-resume',
          'function:turnwise-test-tool-list_orders',
          'function:turnwise-test-tool-order_status',
          'function:turnwise-test-turn-report_writer',
        ],
      })
    })

    it('a role is assumed by its service, not by the account', () => {
      for (const [name, role] of shop.all(ROLE)) {
        const service = name.startsWith('machine-') ? 'states' : 'lambda'
        expect(JSON.stringify(role.assumeRolePolicy), name).toContain(`${service}.amazonaws.com`)
        expect(JSON.stringify(role.assumeRolePolicy), name).not.toContain(':root')
      }
    })

    it('only turn functions have the key of the provider', () => {
      const keyed = [...shop.all(LAMBDA)].filter(([, { environment }]) =>
        JSON.stringify(environment).includes('OPENAI_API_KEY'),
      )
      expect(keyed.map(([name]) => name).toSorted()).toEqual([
        ...THINKERS.map((name) => `turn-${name}Function`),
      ])
    })
  })

  describe('asynchronous invocations', () => {
    const CONFIG = 'aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig'
    const resume = 'arn:aws:lambda:us-east-1:123456789012:function:turnwise-test-resume'

    it('of tools and turns are not repeated by Lambda, and their failures reach `resume`', () => {
      expect(shop.one(CONFIG, 'tool-order_statusEventInvokeConfig')).toEqual({
        functionName: 'turnwise-test-tool-order_status',
        maximumRetryAttempts: 0,
        maximumEventAgeInSeconds: 300,
        destinationConfig: { onFailure: { destination: resume } },
      })
      expect(shop.one(CONFIG, 'turn-order_agentEventInvokeConfig')).toMatchObject({
        maximumRetryAttempts: 0,
        maximumEventAgeInSeconds: 21_600,
        destinationConfig: { onFailure: { destination: resume } },
      })
    })

    it('of `resume` fail to `rescue`, and those of `rescue` are repeated twice', () => {
      expect(shop.one(CONFIG, 'resumeEventInvokeConfig')).toEqual({
        functionName: 'turnwise-test-resume',
        maximumRetryAttempts: 0,
        maximumEventAgeInSeconds: 21_600,
        destinationConfig: {
          onFailure: { destination: 'arn:aws:lambda:us-east-1:123456789012:function:turnwise-test-rescue' },
        },
      })
      expect(shop.one(CONFIG, 'rescueEventInvokeConfig')).toEqual({
        functionName: 'turnwise-test-rescue',
        maximumRetryAttempts: 2,
        maximumEventAgeInSeconds: 21_600,
      })
    })

    it('may lead to each other for as long as a run needs', () => {
      const configs = [...shop.all('aws:lambda/functionRecursionConfig:FunctionRecursionConfig').values()]
      expect(configs).toHaveLength(shop.all(LAMBDA).size)
      expect(configs.every(({ recursiveLoop }) => recursiveLoop === 'Allow')).toBe(true)
    })
  })

  it('a doer is a Standard machine that asl-validator accepts and that calls deployed functions', () => {
    const machine = shop.one('aws:sfn/stateMachine:StateMachine', 'machine-customer_report')
    expect(machine).toMatchObject({ name: 'turnwise-test-customer_report', type: 'STANDARD' })
    const definition = String(machine.definition)
    expect(validate(JSON.parse(definition))).toMatchObject({ isValid: true, errors: [] })
    const called = definition.matchAll(/"FunctionName":"([^"]+)"/g)
    const deployed = [...shop.all(LAMBDA).values()].map(({ name }) => name)
    expect([...called].map(([, name]) => name).filter((name) => !deployed.includes(name))).toEqual([])
  })

  it('the table of runs is paid by request and finds open runs by when they are due', () => {
    expect(shop.one('aws:dynamodb/table:Table', 'RunsTable')).toMatchObject({
      name: 'turnwise-test-runs',
      billingMode: 'PAY_PER_REQUEST',
      hashKey: 'pk',
      rangeKey: 'sk',
      ttl: { attributeName: 'expiresAt', enabled: true },
      attributes: expect.arrayContaining([
        { name: 'openShard', type: 'S' },
        { name: 'lookAt', type: 'N' },
      ]),
      globalSecondaryIndexes: [
        {
          name: 'openRuns',
          hashKey: 'openShard',
          rangeKey: 'lookAt',
          projectionType: 'INCLUDE',
          nonKeyAttributes: ['kind', 'agent'],
        },
      ],
    })
  })

  describe('EventBridge sends to `resume`', () => {
    const TARGET = 'aws:cloudwatch/eventTarget:EventTarget'
    const RULE = 'aws:cloudwatch/eventRule:EventRule'
    const arn = 'arn:aws:lambda:us-east-1:123456789012:function:turnwise-test-resume'

    it('the sweep, each minute', () => {
      expect(shop.one(RULE, 'sweep')).toMatchObject({ scheduleExpression: 'rate(1 minute)' })
      expect(shop.one(TARGET, 'sweep-target')).toMatchObject({ arn, input: '{"kind":"sweep"}' })
    })

    it('the end of an execution that could not report it', () => {
      expect(JSON.parse(String(shop.one(RULE, 'ends').eventPattern))).toEqual({
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: {
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: [{ prefix: 'arn:aws:states:us-east-1:123456789012:stateMachine:turnwise-test-' }],
        },
      })
      expect(shop.one(TARGET, 'ends-target')).toMatchObject({ arn })
    })

    it('and each rule may invoke it', () => {
      const permissions = [...shop.all('aws:lambda/permission:Permission').values()]
      expect(permissions).toHaveLength(2)
      for (const permission of permissions)
        expect(permission).toMatchObject({
          action: 'lambda:InvokeFunction',
          function: 'turnwise-test-resume',
          principal: 'events.amazonaws.com',
        })
    })
  })

  it('the URL of the gateway is closed to who does not sign', () => {
    expect(shop.one('aws:lambda/functionUrl:FunctionUrl', 'gateway-url')).toMatchObject({
      functionName: 'turnwise-test-gateway',
      authorizationType: 'AWS_IAM',
    })
  })
})
