import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

const columnRow = z.object({ name: z.string() })

/**
 * Gives a table of a database from before the columns that it lacks, each by name with its declaration:
 * `{ type: "TEXT NOT NULL DEFAULT 'STANDARD'" }`. Those that are there are left as they are. Answers whether any was lacking.
 */
export function addColumns(
  connection: DatabaseSync,
  table: string,
  columns: Readonly<Record<string, string>>,
): boolean {
  const rows = connection.prepare('SELECT name FROM pragma_table_info(?)').all(table)
  const present = new Set(rows.map((row) => columnRow.parse(row).name))
  const lacking = Object.entries(columns).filter(([name]) => !present.has(name))
  for (const [name, declaration] of lacking)
    connection.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${declaration}`)
  return lacking.length > 0
}
