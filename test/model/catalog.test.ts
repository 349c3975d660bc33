import { describe, expect, it } from 'vitest'
import catalogFile from '../../catalog.json' with { type: 'json' }
import { DefinitionError } from '../../src/core/errors.ts'
import { GRADES } from '../../src/core/thinker.ts'
import { outputTokens, parseCatalog, pick } from '../../src/model/catalog.ts'

const catalog = parseCatalog(catalogFile)

describe('N15 N16 the model catalog', () => {
  it('has a model for every grade in the file of the project', () => {
    expect(GRADES.map((grade) => typeof pick(catalog, grade).model)).toEqual(GRADES.map(() => 'string'))
  })

  it('limits a reply by max_completion_tokens unless the entry says otherwise', () => {
    const file = {
      ...catalogFile,
      micro: { model: 'llama', contextTokens: 8_192, outputTokens: 2_048, maxTokensParameter: 'max_tokens' },
    }
    const { micro, small } = parseCatalog(file)
    expect([micro.maxTokensParameter, small.maxTokensParameter]).toEqual([
      'max_tokens',
      'max_completion_tokens',
    ])
  })

  it('refuses a file without a grade, and names the grade', () => {
    const { mega: _mega, ...rest } = catalogFile
    expect(() => parseCatalog(rest)).toThrow(DefinitionError)
    expect(() => parseCatalog(rest)).toThrow(/mega/)
  })

  it('refuses a misspelt field, and names it', () => {
    const file = { ...catalogFile, micro: { ...catalogFile.micro, contextToken: 1 } }
    expect(() => parseCatalog(file)).toThrow(/contextToken.*\n?.*micro/)
  })

  it('turns an output size into tokens, at most what the model can write', () => {
    const entry = { ...pick(catalog, 'micro'), outputTokens: 20_000 }
    const sizes = [
      'verdict',
      'compact',
      'standard',
      'extended',
      'max',
      { tokens: 300 },
      { tokens: 30_000 },
    ] as const
    expect(sizes.map((size) => outputTokens(size, entry))).toEqual([
      1_024, 4_096, 16_384, 20_000, 20_000, 300, 20_000,
    ])
  })
})
