import * as z from 'zod'
import { ApiError } from '../errors.ts'
import { requireArn } from '../names.ts'
import type { MachineStore } from '../store/machine-store.ts'
import type { Tag } from '../store/tag-store.ts'
import { type Operation, operation } from './operation.ts'

/** Step Functions: a resource has at most 50 tags. */
const MAXIMUM_TAGS = 50

const TAG_TEXT = /^[\p{L}\p{N}\p{Z}_.:/=+\-@]*$/u
const TAG_RULE = 'may only have Unicode letters, digits, white space and _ . : / = + - @'

/** Step Functions: keys of 1 to 128 characters, values of 0 to 256. */
export const tagList = z.array(
  z.object({
    key: z.string().min(1).max(128).regex(TAG_TEXT, TAG_RULE),
    value: z.string().max(256).regex(TAG_TEXT, TAG_RULE).default(''),
  }),
)

/** Throws `TooManyTags` unless the tags, those that are there and those that come, are at most 50 by key. */
export function checkTagCount(arn: string, present: readonly Tag[], added: readonly Tag[]): void {
  const count = new Set([...present, ...added].map(({ key }) => key)).size
  if (count > MAXIMUM_TAGS)
    throw new ApiError(
      'TooManyTags',
      `Too Many Tags: '${arn}' would have ${count}; ${MAXIMUM_TAGS} are allowed`,
    )
}

/** Tag, untag and list the tags of machines; versions and aliases have none. They change nothing here. */
export function createTagOperations({
  machines,
}: {
  readonly machines: MachineStore
}): Record<string, Operation> {
  const { tags } = machines
  return {
    TagResource: operation(z.object({ resourceArn: z.string(), tags: tagList }), (request) => {
      const arn = requireTaggable(request.resourceArn)
      checkTagCount(arn, tags.list(arn), request.tags)
      for (const tag of request.tags) tags.save(arn, tag)
      return {}
    }),
    UntagResource: operation(
      z.object({ resourceArn: z.string(), tagKeys: z.array(z.string().min(1).max(128)) }),
      ({ resourceArn, tagKeys }) => {
        const arn = requireTaggable(resourceArn)
        for (const key of tagKeys) tags.remove(arn, key)
        return {}
      },
    ),
    ListTagsForResource: operation(z.object({ resourceArn: z.string() }), ({ resourceArn }) => ({
      tags: tags.list(requireTaggable(resourceArn)),
    })),
  }

  function requireTaggable(arn: string): string {
    requireArn(arn, 'stateMachine')
    if (machines.find(arn) === undefined)
      throw new ApiError('ResourceNotFound', `Resource not found: '${arn}'`)
    return arn
  }
}
