/** Step Functions: input or output of a state, task or execution ≤ 256 KiB as UTF-8. */
export const MAXIMUM_PAYLOAD_BYTES = 262_144
/** Step Functions: all variables of an execution ≤ 10 MiB. A single one, and all of one Assign, ≤ 256 KiB. */
export const MAXIMUM_VARIABLES_BYTES = 10_485_760
/** Step Functions: a Standard execution has at most 25,000 events, the one that ends it included. */
export const MAXIMUM_HISTORY_EVENTS = 25_000
/** Step Functions: a definition ≤ 1 MB. */
export const MAXIMUM_DEFINITION_BYTES = 1_048_576
/** Step Functions: an inline Map runs at most 40 iterations at once, whatever its MaxConcurrency. */
export const MAXIMUM_INLINE_CONCURRENCY = 40
/** Step Functions: a distributed Map runs at most 10,000 executions at once. */
export const MAXIMUM_DISTRIBUTED_CONCURRENCY = 10_000
/** Step Functions: an express execution runs for at most 5 minutes. */
export const MAXIMUM_EXPRESS_SECONDS = 300
/** Step Functions: a failed execution can be redriven for 14 days. */
export const REDRIVABLE_MS = 14 * 86_400_000
/** Step Functions: names of machines, executions and states have at most 80 characters. */
export const MAXIMUM_NAME_LENGTH = 80
/** Step Functions: GetExecutionHistory and the lists give at most 1,000 a page, and 100 unless asked. */
export const MAXIMUM_PAGE_SIZE = 1_000
export const DEFAULT_PAGE_SIZE = 100
