/**
 * Gives a test file what it needs of the real engines (Kafka, the schema registry, Postgres): their
 * addresses from the environment (test/run.ts sets them), a database of its own cloned from a
 * migrated template, a configuration with its own topic prefix, and topics that are deleted with
 * the test.
 *
 * The name of every database and prefix contains "test". The cleanup refuses names without it.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { projectRoot } from '../../schemas/files.ts'
import { type TopicName, topicNames } from '../../schemas/topics.ts'
import { type DatabaseUrls, migrateDatabase } from '../../services/operator/migrate.ts'
import { type Config, readConfig } from '../../services/process/config.ts'
import type { Tx } from '../../services/store/pool.ts'
import { createTopics, deleteTopics } from '../../streams/runtime/create-topics.ts'

/** The part of a tap test that the harness uses. */
export interface Teardown {
  teardown(handler: () => unknown): void
}

export interface Engines {
  kafkaBrokers: string[]
  registryUrl: string
  /** Address of the maintenance database, as its owner. Tests work in clones. */
  postgresUrl: string
}

/**
 * Returns the addresses of the running engines. Throws one sentence if the environment does not
 * name them: `npm test` starts them.
 */
export function engines(): Engines {
  const { SERVICE_KAFKA_BROKERS, SERVICE_SCHEMA_REGISTRY_URL, SERVICE_POSTGRES_URL } = process.env
  if (!SERVICE_KAFKA_BROKERS || !SERVICE_SCHEMA_REGISTRY_URL || !SERVICE_POSTGRES_URL) {
    throw new Error(
      'No engines: run this file through `npm run test:one -- <file>`, or set SERVICE_KAFKA_BROKERS, SERVICE_SCHEMA_REGISTRY_URL and SERVICE_POSTGRES_URL'
    )
  }
  return { kafkaBrokers: SERVICE_KAFKA_BROKERS.split(','), registryUrl: SERVICE_SCHEMA_REGISTRY_URL, postgresUrl: SERVICE_POSTGRES_URL }
}

/** The address of another database on the same server, optionally as another role. */
function address(ownerUrl: string, database: string, role?: 'service_tenant' | 'service_system'): string {
  const url = new URL(ownerUrl)
  url.pathname = `/${database}`
  if (role) {
    // Roles belong to the server, which several runs may share. Their passwords are derived from
    // the owner's password, so all runs compute the same ones.
    url.password = createHmac('sha256', decodeURIComponent(url.password)).update(role).digest('hex')
    url.username = role
  }
  return url.href
}

/** Addresses of `database` on the server of `ownerUrl`, one for each of the three roles. */
export const urlsOf = (ownerUrl: string, database: string): DatabaseUrls => ({
  ownerUrl: address(ownerUrl, database),
  tenantUrl: address(ownerUrl, database, 'service_tenant'),
  systemUrl: address(ownerUrl, database, 'service_system')
})

/**
 * Name of the template. It contains a hash of the migrations, so an old template is never mistaken
 * for the current one.
 */
function templateName(): string {
  const folder = join(projectRoot, 'schemas/postgres')
  const hash = createHash('sha256')
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort())
    hash.update(file).update(readFileSync(join(folder, file)))
  return `service_test_template_${hash.digest('hex').slice(0, 12)}`
}

/**
 * Connections that stay open as long as the process runs, but do not keep it alive. To open a
 * connection costs more than most of these statements.
 */
const maintaining = new Map<string, pg.Pool>()

function maintenance(ownerUrl: string): pg.Pool {
  const known = maintaining.get(ownerUrl)
  if (known) return known
  const pool = new pg.Pool({
    connectionString: ownerUrl,
    application_name: 'test harness',
    max: 1,
    allowExitOnIdle: true
  })
  pool.on('error', () => undefined) // An idle connection that broke is opened again.
  maintaining.set(ownerUrl, pool)
  return pool
}

const exists = async (client: Tx, database: string): Promise<boolean> =>
  (await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database])).rowCount === 1

async function makeTemplate(ownerUrl: string, template: string): Promise<void> {
  const client = await maintenance(ownerUrl).connect()
  try {
    if (await exists(client, template)) return
    await client.query("SELECT pg_advisory_lock(hashtext('service test template'))")
    if (await exists(client, template)) return
    // Built under another name and renamed at the end, so a template that exists is complete.
    const half = `${template}_half`
    await client.query(`DROP DATABASE IF EXISTS ${half} WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${half}`)
    await migrateDatabase(urlsOf(ownerUrl, half))
    await client.query(`ALTER DATABASE ${half} RENAME TO ${template}`)
  } finally {
    client.release(true) // Ends the session, which frees the lock.
  }
}

