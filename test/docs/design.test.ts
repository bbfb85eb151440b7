/**
 * Checks that the design in docs/design is complete and cited correctly: every route of the
 * endpoint list and every value of the enumerations occurs in its texts, and every citation in the
 * repository leads to an existing anchor.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { type Endpoint, endpoints } from '../../schemas/http/endpoints.ts'
import { holdKinds } from '../../schemas/http/incidents.ts'
import { namedAnchors } from './links.ts'

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
const DESIGN = 'docs/design'
const texts = readdirSync(join(projectRoot, DESIGN), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `${DESIGN}/${name}`)
const all = texts.map(read).join('\n')

/** A citation: a file of the design with its first anchor, and further anchors of the same file. */
const CITATION = /docs\/design\/([\w/-]+\.md)(?:#([\w-]+)((?:(?:,| and| to) #[\w-]+)*))?/g
/** A citation of a design document by its bare name, or of one that is not in the repository. */
const BARE =
  /(?<![\w/.-])(?:specification|architecture|api-design|inbound-sources|outbound-channels|streaming|performance)\.md(?:,? (?:sections? )?[0-9A-Z]|\b)/g

/**
 * Citations in `text` that lead nowhere. A citation that wraps over several lines is joined first.
 */
function danglingIn(file: string, text: string): string[] {
  const joined = text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/|--|#)[ \t]*/g, ' ')
  const dangling = [...joined.matchAll(CITATION)].flatMap(([, path = '', first, rest = '']) => {
    const target = `${DESIGN}/${path}`
    if (!existsSync(join(projectRoot, target))) return [`${file}: ${target} is not there`]
    if (first === undefined) return []
    const anchors = namedAnchors(read(target))
    const cited = [first, ...[...rest.matchAll(/#([\w-]+)/g)].map(([, anchor = '']) => anchor)]
    return cited.filter((anchor) => !anchors.has(anchor)).map((anchor) => `${file}: ${target} has no anchor ${anchor}`)
  })
  const bare = [...joined.matchAll(BARE)].map(([name]) => `${file}: cites ${name} without its folder`)
  return [...dangling, ...bare]
}

/** Keys of enumerations.json whose texts are prose and name no values. */
const PROSE = new Set([
  'note',
  'notes',
  'origin',
  'form',
  'when',
  'counted_per',
  'algorithm',
  'credential',
  'spec_group',
  'meaning',
  'description'
])

/** Every word-like value of the file: strings of a list, ids, slugs, codes and names. */
function valuesOf(node: unknown, key = ''): string[] {
  if (typeof node === 'string') return PROSE.has(key) || /\s/.test(node) ? [] : [node]
  if (Array.isArray(node)) return node.flatMap((one) => valuesOf(one, key))
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => (PROSE.has(name) ? [] : valuesOf(value, name)))
}

t.test('every route of the endpoint list is in the design', async (t) => {
  const [head = '', ...rows] = read(`${DESIGN}/endpoints.tsv`).trim().split('\n')
  const columns = head.split('\t')
  t.ok(rows.length > 380)
  const cell = (row: string, name: string): string => row.split('\t')[columns.indexOf(name)] ?? ''
  t.same(
    rows.map((row) => cell(row, 'path')).filter((path) => !all.includes(path.replace('/api/v1', ''))),
    []
  )
  t.same(
    rows.flatMap((row) => danglingIn('endpoints.tsv', cell(row, 'doc'))),
    []
  )
})

interface Row {
  method: string
  path: string
  id: string
  group: string
  origin: string
  tier: string
  today: string
}

const columnsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())

t.test('the endpoint list, the index and the counts say what is built', async (t) => {
  const [head = [], ...lines] = read(`${DESIGN}/endpoints.tsv`)
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
  const rows = lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])) as unknown as Row)
  const nameOf = ({ method, path }: Pick<Row, 'method' | 'path'>): string => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`
  const served = new Set(Object.values<Endpoint>(endpoints).map(nameOf))
  const listed = new Set(rows.map(nameOf))
  t.same(
    [...served].filter((name) => !listed.has(name)),
    [],
    'every route of the api is listed'
  )
  t.same(
    rows.filter((row) => (row.today === '-' && served.has(nameOf(row))) || (row.today === 'api' && !served.has(nameOf(row)))).map(nameOf),
    []
  )

  const isBuilt = ({ today }: Row): boolean => today !== '-'
  const page = read(`${DESIGN}/api.md`).split('\n')
  const told = new Map(
    page
      .filter((line) => /^\| \[[A-Z]+-\d+\]/.test(line))
      .flatMap((line) => {
        const cells = columnsOf(line)
        return [...(cells[0] ?? '').matchAll(/\[([A-Z]+-\d+)\]/g)].map(([, id = '']): [string, string] => [id, cells.at(-1) ?? ''])
      })
  )
  const expected = new Map(
    [...new Set(rows.map(({ id }) => id))].map((id): [string, string] => {
      const own = rows.filter((row) => row.id === id)
      return [id, own.every(isBuilt) ? 'built' : own.some(isBuilt) ? 'partly' : '']
    })
  )
  t.same(
    [...expected].filter(([id, state]) => !told.get(id)?.startsWith(state) || (state === '' && told.get(id) !== '')).map(([id]) => id),
    [],
    'the index'
  )

  const counts = (some: readonly Row[]): string[] => {
    const ours = (tier: string): number => some.filter((row) => row.origin === 'ours' && row.tier === tier).length
    const spec = some.filter(({ origin }) => origin === 'spec').length
    return [spec, ours('core'), ours('next'), ours('later'), some.length, some.filter(isBuilt).length].map(String)
  }
  const from = page.findIndex((line) => line.startsWith('| Group | Index (spec)'))
  const shown = page.slice(from + 2, page.indexOf('', from)).map((line) => columnsOf(line).slice(2))
  const groups = [...new Set(rows.map(({ group }) => group))].map((group) => counts(rows.filter((row) => row.group === group)))
  t.same([...shown].sort(), [...groups, counts(rows)].sort(), 'the counts of each group and of all')
})

t.test('rules and kinds of holds are those of the enumerations', async (t) => {
  const { validation_rules, hold_kinds } = JSON.parse(read(`${DESIGN}/enumerations.json`)) as Record<string, { values: string[] }>
  const page = read(`${DESIGN}/api.md`)
  const table = page.slice(page.indexOf('Rules of `VALIDATION_FAILED`'), page.indexOf('<a id="s21">'))
  const rules = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z_]+)`/g)].map(([, rule]) => rule)
  )
  t.same(validation_rules?.values, rules)
  t.same(hold_kinds?.values, [...holdKinds])
})

