import type { Mocks } from './platform.ts'

/** One resource that `sst deploy` would make; components, which only group others, are left out. */
export interface RecordedResource {
  /** `aws:lambda/function:Function` */
  readonly type: string
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
}

const REGION = 'us-east-1'
const ACCOUNT = '123456789012'

/** Stands in for Pulumi's engine and AWS: notes every resource and makes up what AWS would answer. */
export function recordResources(): { readonly mocks: Mocks; readonly resources: RecordedResource[] } {
  const resources: RecordedResource[] = []
  const mocks: Mocks = {
    newResource({ type, name, inputs, custom }) {
      if (custom === false || type === 'pulumi:pulumi:Stack') return { id: '', state: { ...inputs } }
      resources.push({ type, name, inputs: plain(inputs) })
      const physicalName = typeof inputs.name === 'string' ? inputs.name : name
      return { id: physicalName, state: { ...inputs, name: physicalName, ...outputsOf(type, physicalName) } }
    },
    call({ token, inputs }) {
      switch (token) {
        case 'aws:index/getPartition:getPartition':
          return { id: 'aws', partition: 'aws' }
        case 'aws:index/getRegion:getRegion':
          return { id: REGION, region: REGION, name: REGION }
        case 'aws:index/getCallerIdentity:getCallerIdentity':
          return { id: ACCOUNT, accountId: ACCOUNT }
        case 'aws:iam/getPolicyDocument:getPolicyDocument':
          return { ...inputs, id: 'document', json: JSON.stringify(inputs) }
        default:
          throw new Error(`The deployment asks AWS for ${token}, which the mocks do not know`)
      }
    },
  }
  return { mocks, resources }
}

function outputsOf(type: string, name: string): Record<string, unknown> {
  const arn = (service: string, rest: string) => ({ arn: `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}` })
  switch (type) {
    case 'aws:lambda/function:Function':
      return arn('lambda', `function:${name}`)
    case 'aws:lambda/functionUrl:FunctionUrl':
      return { functionUrl: `https://${name}.lambda-url.${REGION}.on.aws/` }
    case 'aws:sfn/stateMachine:StateMachine':
      return arn('states', `stateMachine:${name}`)
    case 'aws:dynamodb/table:Table':
      return arn('dynamodb', `table/${name}`)
    case 'aws:cloudwatch/eventRule:EventRule':
      return arn('events', `rule/${name}`)
    case 'aws:cloudwatch/logGroup:LogGroup':
      return arn('logs', `log-group:${name}`)
    case 'aws:iam/role:Role':
      return { arn: `arn:aws:iam::${ACCOUNT}:role/${name}` }
    case 'aws:iam/policy:Policy':
      return { arn: `arn:aws:iam::${ACCOUNT}:policy/${name}` }
    case 'random:index/randomBytes:RandomBytes':
      return { base64: Buffer.alloc(32, 7).toString('base64') }
    default:
      return {}
  }
}

/** Pulumi marks a secret on its way as an object with this key; the value is under `value`. */
const SECRET_MARK = '4dabf18193072939515e22adb298388d'

/** Without marks of secrets and without Pulumi's assets, which are files. */
function plain(inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(inputs, (_, value: unknown) => {
      if (typeof value !== 'object' || value === null) return value
      if (SECRET_MARK in value && 'value' in value) return value.value
      return '__pulumiAsset' in value || '__pulumiArchive' in value ? undefined : value
    }),
  )
}
