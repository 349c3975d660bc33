import type { GlobalIndex, TableSchema } from './table-schema.ts'
import type { Answer } from './wire.ts'

const TABLE_ON_DEMAND =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html'
const INDEX_ON_DEMAND =
  'Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please try again shortly.'
const TABLE_PROVISIONED =
  'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.'
const INDEX_PROVISIONED =
  'The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API.'

/**
 * DynamoDB's refusal of what a partition cannot give: `ThrottlingException` where the table is on-demand, else
 * `ProvisionedThroughputExceededException`; the two spell their list of reasons differently. Sources: "Error handling with
 * DynamoDB" and "Key range throughput exceeded" in the Developer Guide, ThrottlingReason and CancellationReason in the API Reference.
 */
export function throttledAnswer(
  schema: TableSchema,
  index: GlobalIndex | undefined,
  operation: 'Read' | 'Write',
): Answer {
  const reason = `${index ? 'Index' : 'Table'}${operation}KeyRangeThroughputExceeded`
  const reasons = [{ reason, resource: index?.arn ?? schema.arn }]
  if (schema.onDemand)
    return refusal('ThrottlingException', {
      message: index ? INDEX_ON_DEMAND : TABLE_ON_DEMAND,
      throttlingReasons: reasons,
    })
  return refusal('ProvisionedThroughputExceededException', {
    message: index ? INDEX_PROVISIONED : TABLE_PROVISIONED,
    ThrottlingReasons: reasons,
  })
}

const refusal = (name: string, body: object): Answer => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, ...body },
})
