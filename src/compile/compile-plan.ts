import type { Definition } from '../core/definition.ts'
import type { Doer } from '../core/doer.ts'
import { codeSeconds, RECORDING_SECONDS } from '../core/doer-plan.ts'
import { DefinitionError } from '../core/errors.ts'
import type { Registry } from '../core/registry.ts'
import type { Thinker } from '../core/thinker.ts'
import type { Tool } from '../core/tool.ts'
import type { Place, Plan, PlannedFunction, PlannedMachine } from './plan.ts'
import { figuresOf } from './proof/figures.ts'
import { proveDoer } from './proof/prove-doer.ts'
import {
  doerFunctionId,
  GATEWAY_ID,
  hasFunction,
  LISTS_ID,
  mapsOverArtifacts,
  RESCUE_ID,
  RESUME_ID,
  reachOfDoer,
  reachOfGateway,
  reachOfMachine,
  reachOfResume,
  reachOfTool,
  reachOfTurn,
} from './reach.ts'

/** Lambda's longest: a turn waits for its model. */
const TURN_TIMEOUT_SECONDS = 900
const RESUME_TIMEOUT_SECONDS = 60
/** API Gateway gives up after 30 s. */
const GATEWAY_TIMEOUT_SECONDS = 29
/** A plain turn peaks at about 135 MB. */
const OWN_MEMORY_MB = 256
/**
 * A tool's call that could not start within this is dispatched anew or given up, so it must not start later.
 */
const TOOL_EVENT_AGE_SECONDS = 300
/** Lambda's longest. */
const LONGEST_EVENT_AGE_SECONDS = 21_600

/** By the definition's name, where it is written. */
export type Places = ReadonlyMap<string, Place>

/**
 * The deployment plan: one function per tool and thinker, one machine per doer and a function where it needs one, the gateway, `resume` and `rescue`.
 * Same registry, same bytes. Throws `DefinitionError`.
 */
export function compilePlan(registry: Registry, places: Places): Plan {
  const functions = [gatewayFunction(registry), resumeFunction(registry), rescueFunction(registry)]
  const machines: PlannedMachine[] = []
  for (const { definition } of registry.all)
    switch (definition.kind) {
      case 'tool':
        functions.push(toolFunction(definition, placeOf(definition, places), registry))
        break
      case 'thinker':
        functions.push(turnFunction(definition, placeOf(definition, places)))
        break
      case 'doer':
        machines.push(doerMachine(definition))
        if (hasFunction(definition, registry))
          functions.push(doerFunction(definition, placeOf(definition, places)))
    }
  if (registry.all.some(({ definition }) => definition.kind === 'doer' && mapsOverArtifacts(definition)))
    functions.push(listsFunction())
  functions.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { version: 1, functions, machines }
}

function doerMachine(doer: Doer): PlannedMachine {
  const proof = proveDoer(doer)
  const { invokes } = reachOfMachine(doer)
  return {
    id: doer.name,
    definition: proof.machine,
    invokes,
    startsItself: proof.split.size > 0,
    worst: figuresOf(doer, proof),
  }
}

function placeOf({ kind, name }: Definition, places: Places): Place {
  const place = places.get(name)
  if (place === undefined) throw new DefinitionError(`${kind} "${name}": no file is known that exports it`)
  return place
}

function toolFunction(tool: Tool, definition: Place, registry: Registry): PlannedFunction {
  const id = `tool-${tool.name}`
  return {
    id,
    door: 'tool',
    definition,
    entry: entryOf(id),
    timeoutSeconds: tool.timeoutSeconds + RECORDING_SECONDS,
    memoryMb: tool.memoryMb,
    asynchronous: { retries: 0, maximumEventAgeSeconds: TOOL_EVENT_AGE_SECONDS, onFailure: RESUME_ID },
    ...reachOfTool(tool, registry),
  }
}

function turnFunction(thinker: Thinker, definition: Place): PlannedFunction {
  const id = `turn-${thinker.name}`
  return {
    id,
    door: 'turn',
    definition,
    entry: entryOf(id),
    timeoutSeconds: TURN_TIMEOUT_SECONDS,
    memoryMb: OWN_MEMORY_MB,
    asynchronous: { retries: 0, maximumEventAgeSeconds: LONGEST_EVENT_AGE_SECONDS, onFailure: RESUME_ID },
    ...reachOfTurn(thinker),
  }
}

/** Makes runs in moments; its code may take longer. */
function doerFunction(doer: Doer, definition: Place): PlannedFunction {
  const id = doerFunctionId(doer.name)
  return {
    id,
    door: 'doer',
    definition,
    entry: entryOf(id),
    timeoutSeconds: codeSeconds(doer.plan),
    memoryMb: OWN_MEMORY_MB,
    asynchronous: { retries: 0, maximumEventAgeSeconds: LONGEST_EVENT_AGE_SECONDS, onFailure: RESUME_ID },
    ...reachOfDoer(doer),
  }
}

function listsFunction(): PlannedFunction {
  return {
    id: LISTS_ID,
    door: 'lists',
    entry: entryOf(LISTS_ID),
    timeoutSeconds: RESUME_TIMEOUT_SECONDS,
    memoryMb: OWN_MEMORY_MB,
    // Only ever asked by machines, which wait.
    asynchronous: { retries: 0, maximumEventAgeSeconds: LONGEST_EVENT_AGE_SECONDS },
    invokes: [],
    starts: [],
  }
}

function gatewayFunction(registry: Registry): PlannedFunction {
  return {
    id: GATEWAY_ID,
    door: 'gateway',
    entry: entryOf(GATEWAY_ID),
    timeoutSeconds: GATEWAY_TIMEOUT_SECONDS,
    memoryMb: OWN_MEMORY_MB,
    asynchronous: { retries: 0, maximumEventAgeSeconds: LONGEST_EVENT_AGE_SECONDS },
    ...reachOfGateway(registry),
  }
}

function resumeFunction(registry: Registry): PlannedFunction {
  return {
    ...endFunction(RESUME_ID, registry),
    asynchronous: { retries: 0, maximumEventAgeSeconds: LONGEST_EVENT_AGE_SECONDS, onFailure: RESCUE_ID },
  }
}

/** Does what `resume` died over. Lambda's own retries come after one and two minutes, too late for most. */
function rescueFunction(registry: Registry): PlannedFunction {
  return {
    ...endFunction(RESCUE_ID, registry),
    asynchronous: { retries: 2, maximumEventAgeSeconds: LONGEST_EVENT_AGE_SECONDS },
  }
}

function endFunction(id: string, registry: Registry): Omit<PlannedFunction, 'asynchronous'> {
  return {
    id,
    door: 'resume',
    entry: entryOf(id),
    timeoutSeconds: RESUME_TIMEOUT_SECONDS,
    memoryMb: OWN_MEMORY_MB,
    ...reachOfResume(registry),
  }
}

function entryOf(id: string): string {
  return `.turnwise/entries/${id}.ts`
}
