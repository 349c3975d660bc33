import type { Names } from './names.ts'
import { OPEN_RUNS_INDEX } from './rights.ts'

/** The table of runs, which is the truth. Items leave it some time after `expiresAt`. */
export function createRunsTable(names: Names) {
  return new sst.aws.Dynamo('Runs', {
    fields: { pk: 'string', sk: 'string', openShard: 'string', lookAt: 'number' },
    primaryIndex: { hashKey: 'pk', rangeKey: 'sk' },
    globalIndexes: {
      [OPEN_RUNS_INDEX]: { hashKey: 'openShard', rangeKey: 'lookAt', projection: ['kind', 'agent'] },
    },
    ttl: 'expiresAt',
    deletionProtection: $app.protect,
    transform: { table: { name: names.runsTable } },
  })
}
