import type { PlannedFunction } from '../src/compile/plan.ts'
import type { Names } from './names.ts'

/**
 * Tells each function what `src/doors/environment.ts` reads. Only turn functions, which ask models, get the
 * provider's key: `sst secret set OpenaiApiKey …`, and `OpenaiBaseUrl` for another provider than OpenAI.
 */
export function createEnvironment(names: Names) {
  const apiKey = new sst.Secret('OpenaiApiKey')
  const baseUrl = new sst.Secret('OpenaiBaseUrl', 'https://api.openai.com/v1')
  const common = {
    TURNWISE_TABLE: names.runsTable,
    TURNWISE_PREFIX: names.prefix,
    TURNWISE_STATES_ARN: names.statesArn,
  }
  return ({ door }: PlannedFunction) =>
    door === 'turn' ? { ...common, OPENAI_API_KEY: apiKey.value, OPENAI_BASE_URL: baseUrl.value } : common
}