const templates = new Map<string, Promise<string>>()

/**
 * Creates the migrated template unless it exists, and returns its name. Concurrent callers wait for
 * the same one.
 */
export function ensureTemplate(ownerUrl: string): Promise<string> {
  const known = templates.get(ownerUrl)
  if (known) return known
  const template = templateName()
  const made = makeTemplate(ownerUrl, template).then(() => template)
  templates.set(ownerUrl, made)
  made.catch(() => templates.delete(ownerUrl)) // The next caller tries again.
  return made
}

/** Drops a test's database. Throws if the name does not contain "test". */
export async function dropDatabase(ownerUrl: string, database: string): Promise<void> {
  if (!/^[a-z0-9_]*test[a-z0-9_]*$/.test(database))
    throw new Error(`only databases of a test are dropped, their names contain "test"; got "${database}"`)
  await maintenance(ownerUrl).query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
}

/** Creates a migrated, empty database for the test and drops it at teardown. */
export async function database(t: Teardown): Promise<DatabaseUrls> {
  const { postgresUrl } = engines()
  const template = await ensureTemplate(postgresUrl)
  const name = `service_test_${randomBytes(6).toString('hex')}`
  // Copies file by file. By default, each page goes through the write-ahead log, which takes twice
  // as long.
  await maintenance(postgresUrl).query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  t.teardown(() => dropDatabase(postgresUrl, name))
  return urlsOf(postgresUrl, name)
}

/**
 * Returns a configuration on the shared engines, with its own database, topic prefix and data
 * folder, free ports, and short Kafka sessions.
 */
export async function testConfig(t: Teardown, overrides: Partial<Config> = {}): Promise<Config> {
  const { kafkaBrokers, registryUrl } = engines()
  const { ownerUrl, tenantUrl, systemUrl } = await database(t)
  const dataDir = mkdtempSync(join(tmpdir(), 'service-test-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const config = readConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_KAFKA_BROKERS: kafkaBrokers.join(','),
    SERVICE_TOPIC_PREFIX: `test${randomBytes(5).toString('hex')}-`,
    SERVICE_SCHEMA_REGISTRY_URL: registryUrl,
    SERVICE_POSTGRES_URL: ownerUrl,
    SERVICE_POSTGRES_TENANT_URL: tenantUrl,
    SERVICE_POSTGRES_SYSTEM_URL: systemUrl,
    SERVICE_API_PORT: '0',
    SERVICE_INTAKE_PORT: '0',
    SERVICE_GATEWAY_PORT: '0',
    SERVICE_METRICS_PORT: '0',
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_KAFKA_SESSION_TIMEOUT_MS: '2000'
  })
  return { ...config, ...overrides }
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** Creates the topics under the prefix of `config`; deletes them at teardown. */
export async function testTopics(
  t: Teardown,
  config: Pick<Config, 'kafkaBrokers' | 'topicPrefix'>,
  names: readonly TopicName[]
): Promise<void> {
  const options = { brokers: config.kafkaBrokers, clientId: 'test-harness', topicPrefix: config.topicPrefix, log: quiet }
  await createTopics(options, names)
  t.teardown(() => deleteTopics(options, names))
}

export interface SharedEngines {
  /** Settings that make a product use these engines instead of starting its own. */
  environment: Record<string, string>
  /** Removes what the product stored in the engines. The product must have ended before. */
  clear(): Promise<void>
}

/**
 * Lends the engines of the run to a whole product, with its own database and topics. With
 * `ownBroker`, the product starts a broker of its own, so that its topics have the names without a
 * prefix that people know.
 */
export async function productEngines({ ownBroker = false } = {}): Promise<SharedEngines> {
  const { kafkaBrokers, registryUrl } = engines()
  const dropping: (() => unknown)[] = []
  const { ownerUrl, tenantUrl, systemUrl } = await database({ teardown: (drop) => void dropping.push(drop) })
  const topicPrefix = `test${randomBytes(5).toString('hex')}-`
  return {
    environment: {
      SERVICE_SCHEMA_REGISTRY_URL: registryUrl,
      SERVICE_POSTGRES_URL: ownerUrl,
      SERVICE_POSTGRES_TENANT_URL: tenantUrl,
      SERVICE_POSTGRES_SYSTEM_URL: systemUrl,
      ...(!ownBroker && { SERVICE_KAFKA_BROKERS: kafkaBrokers.join(','), SERVICE_TOPIC_PREFIX: topicPrefix })
    },
    async clear() {
      for (const drop of dropping) await drop()
      if (!ownBroker) await deleteTopics({ brokers: kafkaBrokers, clientId: 'test-harness', topicPrefix, log: quiet }, topicNames)
    }
  }
}
