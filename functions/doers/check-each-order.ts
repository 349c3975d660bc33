import { fanOut } from 'turnwise/builtin'
import { Order } from '../resources/orders-table.ts'
import { orderChecker } from '../thinkers/order-checker.ts'

/** Fan-out: each order of a list to a fresh run of whichever worker is named. */
export const checkEachOrder = fanOut({
  name: 'check_each_order',
  description: 'Has each order of a list checked',
  item: Order,
  workers: [orderChecker],
  concurrency: 10,
})
