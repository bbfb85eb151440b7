/** Applies clickhouse/NNNN_*.sql in order, each once. A file cut short by a crash is applied again: every statement can be repeated without harm. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import type { Engine } from './engine.ts'

const folder = join(projectRoot, 'clickhouse')

/** Statements end with a semicolon at the end of a line; lines that are comments go. */
export const statementsOf = (sql: string): string[] =>
  sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter(Boolean)

export const migrationFiles = (): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()

/** Returns the names of the files that were applied now. */
export async function migrateEngine(engine: Engine): Promise<string[]> {
  const [first, ...rest] = migrationFiles()
  if (!first) throw new Error(`no migrations in ${folder}`)
  const apply = async (name: string): Promise<void> => {
    for (const statement of statementsOf(readFileSync(join(folder, name), 'utf8'))) await engine.command(statement)
  }
  await apply(first) // The table that the others are recorded in.
  const sql = readFileSync(join(folder, 'system/applied_migrations.sql'), 'utf8')
  const known = JSON.parse(await engine.query(sql, {}, { timeMs: 10_000, maxRows: 10_000 })) as { name: string }[]
  const applied = new Set(known.map(({ name }) => name))
  const due = rest.filter((name) => !applied.has(name))
  for (const name of due) {
    await apply(name)
    await engine.insert('migrations', ['name'], Buffer.from(`${name}\n`), name)
  }
  return due
}
