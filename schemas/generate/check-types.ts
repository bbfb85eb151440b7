/**
 * Generates the index files of the check types from the files in schemas/http/check-types (what
 * people write) and services/prober/types (how the check is done).
 */

const typesOf = (files: readonly string[]): string[] =>
  files
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()

/** Writes a list as the formatter does: on one line if it fits. */
function listed(before: string, items: readonly string[], after: string, [open, close]: readonly [string, string]): string[] {
  const space = open === '{' ? ' ' : ''
  const line = `${before}${open}${space}${items.join(', ')}${space}${close}${after}`
  if (line.length <= LINE) return [line]
  return [`${before}${open}`, ...items.map((item, at) => `  ${item}${at < items.length - 1 ? ',' : ''}`), `${close}${after}`]
}

const LINE = 140

/** Returns the text of schemas/http/check-types/index.ts. Each file exports `checkType`. */
export function toCheckTypesIndex(files: readonly string[]): string {
  const types = typesOf(files)
  return [
    "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
    "import type { CheckType } from '../check-type.ts'",
    ...types.map((type) => `import { checkType as ${type} } from './${type}.ts'`),
    '',
    '/** The types that this version checks. */',
    ...listed(
      'export const monitorTypes = ',
      types.map((type) => `'${type}'`),
      ' as const',
      ['[', ']']
    ),
    'export type MonitorType = (typeof monitorTypes)[number]',
    '',
    ...listed('export const checkTypes: Readonly<Record<MonitorType, CheckType>> = ', types, '', ['{', '}']),
    ''
  ].join('\n')
}

/**
 * Returns the text of services/prober/types/index.ts. Each file exports `type`; the compiler
 * reports a file that does not.
 */
export function toPerformersIndex(files: readonly string[]): string {
  const types = typesOf(files)
  return [
    "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
    "import type { MonitorType } from '../../../schemas/http/check-types/index.ts'",
    "import type { PUSHED } from '../../../schemas/http/check-words.ts'",
    "import type { ProberType } from '../prober-type.ts'",
    ...types.map((type) => `import { type as ${type} } from './${type}.ts'`),
    '',
    '/** How each type is checked; one that is pushed is not. */',
    ...listed('export const proberTypes: Readonly<Record<Exclude<MonitorType, typeof PUSHED>, ProberType>> = ', types, '', ['{', '}']),
    ''
  ].join('\n')
}
