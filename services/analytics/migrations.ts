/**
 * Applies clickhouse/NNNN_*.sql in order, each once. A file that a crash interrupted is applied
 * again, because every statement can be repeated without harm. On a cluster a statement waits for
 * all servers, so nothing is run when no migration is pending: `analytics` can start while a server
 * is down.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import type { Engine } from './engine.ts'
import { replicated } from './replicated.ts'

const folder = join(projectRoot, 'clickhouse')

/**
 * Splits SQL into statements. A statement ends with a semicolon at the end of a line; comment lines
 * are removed.
 */
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

const LIMITS = { timeMs: 10_000, maxRows: 10_000 }

/** Returns the rows of a statement of clickhouse/system. */
async function rowsOf<T>(engine: Engine, file: string): Promise<T[]> {
  return JSON.parse(await engine.query(readFileSync(join(folder, 'system', file), 'utf8'), {}, LIMITS)) as T[]
}

/**
 * Returns whether the table of migrations exists. Throws when there are tables of a single server:
 * the migrations would leave them as they are, and their rows would be on one server only.
 */
async function isBegun(engine: Engine): Promise<boolean> {
  const tables = await rowsOf<{ name: string; engine: string }>(engine, 'tables.sql')
  const single = tables.filter(({ engine }) => engine.endsWith('MergeTree') && !engine.startsWith('Replicated')).map(({ name }) => name)
  if (single.length > 0)
    throw new Error(
      `SERVICE_CLICKHOUSE_CLUSTER is set, and the database has tables that do not replicate (${single.join(', ')}): use a new one`
    )
  return tables.some(({ name }) => name === 'migrations')
}

/**
 * `cluster`: the name of the cluster of replicas, as its servers call it; '' for one server or the
 * engine in process. Returns the names of the files that were applied by this call.
 */
export async function migrateEngine(engine: Engine, cluster = ''): Promise<string[]> {
  const [first, ...rest] = migrationFiles()
  if (!first) throw new Error(`no migrations in ${folder}`)
  const apply = async (name: string): Promise<void> => {
    const statements = statementsOf(readFileSync(join(folder, name), 'utf8'))
    for (const statement of cluster === '' ? statements : statements.map((one) => replicated(one, cluster))) await engine.command(statement)
  }
  // The first file makes the table that records the others.
  if (cluster === '' || !(await isBegun(engine))) await apply(first)
  const known = await rowsOf<{ name: string }>(engine, 'applied_migrations.sql')
  const applied = new Set(known.map(({ name }) => name))
  const due = rest.filter((name) => !applied.has(name))
  for (const name of due) {
    await apply(name)
    await engine.insert('migrations', ['name'], Buffer.from(`${name}\n`), name)
  }
  return due
}
