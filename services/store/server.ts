/**
 * What belongs to a Postgres server rather than to a workspace: databases, roles that log in, and
 * the registry's storage. Used by the migrate step and the local stack, as the owner.
 */
import { createPool, type Pool } from './pool.ts'

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code

/** Creating a database takes a second, or many when the disk is busy. */
const SETUP_MS = 60_000

const single = (url: string): Pool => createPool(url, { application_name: 'setup', max: 1, statementTimeoutMs: SETUP_MS })

/** Whether the role and password of `url` can log in. Rejects when the server cannot be reached. */
export async function canLogIn(url: string): Promise<boolean> {
  const pool = single(url)
  try {
    await pool.query('SELECT 1')
    return true
  } catch (error) {
    // The password is wrong, or none is set.
    if (codeOf(error) === '28P01' || codeOf(error) === '28000') return false
    throw error
  } finally {
    await pool.end()
  }
}

/**
 * Whether waiting may help, because the server is not ready yet. Either nobody listens, it recovers
 * (57P03), or all connections are taken (53300). Or it breaks off or does not answer within the
 * pool's time limit, as on a busy machine; these are errors of node-postgres, which have no code.
 */
const mayHeal = (error: unknown): boolean =>
  codeOf(error) === undefined
    ? /timeout|terminated/.test(String(error))
    : ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P03', '53300'].includes(codeOf(error) ?? '')

/**
 * Resolves once the server answers a query. Rejects at the abort, or with an error that waiting
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
    // updated"). The one that fails finds the work done.
    if (!(await canLogIn(url)))
      throw new Error(`Role ${role} cannot log in, and its password could not be set: ${(error as Error).message}`, { cause: error })
  } finally {
    await owner.end()
  }
}

const ROLES = ['service_tenant', 'service_system'] as const

/** Returns which roles of the service the server does not have. */
export async function missingRoles(ownerUrl: string): Promise<string[]> {
  const owner = single(ownerUrl)
  try {
    const { rows } = await owner.query<{ name: string }>('SELECT rolname::text AS name FROM pg_roles WHERE rolname = ANY ($1::text[])', [
      ROLES
    ])
    return ROLES.filter((role) => !rows.some(({ name }) => name === role))
  } finally {
    await owner.end()
  }
}

/**
 * Creates the missing roles of the service as the migrations create them. A server that gets a dump
 * of the database needs them first: they are not in the dump, only what they may do and own.
 * Returns their names.
 */
export async function createMissingRoles(ownerUrl: string): Promise<string[]> {
  const missing = await missingRoles(ownerUrl)
  const statements: Record<(typeof ROLES)[number], string[]> = {
    service_tenant: [
      'CREATE ROLE service_tenant LOGIN NOBYPASSRLS',
      "ALTER ROLE service_tenant SET idle_in_transaction_session_timeout = '10s'",
      "ALTER ROLE service_tenant SET statement_timeout = '15s'"
    ],
    service_system: [
      'CREATE ROLE service_system LOGIN BYPASSRLS',
      "ALTER ROLE service_system SET idle_in_transaction_session_timeout = '10s'"
    ]
  }
  const owner = single(ownerUrl)
  try {
    for (const role of ROLES) if (missing.includes(role)) await owner.query(statements[role].join('; '))
  } finally {
    await owner.end()
  }
  return missing
}

/** Returns the names of the migrations that the database has applied, in order. */
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

/** Creates the database unless it exists. `name` is an identifier from the code, not input. */
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
 * Creates role service_registry and its schema `registry`, which keeps the registry's tables apart
 * from those of the service.
 */
export async function ensureRegistryStorage(ownerUrl: string, password: string): Promise<void> {
  const owner = single(ownerUrl)
  try {
    await owner.query(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_registry') THEN CREATE ROLE service_registry LOGIN; END IF;
      EXECUTE format('ALTER ROLE service_registry PASSWORD %L', ${literal(password)});
    END $$`)
    // Whoever creates a schema for a role must be a member of that role.
    await owner.query('GRANT service_registry TO CURRENT_USER')
    await owner.query('CREATE SCHEMA IF NOT EXISTS registry AUTHORIZATION service_registry')
  } finally {
    await owner.end()
  }
}
