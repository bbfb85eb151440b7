/**
 * Generates two files from the inbound parsers in services/intake/sources: an index of parsers by
 * name for the doors, and the list of names for the schemas.
 */

/** `files` is the folder's listing. Each file is named after its source type. */
const kindsOf = (files: readonly string[]): string[] =>
  files
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()

/**
 * Returns the text of schemas/generated/source-types.ts: the values that an integration's
 * `source_type` may have.
 */
export function toSourceTypes(files: readonly string[]): string {
  return [
    '// Written by `npm run generate` from the listing of services/intake/sources. Never edited by hand.',
    '',
    '/** What an inbound integration may be made for. */',
    'export const sourceTypes = [',
    kindsOf(files)
      .map((kind) => `  '${kind}'`)
      .join(',\n'),
    '] as const',
    '',
    'export type SourceType = (typeof sourceTypes)[number]',
    ''
  ].join('\n')
}

/** Returns the text of services/intake/sources/index.ts. Each file exports `source`. */
export function toSourcesIndex(files: readonly string[]): string {
  const kinds = kindsOf(files)
  return [
    "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
    "import type { SourceType } from '../../../schemas/generated/source-types.ts'",
    "import type { Source } from '../source.ts'",
    ...kinds.map((kind) => `import { source as ${identifier(kind)} } from './${kind}.ts'`),
    '',
    '/** Every source by its type. */',
    'export const sources: Readonly<Record<SourceType, Source>> = {',
    ...kinds.map((kind, index) => `  ${entry(kind)}${index < kinds.length - 1 ? ',' : ''}`),
    '}',
    ''
  ].join('\n')
}

function identifier(kind: string): string {
  return kind.replace(/[-_.](\w)/g, (_, letter: string) => letter.toUpperCase())
}

function entry(kind: string): string {
  if (identifier(kind) === kind) return kind
  return /^\w+$/.test(kind) ? `${kind}: ${identifier(kind)}` : `'${kind}': ${identifier(kind)}`
}
