/**
 * docs/licences.md: which third-party packages the service uses, and on which terms. `npm run
 * licences` writes it from package-lock.json and services/local/archives.json; with --check it
 * compares. Licences that require only their notice are allowed for every package; each other one
 * is allowed by name, with a reason.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { runTool, UsageError } from '../operator/tool.ts'
import { type LockedPackage, type MavenArchive, readArchives, readLock } from './lock.ts'

/** Permissive licences, by their SPDX identifier. */
const allowed: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'MIT-0',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0'
])

/**
 * Licences that are allowed for single packages only. `tools`: only while none of their code is
 * shipped.
 */
const reasons: readonly { licence: string; packages: RegExp; tools: boolean; reason: string }[] = [
  {
    licence: 'MPL-2.0',
    packages: /^lightningcss(-[\w-]+)?$/,
    tools: true,
    reason: 'Vite writes styles with it; nothing of it is in what it writes, and it is not changed.'
  },
  {
    licence: 'MPL-2.0',
    packages: /^axe-core$/,
    tools: true,
    reason: 'Tests of the dashboard look for barriers with it; it is not changed, and not shipped.'
  },
  {
    licence: 'MPL-2.0',
    packages: /^ical\.js$/,
    tools: false,
    reason: 'The service reads calendars with it. It is shipped as it is published, with its source and licence, and is not changed.'
  },
  {
    licence: 'PSF-2.0',
    packages: /^argparse$/,
    tools: false,
    reason: 'Permissive, as BSD. It comes with markdown-it, for its command line, which we do not run.'
  },
  {
    licence: 'Python-2.0',
    packages: /^argparse$/,
    tools: true,
    reason: 'Permissive, as BSD. It comes with graphile-worker, the peer of a benchmark, which reads no settings with it.'
  },
  {
    licence: 'OFL-1.1',
    packages: /^@fontsource-variable\/figtree$/,
    tools: false,
    reason: 'The typeface of the dashboard. It may be shipped with software under any licence, and is not sold by itself or changed.'
  },
  { licence: 'CC-BY-3.0', packages: /^spdx-exceptions$/, tools: true, reason: 'A list of names that tools read; it is not shipped.' }
]

/** The licences of packages whose package.json names none, read from their licence file. */
const unnamed: Readonly<Record<string, string>> = {
  '@kafkajs/confluent-schema-registry': 'MIT',
  'jsonc-simple-parser': 'MIT'
}

const licenceOf = ({ name, licence }: Pick<LockedPackage, 'name' | 'licence'>): string | null => licence ?? unnamed[name] ?? null

/** Of "A OR B", one that is allowed is enough. */
const isAllowed = (licence: string): boolean =>
  licence
    .replace(/^\(|\)$/g, '')
    .split(' OR ')
    .some((one) => allowed.has(one.trim()))

/** Returns the objections to using them, one sentence each. */
export function faultsOf(packages: readonly LockedPackage[], archives: readonly Pick<MavenArchive, 'name' | 'licence'>[]): string[] {
  const found = packages.flatMap((one) => {
    const licence = licenceOf(one)
    if (licence === null) return [`${one.name} ${one.version} names no licence`]
    if (isAllowed(licence)) return []
    const rule = reasons.find((each) => each.licence === licence && each.packages.test(one.name))
    if (!rule) return [`${one.name} ${one.version}: ${licence} is not allowed, and no reason is given for it`]
    return rule.tools && !one.dev ? [`${one.name} ${one.version}: ${licence} is allowed for tools alone, and this is shipped`] : []
  })
  return [...found, ...archives.flatMap(({ name, licence }) => (isAllowed(licence) ? [] : [`${name}: ${licence} is not allowed`]))]
}

const byName = (one: string, other: string): number => one.localeCompare(other, 'en')

/** Licence → packages with their versions, each once. */
function listed(entries: readonly { licence: string; text: string }[]): string {
  const groups = new Map<string, Set<string>>()
  for (const { licence, text } of entries) groups.set(licence, (groups.get(licence) ?? new Set()).add(text))
  return [...groups]
    .sort(([one], [other]) => byName(one, other))
    .map(([licence, texts]) => `**${licence}**: ${[...texts].sort(byName).join(', ')}`)
    .join('\n\n')
}

export function licencesPage(packages: readonly LockedPackage[], archives: readonly MavenArchive[]): string {
  const entriesOf = (dev: boolean) =>
    packages.filter((one) => one.dev === dev).map((one) => ({ licence: licenceOf(one) ?? 'none', text: `${one.name} ${one.version}` }))
  const rules = reasons.map(({ licence, packages: names, tools, reason }) => {
    const meant = [...new Set(packages.filter((one) => licenceOf(one) === licence && names.test(one.name)).map(({ name }) => name))]
    const [first = '', ...more] = meant.sort(byName)
    return `| ${licence} | ${first}${more.length > 0 ? ` and ${more.length} more of its platforms` : ''} | ${tools ? 'tools' : 'shipped'} | ${reason} |`
  })
  return `# Licences

The service is under Apache-2.0. Here are the packages it uses and their licences. \`npm run licences\` writes this page from the lockfile; a test compares it, and refuses
a licence that is neither permissive nor named here with a reason. Which package is in which part, with its hash, is in \`dist/sbom.json\` (CycloneDX), which
\`npm run build\` writes.

Allowed anywhere: ${[...allowed].sort(byName).join(', ')}.

| licence | package | where | why it is fine |
|---|---|---|---|
${rules.join('\n')}

## Loaded by the roles

${listed(entriesOf(false))}

## For the dashboard, development and the build

What of these is built into the dashboard is under MIT, ISC, BSD, 0BSD or Apache-2.0.

${listed(entriesOf(true))}

## Broker and registry of a local run

Fetched by Maven for \`npm start\`; the image has none of them.

${listed(archives.map(({ group, name, version, licence }) => ({ licence, text: `${group}:${name} ${version}` })))}
`
}

const PAGE = join(projectRoot, 'docs/licences.md')

runTool(import.meta.url, async () => {
  const [packages, archives] = [readLock(), readArchives()]
  const faults = faultsOf(packages, archives)
  if (faults.length > 0) throw new UsageError(faults.join('\n'))
  const page = licencesPage(packages, archives)
  if (!process.argv.includes('--check')) writeFileSync(PAGE, page)
  else if (readFileSync(PAGE, 'utf8') !== page) throw new UsageError('docs/licences.md is not that of the lockfile: npm run licences')
})
