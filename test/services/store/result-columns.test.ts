/**
 * Checks that statements name the columns that they return. After a migration that adds a column to
 * a table, Postgres refuses a statement that a connection keeps and that returns all columns of
 * this table (docs/decisions/0095).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'

/** Files with other statements, each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  'store/probers.ts': 'the columns of a function, whose result has its own type',
  'store/reemit-configs.ts': 'tables of several kinds, in a process of its own whose connections keep no statement'
}

/**
 * At the start of a text: `SELECT *` or `SELECT a, b.*`, except from a query in parentheses or from
 * a function.
 */
const SELECTED = /[`'"]\s*SELECT\s+(?:DISTINCT\s+)?(?:[^()`'"]*?,\s*)?(?:\w+\.)?\*\s*(?:,|FROM\s+(?!\w*\())/
const RETURNED = /\bRETURNING\s+(?:[^()`'"]*?,\s*)?(?:\w+\.)?\*/

const returnsAll = (source: string): boolean => SELECTED.test(source) || RETURNED.test(source)

t.test('statements name the columns that they return', (t) => {
  const services = join(projectRoot, 'services')
  const files = (readdirSync(services, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts') && !file.startsWith('web/'))
  t.ok(files.length > 500, 'the sources are found')
  t.same(files.filter((file) => returnsAll(readFileSync(join(services, file), 'utf8'))).sort(), Object.keys(OTHERS))
  t.end()
})

t.test('what counts as all columns', (t) => {
  const all = [
    "'SELECT * FROM a'",
    '`SELECT a.id, b.* FROM a JOIN b`',
    '`\n  SELECT DISTINCT * FROM a`',
    "'DELETE FROM a RETURNING *'",
    '`… RETURNING a.*`'
  ]
  const named = [
    "'SELECT count(*) FROM a'",
    '`SELECT * FROM (SELECT id FROM a) AS a`',
    "'SELECT 2 * n FROM a'",
    "'SELECT * FROM found($1)'",
    '`WITH b AS (SELECT * FROM a) SELECT id FROM b`'
  ]
  for (const text of all) t.ok(returnsAll(text), text)
  for (const text of named) t.notOk(returnsAll(text), text)
  t.end()
})
