import { describe, expect, it } from 'vitest'
import { itemSizeBytes } from '../../../../src/local/dynamodb/faults/item-size.ts'

describe('the size of an item', () => {
  it.each([
    ['text, by its bytes in UTF-8', { name: { S: 'Zoë' } }, 4 + 4],
    ['a name that is not ASCII', { größe: { S: '' } }, 7],
    ['a number, by two digits a byte', { n: { N: '12345' } }, 1 + 3 + 1],
    ['a number without the zeroes around it', { n: { N: '-0012300' } }, 1 + 2 + 1],
    ['a fraction', { n: { N: '0.00120' } }, 1 + 1 + 1],
    ['a number with an exponent', { n: { N: '1.5E+20' } }, 1 + 1 + 1],
    ['zero', { n: { N: '0' } }, 1 + 1],
    ['bytes, without their base64', { b: { B: 'AQIDBA==' } }, 1 + 4],
    ['a flag', { f: { BOOL: false } }, 1 + 1],
    ['null', { z: { NULL: true } }, 1 + 1],
    ['sets', { s: { SS: ['ab', 'c'] }, n: { NS: ['1', '22'] }, b: { BS: ['AQID'] } }, 1 + 3 + 1 + 4 + 1 + 3],
    ['an empty list or map', { l: { L: [] }, m: { M: {} } }, 1 + 3 + 1 + 3],
    [
      'a list, with a byte for each member',
      { l: { L: [{ S: 'ab' }, { BOOL: true }] } },
      1 + 3 + 1 + 2 + 1 + 1,
    ],
    ['a map, with a byte for each member and the names', { m: { M: { ab: { S: 'c' } } } }, 1 + 3 + 1 + 2 + 1],
  ])('counts %s', (_, item, sizeBytes) => {
    expect(itemSizeBytes(item)).toBe(sizeBytes)
  })
})
