import * as z from 'zod'
import { answered, type Handler } from './handler.ts'
import { isReplicaName, type Tables } from './tables.ts'
import { errorOf, type Wire } from './wire.ts'

const tableInput = z.object({ TableName: z.string() })
const listOutput = z.object({ TableNames: z.array(z.string()) })

/** What concerns the copies of tables: a deleted table takes them with it, a changed one has them made anew, no list names them. */
export function createTableOperations(
  wire: Wire,
  tables: Tables,
): Readonly<Record<'DeleteTable' | 'UpdateTable' | 'ListTables', Handler>> {
  return {
    async DeleteTable(input) {
      const answer = await wire.send('DeleteTable', input)
      if (errorOf(answer) === undefined) await tables.drop(tableInput.parse(input).TableName)
      return answered(answer)
    },
    async UpdateTable(input) {
      const answer = await wire.send('UpdateTable', input)
      if (errorOf(answer) === undefined) tables.forget(tableInput.parse(input).TableName)
      return answered(answer)
    },
    async ListTables(input) {
      const answer = await wire.send('ListTables', input)
      if (errorOf(answer) !== undefined) return answered(answer)
      const TableNames = listOutput.parse(answer.body).TableNames.filter((name) => !isReplicaName(name))
      return answered({ ...answer, body: { ...answer.body, TableNames } })
    },
  }
}
