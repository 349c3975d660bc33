import {
  CreateStateMachineCommand,
  InvalidArn,
  ListTagsForResourceCommand,
  ResourceNotFound,
  type Tag,
  TagResourceCommand,
  TooManyTags,
  UntagResourceCommand,
  ValidationException,
} from '@aws-sdk/client-sfn'
import { expect, it } from 'vitest'
import { ROLE_ARN, type Stage, setStage } from './stage.ts'

const definition = JSON.stringify({ StartAt: 'a', States: { a: { Type: 'Succeed' } } })
const create = async ({ client }: Stage, tags: Tag[]) => {
  const command = new CreateStateMachineCommand({
    name: 'm',
    definition,
    roleArn: ROLE_ARN,
    tags,
    publish: true,
  })
  return (await client.send(command)).stateMachineArn ?? ''
}
const tag = ({ client }: Stage, resourceArn: string, tags: Tag[]) =>
  client.send(new TagResourceCommand({ resourceArn, tags }))
const untag = ({ client }: Stage, resourceArn: string, tagKeys: string[]) =>
  client.send(new UntagResourceCommand({ resourceArn, tagKeys }))
const list = async ({ client }: Stage, resourceArn: string) =>
  (await client.send(new ListTagsForResourceCommand({ resourceArn }))).tags

it('keeps the tags of a machine from its creation on, one value for a key', async () => {
  await using stage = await setStage()
  const arn = await create(stage, [{ key: 'team', value: 'orders' }])
  await tag(stage, arn, [
    { key: 'team', value: 'returns' },
    { key: 'stage', value: '' },
  ])
  expect(await list(stage, arn)).toEqual([
    { key: 'stage', value: '' },
    { key: 'team', value: 'returns' },
  ])
  await untag(stage, arn, ['team', 'absent'])
  expect(await list(stage, arn)).toEqual([{ key: 'stage', value: '' }])
})

it('refuses more than 50 tags, and what no tag may be', async () => {
  await using stage = await setStage()
  const tags = Array.from({ length: 51 }, (_, index) => ({ key: `key-${index}`, value: 'a' }))
  await expect(create(stage, tags)).rejects.toThrow(TooManyTags)
  const arn = await create(stage, tags.slice(0, 49))
  await tag(stage, arn, tags.slice(48, 50))
  await expect(tag(stage, arn, tags.slice(50))).rejects.toThrow(TooManyTags)
  expect((await list(stage, arn))?.length).toBe(50)
  for (const key of ['', 'a'.repeat(129), 'a?'])
    await expect(tag(stage, arn, [{ key, value: 'a' }])).rejects.toThrow(ValidationException)
})

it('has tags for machines alone', async () => {
  await using stage = await setStage()
  const arn = await create(stage, [])
  for (const other of [`${arn}:1`, `${arn}-x`]) {
    await expect(tag(stage, other, [])).rejects.toThrow(ResourceNotFound)
    await expect(list(stage, other)).rejects.toThrow(`Resource not found: '${other}'`)
  }
  await expect(untag(stage, 'm', [])).rejects.toThrow(InvalidArn)
})
