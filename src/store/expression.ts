import type { Attribute, Change, Condition } from './table.ts'

/** Turns conditions and changes into DynamoDB's expressions, with a placeholder for every name and value (reserved words are many). */
export function createExpression() {
  const placeholderOf = new Map<string, string>()
  const valueAt = new Map<string, Attribute>()

  const name = (attribute: string): string => {
    const placeholder = placeholderOf.get(attribute) ?? `#${placeholderOf.size}`
    placeholderOf.set(attribute, placeholder)
    return placeholder
  }
  const value = (attribute: Attribute): string => {
    const placeholder = `:${valueAt.size}`
    valueAt.set(placeholder, attribute)
    return placeholder
  }

  const condition = (wanted: Condition): string => {
    switch (wanted.kind) {
      case 'absent':
        return `attribute_not_exists(${name(wanted.name)})`
      case 'present':
        return `attribute_exists(${name(wanted.name)})`
      case 'equals':
        return `${name(wanted.name)} = ${value(wanted.value)}`
      case 'at-most':
        return `${name(wanted.name)} <= ${value(wanted.value)}`
      case 'members':
        return `size(${name(wanted.name)}) = ${value(wanted.count)}`
      case 'all':
        return `(${wanted.of.map(condition).join(' AND ')})`
      case 'any':
        return `(${wanted.of.map(condition).join(' OR ')})`
    }
  }

  const change = ({ set = {}, add = {}, take = {}, remove = [] }: Change): string => {
    const ofSets = (changes: NonNullable<Change['add']>) =>
      Object.entries(changes).map(([key, members]) => `${name(key)} ${value(members)}`)
    const clauses: [string, string[]][] = [
      ['SET', Object.entries(set).map(([key, attribute]) => `${name(key)} = ${value(attribute)}`)],
      ['ADD', ofSets(add)],
      ['DELETE', ofSets(take)],
      ['REMOVE', remove.map(name)],
    ]
    return clauses
      .filter(([, parts]) => parts.length > 0)
      .map(([verb, parts]) => `${verb} ${parts.join(', ')}`)
      .join(' ')
  }

  return {
    condition,
    change,
    names: (): Record<string, string> =>
      Object.fromEntries([...placeholderOf].map(([key, placeholder]) => [placeholder, key])),
    values: (): Record<string, Attribute> => Object.fromEntries(valueAt),
  }
}
