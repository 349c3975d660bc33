import * as z from 'zod'
import { isReplicaName } from './tables.ts'
import { createWire } from './wire.ts'

const listOutput = z.object({
  TableNames: z.array(z.string()),
  LastEvaluatedTableName: z.string().optional(),
})

/** Deletes the copies that a killed proxy has left in a DynamoDB that is from now on used without one. */
export async function dropReplicas(url: string): Promise<void> {
  const wire = createWire(url)
  try {
    let after: string | undefined
    do {
      const { body } = await wire.send('ListTables', { ExclusiveStartTableName: after })
      const { TableNames, LastEvaluatedTableName } = listOutput.parse(body)
      for (const TableName of TableNames.filter(isReplicaName)) await wire.send('DeleteTable', { TableName })
      after = LastEvaluatedTableName
    } while (after !== undefined)
  } finally {
    await wire.close()
  }
}
