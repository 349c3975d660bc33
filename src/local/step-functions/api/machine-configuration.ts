import { ApiError } from '../errors.ts'
import {
  encryptionConfiguration,
  loggingConfiguration,
  type MachineConfiguration,
  tracingConfiguration,
} from '../store/machine-configuration.ts'

/** The configurations as members of a request to create or update a machine. */
export const configurationRequest = {
  loggingConfiguration: loggingConfiguration.optional(),
  tracingConfiguration: tracingConfiguration.optional(),
  encryptionConfiguration: encryptionConfiguration.optional(),
}

type ConfigurationRequest = {
  readonly [Name in keyof MachineConfiguration]?: MachineConfiguration[Name] | undefined
}

/**
 * The configuration after a request: what it gives replaces what was there, each member as a whole. Throws `InvalidLoggingConfiguration`
 * or `InvalidEncryptionConfiguration`.
 */
export function changeConfiguration(
  before: MachineConfiguration,
  request: ConfigurationRequest,
): MachineConfiguration {
  const after = {
    loggingConfiguration: request.loggingConfiguration ?? before.loggingConfiguration,
    tracingConfiguration: request.tracingConfiguration ?? before.tracingConfiguration,
    encryptionConfiguration: request.encryptionConfiguration ?? before.encryptionConfiguration,
  }
  checkLogging(after.loggingConfiguration)
  checkEncryption(after.encryptionConfiguration)
  return after
}

/** Step Functions: one destination, a log group; none is needed at level OFF. */
function checkLogging({ level, destinations = [] }: MachineConfiguration['loggingConfiguration']): void {
  const isMissing = level !== 'OFF' && destinations.length === 0
  const isNoGroup = destinations.some((one) => one.cloudWatchLogsLogGroup?.logGroupArn === undefined)
  if (isMissing || isNoGroup || destinations.length > 1)
    throw new ApiError(
      'InvalidLoggingConfiguration',
      'Invalid Logging Configuration: Must specify exactly one Log Destination.',
    )
}

function checkEncryption({ type, kmsKeyId }: MachineConfiguration['encryptionConfiguration']): void {
  if ((type === 'CUSTOMER_MANAGED_KMS_KEY') !== (kmsKeyId !== undefined))
    throw new ApiError(
      'InvalidEncryptionConfiguration',
      'Invalid Encryption Configuration: kmsKeyId must be given with CUSTOMER_MANAGED_KMS_KEY, and only with it',
    )
}
