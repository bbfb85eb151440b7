/**
 * What belongs to a Postgres server rather than to a workspace: databases, roles that log in, the
 * registry's corner. Used by the migrate step and the local stack, as the owner.
 */
import { createPool, type Pool } from './pool.ts'

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code

/** A database is made in a second, or in many where the disk does much else. */
const SETUP_MS = 60_000

const single = (url: string): Pool => createPool(url, { application_name: 'setup', max: 1, statementTimeoutMs: SETUP_MS })

/** Whether role and password of `url` are good. Rejects when the server cannot be asked. */
export async function canLogIn(url: string): Promise<boolean> {
  const pool = single(url)
  try {
    await pool.query('SELECT 1')
    return true
  } catch (error) {
    // Wrong password, or none set.
    if (codeOf(error) === '28P01' || codeOf(error) === '28000') return false
    throw error
  } finally {
    await pool.end()
  }
}

/**
 * A server that is not there yet: nobody listens, it recovers (57P03), all connections are taken
 * (53300), or it breaks off or says nothing for as long as a pool waits, as on a machine that does
 * much else: errors of node-postgres itself, which have no code.
 */
const mayHeal = (error: unknown): boolean =>
  codeOf(error) === undefined
    ? /timeout|terminated/.test(String(error))
    : ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P03', '53300'].includes(codeOf(error) ?? '')

/**
 * Resolves once the server answers a query; rejects at the abort, or with a refusal that waiting
 * does not heal.
 */
export async function serverReady(url: string, ended: AbortSignal): Promise<void> {
  for (;;) {
    const pool = single(url)
    try {
      await pool.query('SELECT 1')
      return
    } catch (error) {
      if (ended.aborted || !mayHeal(error)) throw error
    } finally {
      await pool.end()
    }
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Gives the role of `url` the password of `url`, unless it can log in already. */
export async function ensureLogin(ownerUrl: string, url: string): Promise<void> {
  if (await canLogIn(url)) return
  const { username, password } = new URL(url)
  const role = decodeURIComponent(username)
  const owner = single(ownerUrl)
  try {
    await owner.query(
      `DO $$ BEGIN EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %L', ${literal(role)}, ${literal(decodeURIComponent(password))}); END $$`
    )
  } catch (error) {
    // Two migrators in two databases of one server may do this at once ("tuple concurrently
    // updated"): the loser finds the work done.
    if (!(await canLogIn(url)))
      throw new Error(`Role ${role} cannot log in, and its password could not be set: ${(error as Error).message}`, { cause: error })
  } finally {
    await owner.end()
  }
}

/** Names of the migrations that the database has seen, in order. */
export async function appliedMigrations(ownerUrl: string): Promise<string[]> {
  const owner = single(ownerUrl)
  try {
    const { rows: found } = await owner.query<{ name: string | null }>("SELECT to_regclass('public.schema_migrations')::text AS name")
    if (!found[0]?.name) return []
    const { rows } = await owner.query<{ name: string }>('SELECT name FROM public.schema_migrations ORDER BY id')
    return rows.map(({ name }) => name)
  } finally {
    await owner.end()
  }
}

/** Makes the database unless it is there. `name` is an identifier of ours, not input. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  const pool = single(serverUrl)
  try {
    const { rowCount } = await pool.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await pool.query(`CREATE DATABASE ${name}`)
  } finally {
    await pool.end()
  }
}

/**
 * Role service_registry and its schema `registry`, which keeps the registry's tables out of ours.
 */
export async function ensureRegistryStorage(ownerUrl: string, password: string): Promise<void> {
  const owner = single(ownerUrl)
  try {
    await owner.query(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_registry') THEN CREATE ROLE service_registry LOGIN; END IF;
      EXECUTE format('ALTER ROLE service_registry PASSWORD %L', ${literal(password)});
    END $$`)
    // Whoever makes a schema for a role must be a member of it.
    await owner.query('GRANT service_registry TO CURRENT_USER')
    await owner.query('CREATE SCHEMA IF NOT EXISTS registry AUTHORIZATION service_registry')
  } finally {
    await owner.end()
  }
}
