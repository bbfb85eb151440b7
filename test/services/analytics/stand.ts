/**
 * Shared parts of the sink's tests: a sink on the real broker into a chdb folder of the test's own.
 * Only one process at a time can have a folder open.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, openEngine } from '../../../services/analytics/engine.ts'
import { migrateEngine } from '../../../services/analytics/migrations.ts'
import type { Teardown } from '../../harness/engines.ts'

/** Makes a folder that is removed with the test. */
export function ownFolder(t: Teardown): string {
  const path = mkdtempSync(join(tmpdir(), 'service-test-clickhouse-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Opens a migrated engine. It is closed with the test, before its folder is removed. */
export async function ownEngine(t: Teardown, path = ownFolder(t)): Promise<Engine> {
  const engine = openEngine({ path })
  t.teardown(() => engine.close())
  await migrateEngine(engine)
  return engine
}

/** Rows of a statement that the test writes itself. */
export async function read<T = Record<string, unknown>>(engine: Engine, sql: string, params: Record<string, unknown> = {}): Promise<T[]> {
  return JSON.parse(await engine.query(sql, params, { timeMs: 30_000, maxRows: 100_000 })) as T[]
}
