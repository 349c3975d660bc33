/** Where AWS is. */
export interface Endpoints {
  readonly dynamoDb: string
  readonly lambda: string
  readonly stepFunctions: string
}

/** Names of the local deployment begin with this. */
export const LOCAL_PREFIX = 'turnwise-local'
export const RUNS_TABLE = 'turnwise-local-runs'
export const LOCAL_STATES_ARN = 'arn:aws:states:us-east-1:000000000000:'

/** What a client on the machine needs to talk to the stand-ins; they look at no signature. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' }

/** The environment of the project's functions: the deployed one but for its endpoints. */
export function createFunctionEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { dynamoDb, lambda, stepFunctions }: Endpoints,
  rehearsalUrl: string | undefined,
): Record<string, string> {
  const model: Record<string, string | undefined> =
    rehearsalUrl === undefined
      ? { OPENAI_BASE_URL: env.OPENAI_BASE_URL, OPENAI_API_KEY: env.OPENAI_API_KEY ?? 'none' }
      : { OPENAI_BASE_URL: rehearsalUrl, OPENAI_API_KEY: 'rehearsal' }
  const all: Record<string, string | undefined> = {
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb,
    AWS_ENDPOINT_URL_LAMBDA: lambda,
    AWS_ENDPOINT_URL_SFN: stepFunctions,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    TURNWISE_PREFIX: LOCAL_PREFIX,
    TURNWISE_TABLE: RUNS_TABLE,
    TURNWISE_STATES_ARN: LOCAL_STATES_ARN,
    ...model,
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
