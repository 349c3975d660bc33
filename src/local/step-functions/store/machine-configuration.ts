import * as z from 'zod'

/** Where and how much is logged. `level` is OFF and `includeExecutionData` false unless given. */
export const loggingConfiguration = z.object({
  level: z.enum(['ALL', 'ERROR', 'FATAL', 'OFF']).default('OFF'),
  includeExecutionData: z.boolean().default(false),
  destinations: z
    .array(
      z.object({
        cloudWatchLogsLogGroup: z.object({ logGroupArn: z.string().max(256).optional() }).optional(),
      }),
    )
    .optional(),
})

/** Whether X-Ray traces; false unless given. */
export const tracingConfiguration = z.object({ enabled: z.boolean().default(false) })

/** The key of what is stored. Step Functions: a data key is reused for 60 to 900 s. */
export const encryptionConfiguration = z.object({
  type: z.enum(['AWS_OWNED_KEY', 'CUSTOMER_MANAGED_KMS_KEY']),
  kmsKeyId: z.string().min(1).max(2_048).optional(),
  kmsDataKeyReusePeriodSeconds: z.int().min(60).max(900).optional(),
})

/**
 * What a machine or version carries beside its definition and role. It is kept, compared and described, and changes nothing else: the
 * stand-in writes no logs and no traces, and encrypts nothing.
 */
export const machineConfiguration = z.object({
  loggingConfiguration: loggingConfiguration.prefault({}),
  tracingConfiguration: tracingConfiguration.prefault({}),
  encryptionConfiguration: encryptionConfiguration.prefault({ type: 'AWS_OWNED_KEY' }),
})
export type MachineConfiguration = z.output<typeof machineConfiguration>

/** A column that holds one as JSON text; `{}` is the default one. */
export const configurationColumn = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(machineConfiguration)
