/**
 * The real engines as a test file sees them: addresses from the environment (test/run.ts sets
 * them), a database of its own cloned from a migrated template, a configuration with a topic prefix
 * of its own, topics that go away with the test.
 *
 * Every database and prefix carries "test" in its name, and what cleans up refuses names without
 * it.
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

/** What the harness needs of a tap test. */
export interface Teardown {
  teardown(handler: () => unknown): void
}

export interface Engines {
  kafkaBrokers: string[]
  registryUrl: string
  /** Owner's address of the maintenance database; tests work in clones. */
  postgresUrl: string
}

/**
 * Addresses of the running engines. Throws one sentence when they are not there: `npm test` starts
 * them.
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

/** The same server, another database, and optionally another role. */
function address(ownerUrl: string, database: string, role?: 'service_tenant' | 'service_system'): string {
  const url = new URL(ownerUrl)
  url.pathname = `/${database}`
  if (role) {
    // The roles belong to the server, which several runs may share: their passwords follow from the
    // owner's, so that all agree on them.
    url.password = createHmac('sha256', decodeURIComponent(url.password)).update(role).digest('hex')
    url.username = role
  }
  return url.href
}

/** Addresses of `database` on the server of `ownerUrl`, for the three roles. */
export const urlsOf = (ownerUrl: string, database: string): DatabaseUrls => ({
  ownerUrl: address(ownerUrl, database),
  tenantUrl: address(ownerUrl, database, 'service_tenant'),
  systemUrl: address(ownerUrl, database, 'service_system')
})

/**
 * Name of the template: it changes with the migrations, so an old template is never taken for the
 * new one.
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
 * Kept for as long as the process runs, which it does not hold up: a connection costs more than
 * what most of these statements do.
 */
const maintaining = new Map<string, pg.Pool>()

function maintenance(ownerUrl: string): pg.Pool {
  const known = maintaining.get(ownerUrl)
  if (known) return known
  const pool = new pg.Pool({
    connectionString: ownerUrl,
    application_name: 'test harness',
    max: 1,
    allowExitOnIdle: true,
    connectionTimeoutMillis: 5000
  })
  pool.on('error', () => undefined) // An idle one that broke is opened again.
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
    // Built under another name: a template that exists is a template that is whole.
    const half = `${template}_half`
    await client.query(`DROP DATABASE IF EXISTS ${half} WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${half}`)
    await migrateDatabase(urlsOf(ownerUrl, half))
    await client.query(`ALTER DATABASE ${half} RENAME TO ${template}`)
  } finally {
    client.release(true) // Ends the session, and with it the lock.
  }
}

const templates = new Map<string, Promise<string>>()

/**
 * Creates the migrated template unless it is there. Returns its name. Whoever asks meanwhile waits.
 */
export function ensureTemplate(ownerUrl: string): Promise<string> {
  const known = templates.get(ownerUrl)
  if (known) return known
  const template = templateName()
  const made = makeTemplate(ownerUrl, template).then(() => template)
  templates.set(ownerUrl, made)
  return made
}

/** Drops a database of a test; refuses a name without "test". */
export async function dropDatabase(ownerUrl: string, database: string): Promise<void> {
  if (!/^[a-z0-9_]*test[a-z0-9_]*$/.test(database))
    throw new Error(`only databases of a test are dropped, their names contain "test"; got "${database}"`)
  await maintenance(ownerUrl).query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
}

/** A migrated, empty database of the test's own; dropped at teardown. */
export async function database(t: Teardown): Promise<DatabaseUrls> {
  const { postgresUrl } = engines()
  const template = await ensureTemplate(postgresUrl)
  const name = `service_test_${randomBytes(6).toString('hex')}`
  // File by file: by default each page goes through the log, which takes twice as long.
  await maintenance(postgresUrl).query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  t.teardown(() => dropDatabase(postgresUrl, name))
  return urlsOf(postgresUrl, name)
}

/**
 * A configuration on the shared engines: its own database, topic prefix and data folder, free
 * ports, short Kafka sessions.
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
  /** Tells a product to use them, instead of starting some of its own. */
  environment: Record<string, string>
  /** Removes what the product, which has ended, kept in them. */
  clear(): Promise<void>
}

/**
 * The engines of the run for a whole product, with a database and topics of its own in them;
 * `ownBroker`: all but the broker, for one whose topics have the names that people know.
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
