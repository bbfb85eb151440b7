/** The listing of the inbound parsers: services/intake/sources/index.ts from the files beside it. */

/** `files` is the folder's listing. A file is named after its source type and exports `source`. */
export function toSourcesIndex(files: readonly string[]): string {
  const kinds = files
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
  return [
    "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
    "import type { Source } from '../source.ts'",
    ...kinds.map((kind) => `import { source as ${identifier(kind)} } from './${kind}.ts'`),
    '',
    '/** Every source by its type. */',
    kinds.length === 0 ? 'export const sources: Record<string, Source> = {}' : 'export const sources: Record<string, Source> = {',
    ...kinds.map((kind, index) => `  ${entry(kind)}${index < kinds.length - 1 ? ',' : ''}`),
    ...(kinds.length === 0 ? [] : ['}']),
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
