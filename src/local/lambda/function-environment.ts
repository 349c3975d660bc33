import { LOCAL_REGION } from './function-name.ts'
import type { LocalFunction } from './local-function.ts'

/**
 * The environment of a process of this version of the function: what Lambda sets, then the given variables. Of the stand-in's own it sees
 * PATH and where the other services are (`AWS_ENDPOINT_URL_*`), so that code which needs more fails here, not first
 * in AWS. The time zone is UTC, as it is there.
 */
export function functionEnvironment(
  definition: LocalFunction,
  version: string,
  hostEnvironment: NodeJS.ProcessEnv,
  given: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  return {
    ...visible(hostEnvironment),
    TZ: 'UTC',
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb),
    AWS_LAMBDA_FUNCTION_VERSION: version,
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    ...given,
    ...definition.environment,
  }
}

function visible(hostEnvironment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(hostEnvironment).filter(
      ([name]) => name === 'PATH' || name.startsWith('AWS_ENDPOINT_URL_'),
    ),
  )
}
