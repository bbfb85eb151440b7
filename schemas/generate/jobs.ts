/** Generates the index file of the notifier's jobs from the files in services/notifier/jobs. */

/**
 * Returns the text of services/notifier/jobs/index.ts. `files` is the folder's listing. Each file
 * is named after its kind, with dashes in place of underscores (`silence-end.ts` for
 * `silence_end`), and exports `run`.
 */
export function toJobsIndex(files: readonly string[]): string {
  const names = files
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
  return [
    "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
    "import type { Runs } from '../job.ts'",
    ...names.map((name) => `import { run as ${identifier(name)} } from './${name}.ts'`),
    '',
    'export const runs = {',
    names.map((name) => `  ${entry(name)}`).join(',\n'),
    '} satisfies Runs',
    ''
  ].join('\n')
}

const identifier = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

function entry(name: string): string {
  const kind = name.replaceAll('-', '_')
  return kind === identifier(name) ? kind : `${kind}: ${identifier(name)}`
}
