import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { OPEN_RUNS_INDEX } from '../../store/dynamo-table.ts'
import { LOCAL_CREDENTIALS, RUNS_TABLE } from './environment.ts'

/** Makes the table of runs unless it is there, with the keys and the index that the deployment gives it. */
export async function createRunsTable(endpoint: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: LOCAL_CREDENTIALS })
  try {
    await client.send(
      new CreateTableCommand({
        TableName: RUNS_TABLE,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
          { AttributeName: 'openShard', AttributeType: 'S' },
          { AttributeName: 'lookAt', AttributeType: 'N' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: OPEN_RUNS_INDEX,
            KeySchema: [
              { AttributeName: 'openShard', KeyType: 'HASH' },
              { AttributeName: 'lookAt', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['kind', 'agent'] },
          },
        ],
      }),
    )
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: RUNS_TABLE })
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
  } finally {
    client.destroy()
  }
}
