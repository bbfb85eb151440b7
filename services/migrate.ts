/**
 * The one step that changes shapes: tables and roles in Postgres, topics on the log, schemas in the registry. `npm run migrate`, and every
 * start of the local stack. Nothing else creates or registers anything.
 *
 * Migrations are the plain SQL files of schemas/postgres in the order of their numbers, each run once, all pending ones in one transaction,
 * under an advisory lock: two migrators take turns. `--new-log` also forgets the positions of processors in the log that was there before.
 */
import { join } from 'node:path'
import { runner } from 'node-pg-migrate'
import { projectRoot } from '../schemas/files.ts'
import { createPool, type Pool } from './store/pool.ts'

export interface DatabaseUrls {
  /** Owner of the schema. */
  ownerUrl: string
  /** Logs in as service_tenant. */
  tenantUrl: string
  /** Logs in as service_system. */
  systemUrl: string
}

type Tell = (line: string) => void

/**
 * Brings the database of `ownerUrl` to the newest shape and makes both role URLs able to log in. Returns the names of the migrations it ran.
 * Throws when a migration fails (nothing of it stays), or when the database was migrated by a newer version of the service.
 */
export async function migrateDatabase({ ownerUrl, tenantUrl, systemUrl }: DatabaseUrls, tell: Tell = () => undefined): Promise<string[]> {
  const ran = await runner({
    databaseUrl: ownerUrl,
    dir: join(projectRoot, 'schemas/postgres'),
    migrationsTable: 'schema_migrations',
    direction: 'up',
    ignorePattern: '(?!\\d{4}_[a-z0-9_]+\\.sql).*',
    checkOrder: true,
    singleTransaction: true,
    advisoryLockMode: 'wait',
    logger: { debug: () => undefined, info: () => undefined, warn: tell, error: tell }
  })
  const owner = createPool(ownerUrl, { application_name: 'migrate', max: 1 })
  try {
    for (const url of [tenantUrl, systemUrl]) await ensureLogin(owner, url)
  } finally {
    await owner.end()
  }
  return ran.map(({ name }) => name)
}

/** Gives the role of `url` the password of `url`, unless it can log in already. */
async function ensureLogin(owner: Pool, url: string): Promise<void> {
  const { username, password } = new URL(url)
  const role = decodeURIComponent(username)
  if (await canLogIn(url)) return
  // Roles belong to the cluster, and two migrators may be in two databases of it: this key is one for all of them only when they share a database,
  // so a lost race ("tuple concurrently updated") is settled by trying to log in again.
  await owner
    .query(
      `DO $$ BEGIN EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %L', ${literal(role)}, ${literal(decodeURIComponent(password))}); END $$`
    )
    .catch(async (error: Error) => {
      if (!(await canLogIn(url))) throw new Error(`Role ${role} cannot log in, and its password could not be set: ${error.message}`)
    })
}

async function canLogIn(url: string): Promise<boolean> {
  const pool = createPool(url, { application_name: 'migrate', max: 1 })
  try {
    await pool.query('SELECT 1')
    return true
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code === '28P01' || code === '28000') return false // Wrong password, or none set.
    throw error
  } finally {
    await pool.end()
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
