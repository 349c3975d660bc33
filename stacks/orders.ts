import type { PlannedFunction } from '../src/compile/plan.ts'
import type { Names } from './names.ts'
import type { Statement } from './rights.ts'

/** What the example's own tools need beside the runtime; nothing for a function that uses no orders. */
export interface Orders {
  environmentOf(planned: PlannedFunction): Readonly<Record<string, string>>
  rightsOf(planned: PlannedFunction): readonly Statement[]
}

/** The example's table of orders, which is deployed empty, and what each tool may do to it. */
export function createOrders(names: Names): Orders {
  new sst.aws.Dynamo('Orders', {
    fields: { orderNumber: 'string', customerId: 'string' },
    primaryIndex: { hashKey: 'orderNumber' },
    globalIndexes: { byCustomer: { hashKey: 'customerId', rangeKey: 'orderNumber' } },
    deletionProtection: $app.protect,
    transform: { table: { name: names.ordersTable } },
  })
  const table = names.tableArn(names.ordersTable)
  const rights = new Map<string, Statement>([
    ['tool-order_status', { actions: ['dynamodb:GetItem'], resources: [table] }],
    ['tool-list_orders', { actions: ['dynamodb:Query'], resources: [`${table}/index/byCustomer`] }],
    ['tool-refund_order', { actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'], resources: [table] }],
  ])
  return {
    environmentOf: ({ id }): Readonly<Record<string, string>> =>
      rights.has(id) ? { ORDERS_TABLE: names.ordersTable } : {},
    rightsOf({ id }) {
      const own = rights.get(id)
      return own === undefined ? [] : [own]
    },
  }
}
