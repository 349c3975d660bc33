import type { CallOutcome, Resource, ResourceScope, Resources } from '../core/resource.ts'

export interface HeldResources {
  /** An opener per resource; the first use opens it, and all uses of one call get the same value. */
  readonly openers: Readonly<Record<string, () => Promise<unknown>>>
  /** Closes what was opened, last opened first, each told how the call ended. Throws the first error after all were tried. */
  release(outcome: CallOutcome): Promise<void>
}

/** Resources for one call: opened at first use, never before, and never shared with another call. */
export function holdResources(resources: Resources, scope: ResourceScope): HeldResources {
  let isOver = false
  const opened: { readonly resource: Resource<unknown>; readonly value: Promise<unknown> }[] = []

  const openerOf = (resource: Resource<unknown>) => {
    let value: Promise<unknown> | undefined
    return () => {
      if (value === undefined) {
        // Code that goes on after its call has ended would open what nobody closes.
        if (isOver)
          return Promise.reject(new Error(`The call is over, so ${resource.name} is not opened any more`))
        value = Promise.resolve().then(() => resource.open(scope))
        // The code may look at it later: until then a failure is not unhandled, which would end the process.
        value.catch(() => undefined)
        opened.push({ resource, value })
      }
      return value
    }
  }

  return {
    openers: Object.fromEntries(
      Object.entries(resources).map(([key, resource]) => [key, openerOf(resource)]),
    ),
    async release(outcome) {
      isOver = true
      const errors: unknown[] = []
      for (const { resource, value } of opened.toReversed()) {
        // What never opened has nothing to close; its error has reached the code that asked for it.
        const held = await value.then(
          (open) => ({ open }),
          () => undefined,
        )
        if (!held) continue
        try {
          await resource.close?.(held.open, outcome)
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
    },
  }
}
