import * as z from 'zod'
import { ApiError } from '../errors.ts'
import { parseMachineArn } from '../names.ts'
import type { ExecutionStore } from '../store/execution-store.ts'
import type { MachineStore } from '../store/machine-store.ts'
import { summarise } from './execution-summary.ts'
import { type Operation, operation } from './operation.ts'
import { pageRequest, readPage } from './pages.ts'
import { requireMachine } from './require-machine.ts'

/** ListExecutions of a machine, or of those that a version or alias started; newest first. Lists of Map Runs are not there. */
export function createListExecutionsOperation(
  machines: MachineStore,
  executions: ExecutionStore,
): Record<string, Operation> {
  return {
    ListExecutions: operation(
      z.object({
        stateMachineArn: z.string('this stand-in lists executions by stateMachineArn alone'),
        statusFilter: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']).optional(),
        redriveFilter: z.enum(['REDRIVEN', 'NOT_REDRIVEN']).optional(),
        ...pageRequest,
      }),
      (request) => {
        const { stateMachineArn, statusFilter, redriveFilter } = request
        const reference = parseMachineArn(stateMachineArn)
        const { type } = requireMachine(machines, reference.machineArn)
        if (type === 'EXPRESS')
          throw new ApiError(
            'StateMachineTypeNotSupported',
            'This operation is not supported by this type of state machine',
          )
        const filter = {
          machineArn: reference.machineArn,
          ...(reference.kind === 'version' ? { versionArn: stateMachineArn } : {}),
          ...(reference.kind === 'alias' ? { aliasArn: stateMachineArn } : {}),
          ...(statusFilter === undefined ? {} : { status: statusFilter }),
          ...(redriveFilter === undefined ? {} : { isRedriven: redriveFilter === 'REDRIVEN' }),
        }
        const { items, next } = readPage(
          stateMachineArn,
          request,
          (afterKey, limit) =>
            executions.list(
              filter,
              afterKey === undefined ? Number.MAX_SAFE_INTEGER : Number(afterKey),
              limit,
            ),
          ({ id }) => String(id),
        )
        return { executions: items.map(summarise), ...next }
      },
    ),
  }
}
