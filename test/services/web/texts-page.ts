/**
 * Puts every text that people read on one page: `npm run texts [-- --out FILE]` prints Markdown.
 * First the catalogue by area, with German next to it; then the texts that pages of the dashboard
 * still contain themselves, the messages of the api, and the titles of guides. The last three are
 * found in the sources by pattern, for a person to read: no test relies on the list being complete.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../schemas/files.ts'
import { runTool, UsageError } from '../../../services/operator/tool.ts'
import { german } from '../../../services/web/texts/de/german.ts'

export type Area = Readonly<Record<string, string>>

/** Returns the texts in an area's file, by key. */
export function textsIn(source: string): Area {
  const texts: Record<string, string> = {}
  for (const [, key = '', plain, quoted] of source.matchAll(/^ {2}'([a-z0-9_.]+)':\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/gm))
    texts[key] = (plain ?? quoted ?? '').replace(/\\(.)/g, '$1')
  return texts
}

/** Returns the sentences and labels that a page contains itself, in their order. */
export function wordsIn(source: string): string[] {
  const found: [at: number, text: string][] = []
  const plain = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import .*$/gm, (gone) => ' '.repeat(gone.length))
  const take = (pattern: RegExp): void => {
    for (const { index, 1: text = '' } of plain.matchAll(pattern))
      if (/[a-z]{2}/.test(text)) found.push([index, text.replace(/\s+/g, ' ').trim()])
  }
  take(/>\s*([A-Z][^<>{}]*[a-z.…])\s*</g)
  take(/\b(?:label|title|hint|description|placeholder|what|verb|question|answer|aside|word|error)(?:=|: )["']([A-Z][^"'\n]*)["']/g)
  take(/(?<![\w.=])'([A-Z][a-z]+(?: [^'\n]+)+)'/g)
  take(/`([^`\n]*\$\{[^`\n]*\}[^`\n]* [a-z]{2,}[^`\n]*)`/g)
  return [...new Set(found.sort(([a], [b]) => a - b).map(([, text]) => text))]
}

/** Returns the messages of a source's refusals, with their codes or rules. */
export function messagesIn(source: string): string[] {
  const said = String.raw`(?:'([^'\n]+)'|${'`'}([^${'`'}\n]+)${'`'})`
  const patterns = [
    new RegExp(String.raw`new ApiError\(\s*'([A-Z_]+)',\s*${said}`, 'g'),
    new RegExp(String.raw`invalid\([^,]+,\s*'([a-z_]+)',\s*${said}`, 'g')
  ]
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, code, plain, made]) => `${code}: ${plain ?? made}`))
}

const headingOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? ''

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

export function areaSection(name: string, texts: Area, translated: Area): string {
  const rows = Object.entries(texts).map(([key, text]) => `| \`${key}\` | ${cell(text)} | ${cell(translated[key] ?? '')} |`)
  return [`### ${name}`, '', '| key | English | German |', '|---|---|---|', ...rows].join('\n')
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')

/** Returns the files below a folder, by their paths from the root. */
const below = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .sort()
    .map((name) => join(folder, name))

export function textsPage(): string {
  const texts = 'services/web/texts'
  const areas = readdirSync(join(projectRoot, texts))
    .filter((name) => name.endsWith('.ts') && name !== 'text.ts')
    .map((name) => name.replace(/\.ts$/, ''))
  const catalogue = areas.map((name) => ({ name, texts: textsIn(read(`${texts}/${name}.ts`)) }))
  const count = catalogue.reduce((sum, area) => sum + Object.keys(area.texts).length, 0)
  const pages = ['pages', 'parts', 'forms', 'shell', 'live']
    .flatMap((folder) => below(`services/web/${folder}`, /\.tsx?$/))
    .map((path) => ({ path, words: wordsIn(read(path)) }))
    .filter(({ words }) => words.length > 0)
  const messages = [...below('services/api', /\.ts$/), ...below('services/intake', /\.ts$/)].flatMap((path) => messagesIn(read(path)))
  const guides = below('docs/guides', /\.md$/).map((path) => headingOf(read(path)))
  return [
    '# Texts',
    '',
    `## Catalogue of the dashboard: ${count} texts in ${areas.length} areas`,
    ...catalogue.flatMap((area) => ['', areaSection(area.name, area.texts, german[area.name] ?? {})]),
    '',
    '## Said by pages themselves',
    ...pages.flatMap(({ path, words }) => ['', `### ${path.replace('services/web/', '')}`, '', list(words)]),
    '',
    '## Messages of the API',
    '',
    list([...new Set(messages)].sort()),
    '',
    '## Guides',
    '',
    list(guides),
    ''
  ].join('\n')
}

runTool(import.meta.url, async () => {
  const [option, file, ...others] = process.argv.slice(2)
  if (option === undefined) return void process.stdout.write(textsPage())
  if (option !== '--out' || file === undefined || others.length > 0) throw new UsageError('Use: npm run texts [-- --out FILE]')
  writeFileSync(file, textsPage())
})
