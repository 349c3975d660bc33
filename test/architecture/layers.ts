import type { Import, ImportsByFile } from './read-imports.ts'

/**
 * A folder, the folders that it may import from, and the packages: `node:` stands for all of Node's modules,
 * `*` for any package.
 */
export interface Layer {
  readonly folder: string
  readonly folders: readonly string[]
  readonly packages: readonly string[]
}

const DYNAMODB = '@aws-sdk/client-dynamodb'
const SDK = [DYNAMODB, '@aws-sdk/client-lambda', '@aws-sdk/client-sfn', '@smithy/node-http-handler']
const BELOW_RUNTIME = ['src/core', 'src/compile', 'src/store', 'src/model']
const BELOW_DOORS = [...BELOW_RUNTIME, 'src/runtime', 'src/gateway']

/**
 * The import table: core ← compile, store, model ← runtime ← gateway ← doors; local and cli on top;
 * definitions see the public surface alone.
 */
export const LAYERS: readonly Layer[] = [
  { folder: 'src/core', folders: ['src/core'], packages: ['zod'] },
  { folder: 'src/index.ts', folders: ['src/core'], packages: [] },
  { folder: 'src/compile', folders: ['src/core', 'src/compile'], packages: ['zod'] },
  { folder: 'src/store', folders: ['src/core', 'src/store'], packages: ['zod', 'node:', DYNAMODB] },
  { folder: 'src/model', folders: ['src/core', 'src/model'], packages: ['zod', 'node:', 'openai'] },
  { folder: 'src/runtime', folders: [...BELOW_RUNTIME, 'src/runtime'], packages: ['zod', 'p-map', 'node:'] },
  { folder: 'src/gateway', folders: BELOW_DOORS, packages: ['zod', 'node:', 'hono'] },
  { folder: 'src/builtin', folders: ['src/index.ts', 'src/builtin'], packages: ['zod', 'node:'] },
  {
    folder: 'src/doors',
    folders: [...BELOW_DOORS, 'src/doors', 'catalog.json'],
    packages: ['zod', 'node:', 'hono', 'aws-lambda', ...SDK],
  },
  {
    folder: 'src/local',
    folders: ['src'],
    packages: [
      'zod',
      'node:',
      'hono',
      '@hono/node-server',
      'dynalite',
      'esbuild',
      'jsonata',
      'openai',
      ...SDK,
    ],
  },
  {
    folder: 'src/cli',
    folders: ['src', 'catalog.json'],
    packages: ['zod', 'node:', 'esbuild', 'beautiful-mermaid'],
  },
  { folder: 'functions', folders: ['src/index.ts', 'src/builtin/index.ts', 'functions'], packages: ['*'] },
  { folder: 'stacks', folders: ['stacks', 'src/core', 'src/compile'], packages: ['node:'] },
]

/** What the package exports, as it is imported by name. */
const OWN_PACKAGE: Readonly<Record<string, string>> = {
  turnwise: 'src/index.ts',
  'turnwise/builtin': 'src/builtin/index.ts',
}

/** Each import that the table forbids, as `file:line imports x: why`. */
export function forbiddenImports(imports: ImportsByFile, layers: readonly Layer[]): readonly string[] {
  return [...imports].flatMap(([file, all]) => {
    const layer = layers.find(({ folder }) => isIn(file, folder))
    if (layer === undefined) return [`${file} is in no folder of the import table`]
    return all
      .filter((each) => !isAllowed(each, layer))
      .map(({ specifier, line }) => `${file}:${line} imports ${specifier}, which ${layer.folder} may not`)
  })
}

function isAllowed({ specifier, file }: Import, { folders, packages }: Layer): boolean {
  const target = OWN_PACKAGE[specifier] ?? file
  if (target !== undefined) return folders.some((folder) => isIn(target, folder))
  return packages.some(
    (name) =>
      name === '*' || specifier === name || specifier.startsWith(name === 'node:' ? name : `${name}/`),
  )
}

function isIn(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`)
}

/** By file, the files that it loads, for `findCircles`: imports of types alone load nothing. */
export function loadedFiles(imports: ImportsByFile): ReadonlyMap<string, readonly string[]> {
  const edges = [...imports].map(
    ([file, all]) =>
      [file, all.flatMap((each) => (each.file === undefined || each.typeOnly ? [] : [each.file]))] as const,
  )
  return new Map(edges)
}
