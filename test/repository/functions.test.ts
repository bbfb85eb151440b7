/**
 * No function of `schemas`, `streams`, `clickhouse` and `services` has more than 100 lines, except
 * those listed here. The list is exact: a function that becomes shorter must be removed from it.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'

const MAX_LINES = 100
const rooms = ['schemas', 'streams', 'clickhouse', 'services']

/** The routes of one resource are in one plugin, which reads like a table. */
const tables = [
  'analytics/routes',
  'heartbeats/routes',
  'integrations/routes',
  'locations/routes',
  'people/invites',
  'probers/routes',
  'teams/routes'
].map((name) => `services/api/${name}.ts plugin`)

const settings = {
  root: true,
  formatter: { enabled: false },
  linter: {
    rules: {
      recommended: false,
      complexity: { noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: MAX_LINES } } }
    }
  }
}

interface Report {
  diagnostics: { category: string; location: { path: string; start: { line: number } } }[]
}

/**
 * `path name` of each function in `folders` of `root` that is too long. A function without a name
 * is called `plugin`.
 */
async function longFunctions(root: string, folders: readonly string[]): Promise<string[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'functions-'))
  try {
    await writeFile(join(scratch, 'biome.json'), JSON.stringify(settings))
    const biome = join(projectRoot, 'node_modules/.bin/biome')
    const args = ['lint', `--config-path=${scratch}`, '--reporter=json', '--max-diagnostics=none', ...folders]
    // Biome exits with 1 when it finds something, so its output counts and not its exit code.
    const { stdout } = await promisify(execFile)(biome, args, { cwd: root, maxBuffer: 67_108_864 }).catch(
      (error: { stdout: string }) => error
    )
    const { diagnostics } = JSON.parse(stdout) as Report
    const found = diagnostics.filter(({ category }) => category === 'lint/complexity/noExcessiveLinesPerFunction')
    const names = found.map(async ({ location: { path, start } }) => {
      const line = (await readFile(join(root, path), 'utf8')).split('\n')[start.line - 1] ?? ''
      return `${path} ${/(?:function|const) (\w+)/.exec(line)?.[1] ?? 'plugin'}`
    })
    return [...new Set(await Promise.all(names))].sort()
  } finally {
    await rm(scratch, { recursive: true })
  }
}

t.test('functions are at most 100 lines long, except the listed ones', async (t) => {
  t.same(await longFunctions(projectRoot, rooms), tables.toSorted())
})

t.test('the check finds a planted long function', async (t) => {
  const root = t.testdir({})
  await mkdir(join(root, 'services'))
  const body = (lines: number): string => '  count++\n'.repeat(lines)
  await writeFile(join(root, 'services/short.ts'), `let count = 0\nexport function short() {\n${body(MAX_LINES - 2)}}\n`)
  await writeFile(join(root, 'services/long.ts'), `let count = 0\nexport function long() {\n${body(MAX_LINES + 1)}}\n`)
  t.same(await longFunctions(root, ['services']), ['services/long.ts long'])
})
