/**
 * The one step that changes shapes: tables and roles in Postgres, topics on the log, schemas in the registry. `npm run migrate`, and every
 * start of the local stack. Nothing else creates or registers anything.
 *
 * Migrations are the plain SQL files of schemas/postgres in the order of their numbers, each run once, all pending ones in one transaction,
 * under an advisory lock: two migrators take turns. `--new-log` also forgets the positions of processors in the log that was there before.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, parseEnv } from 'node:util'
import { projectRoot } from '../schemas/files.ts'
import { createTopics, verifyTopics } from '../streams/runtime/create-topics.ts'
import { forgetOffsets } from '../streams/runtime/offsets.ts'
import { connectRegistry } from '../streams/runtime/registry.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
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
  const { runner } = await import('node-pg-migrate') // Loaded when used: it brings a transpiler that no other part needs.
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

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** Creates the topics that are missing and checks all of them. Returns the names created. Throws naming every topic that is not as schemas/topics.ts says. */
export async function migrateTopics({ kafkaBrokers, topicPrefix }: Pick<Config, 'kafkaBrokers' | 'topicPrefix'>): Promise<string[]> {
  const options = { brokers: kafkaBrokers, clientId: 'migrate', topicPrefix, log: quiet }
  const created = await createTopics(options)
  await verifyTopics(options)
  return created
}

/** Registers today's schemas. Throws naming subject and field of an incompatible change. */
export async function migrateSchemas(registryUrl: string): Promise<void> {
  const registry = await connectRegistry(registryUrl)
  await registry.registerAll()
}

/** Lets processors begin at the start of the log that is there now, after Kafka was replaced or wiped. Returns how many positions were forgotten. */
export async function beginNewLog(ownerUrl: string): Promise<number> {
  const pool = createPool(ownerUrl, { application_name: 'migrate', max: 1 })
  try {
    return await forgetOffsets(pool)
  } finally {
    await pool.end()
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Addresses of a running local stack, which it writes for this and other tools; the environment comes first. */
export const ENGINES_FILE = 'engines.env'

function environment(): NodeJS.ProcessEnv {
  const folder = process.env.SERVICE_DATA_DIR ?? '.data'
  try {
    return { ...parseEnv(readFileSync(join(folder, ENGINES_FILE), 'utf8')), ...process.env }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return process.env
    throw error
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'new-log': { type: 'boolean', default: false } } })
  const config = readConfig(environment(), ['kafka', 'registry', 'owner', 'tenant', 'system'])
  const tell: Tell = (line) => process.stdout.write(`${line}\n`)
  const { postgresUrl: ownerUrl, postgresTenantUrl: tenantUrl, postgresSystemUrl: systemUrl } = config
  const migrations = await migrateDatabase({ ownerUrl, tenantUrl, systemUrl }, tell)
  tell(migrations.length > 0 ? `Postgres: ran ${migrations.join(', ')}` : 'Postgres: nothing to run')
  const created = await migrateTopics(config)
  tell(created.length > 0 ? `Kafka: created ${created.join(', ')}` : 'Kafka: all topics are there')
  await migrateSchemas(config.registryUrl)
  tell('Registry: all schemas are registered')
  if (values['new-log']) {
    const forgotten = await beginNewLog(ownerUrl)
    tell(
      `New log: ${forgotten} stored position(s) forgotten; processors begin at the start of the log that is there now. Incidents stay as they are; what the old log still held unprocessed is lost.`
    )
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch((error: unknown) => {
    const { message } = error instanceof Error ? error : new Error(String(error))
    process.stderr.write(`${message}\n`)
    process.exitCode = error instanceof ConfigError ? 2 : 1
  })
}
