/** The public surface: what definitions are written with. */
export { type Artifacts, type ListArtifact, listArtifact } from './core/artifact.ts'
export type { Callable, InputOf, ObjectSchema, OutputOf, Typed } from './core/callable.ts'
export type { Condition } from './core/condition.ts'
export { type Doer, type DoerDeclaration, doer } from './core/doer.ts'
export {
  DefinitionError,
  Denied,
  ExternalService,
  type Failure,
  type FailureName,
  Internal,
  Interrupted,
  InvalidInput,
  NotFound,
  Throttled,
  Timeout,
  TurnwiseError,
} from './core/errors.ts'
export {
  add,
  and,
  at,
  contains,
  divide,
  eq,
  gt,
  gte,
  isPresent,
  isTrue,
  lt,
  lte,
  multiply,
  not,
  or,
  orElse,
  size,
  subtract,
  text,
} from './core/operations.ts'
export type { Group, Plan, Settled, StepOptions } from './core/plan.ts'
export type { Arg, Ref, RefTo, Resolved } from './core/reference.ts'
export { type CallOutcome, type Resource, type ResourceScope, resource } from './core/resource.ts'
export {
  type Grade,
  type OutputSize,
  type Thinker,
  type ThinkerDeclaration,
  thinker,
} from './core/thinker.ts'
export { type Caller, type Tool, type ToolContext, type ToolDeclaration, tool } from './core/tool.ts'