t.test('every value of the enumerations is in the design', async (t) => {
  const values = new Set(valuesOf(JSON.parse(read(`${DESIGN}/enumerations.json`))))
  t.ok(values.size > 500, `${values.size} values`)
  t.same(
    [...values].filter((value) => !all.includes(value)),
    []
  )
})

t.test('every citation of the design leads to an existing anchor', async (t) => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: projectRoot, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(?:tsx?|sql|avsc|ya?ml|css|json|md|tsv|sh|conf|html)$/.test(file) && existsSync(join(projectRoot, file)))
    .filter((file) => !/package-lock|^docs\/design\/|^test\/docs\/design\.test\.ts$/.test(file))
  t.ok(files.length > 1000)
  const cited = files.filter((file) => read(file).includes(`${DESIGN}/`))
  t.ok(cited.length > 150, `${cited.length} files cite it`)
  t.same(
    files.flatMap((file) => danglingIn(file, read(file))),
    []
  )
})

t.test('the check finds planted citations that lead nowhere', async (t) => {
  const planted = (text: string): string[] => danglingIn('planted.ts', text)
  t.same(planted('/** Source: docs/design/api.md#s1-1 and #s1-6, docs/design/ui.md#principle-1. */'), [], 'a control')
  t.match(planted('// docs/design/none.md'), [/none\.md is not there/])
  t.match(planted('// docs/design/api.md#s99-9'), [/no anchor s99-9/])
  t.match(planted('// docs/design/api.md#s1-1 and #s99-9'), [/no anchor s99-9/])
  t.match(planted('/**\n * docs/design/api.md#s1-1,\n * #s99-9\n */'), [/no anchor s99-9/])
  t.match(planted('// Source: api-design.md 3.4.'), [/cites api-design\.md 3 without/])
  t.match(planted('// Source: architecture.md section 5.'), [/cites architecture\.md section 5 without/])
})
