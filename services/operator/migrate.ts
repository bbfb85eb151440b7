/**
 * The one step that changes structures: tables and roles in Postgres, topics on the log, schemas in
 * the registry. `npm run migrate` runs it, and so does every start of the local stack. Nothing else
 * creates or registers anything.
 *
 * Migrations are the plain SQL files of schemas/postgres in the order of their numbers. Each runs
 * once, and all pending ones run in one transaction under an advisory lock, so two migrators run
 * one after the other. `--new-log` also deletes the positions of processors in the previous log,
 * and puts everything that a compacted topic shows into the outbox. It refuses while the log is the
 * one that all positions are in, because all of it would be judged a second time. `--restored`,
 * after a restore of Postgres beside a kept log, makes the settings in Postgres those of all folds.
 * `--roles` creates the roles of the service on a server that is about to get a dump, and does
 * nothing else.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectRoot } from '../../schemas/files.ts'
import { topicNames } from '../../schemas/topics.ts'
import { countRecords, readLogState } from '../../streams/runtime/connect.ts'
import { createTopics, verifyTopics } from '../../streams/runtime/create-topics.ts'
import { forgetOffsets, readStoredTopics } from '../../streams/runtime/offsets.ts'
import { connectRegistry, RegistryError } from '../../streams/runtime/registry.ts'
import { connectCodec } from '../../streams/runtime/registry-codec.ts'
import { type Config, localEnvironment, readConfig } from '../process/config.ts'
import { forgetPlaces } from '../store/incidents.ts'
import { createPool, type Pool, transaction } from '../store/pool.ts'
import { settingsRestored } from '../store/restored.ts'
import { appliedMigrations, createMissingRoles, ensureLogin, missingRoles } from '../store/server.ts'
import { markStates } from '../store/state-marks.ts'
import { runMigrations } from './migrations.ts'
import { runTool, UsageError } from './tool.ts'

export interface DatabaseUrls {
  /** Owner of the schema. */
  ownerUrl: string
  /** Logs in as service_tenant. */
  tenantUrl: string
  /** Logs in as service_system. */
  systemUrl: string
}

type Tell = (line: string) => void
type LogSettings = Pick<Config, 'kafkaBrokers' | 'topicPrefix'>

const MIGRATION = /^\d{4}_[a-z0-9_]+\.sql$/

/**
 * Migrates the database of `ownerUrl` to the newest version and makes sure that both role URLs can
 * log in. Returns the names of the migrations it ran. Throws when a migration fails (then none of
 * it is kept), when a newer version of the service has migrated the database, or when it was
 * restored without the roles of the service.
 */
export async function migrateDatabase({ ownerUrl, tenantUrl, systemUrl }: DatabaseUrls, tell: Tell = () => undefined): Promise<string[]> {
  const dir = join(projectRoot, 'schemas/postgres')
  const known = readdirSync(dir).filter((name) => MIGRATION.test(name))
  const applied = await appliedMigrations(ownerUrl)
  const unknown = applied.filter((name) => !known.includes(`${name}.sql`))
  if (unknown.length > 0)
    throw new Error(
      `The database has seen migrations that this version of the service does not have (${unknown.join(', ')}): run the newer version`
    )
  const missing = applied.length > 0 ? await missingRoles(ownerUrl) : []
  if (missing.length > 0)
    throw new Error(
      `The server does not have ${missing.join(' and ')}, so the database was restored without their rights: run migrate --roles, then restore the database again`
    )
  const ran = await runMigrations({ ownerUrl, dir, pattern: MIGRATION }, tell)
  for (const url of [tenantUrl, systemUrl]) await ensureLogin(ownerUrl, url)
  return ran
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * Creates the missing topics and checks all of them. Returns the names created. Throws an error
 * that names every topic that differs from schemas/topics.ts.
 */
export async function migrateTopics({ kafkaBrokers, topicPrefix }: LogSettings): Promise<string[]> {
  const options = { brokers: kafkaBrokers, clientId: 'migrate', topicPrefix, log: quiet }
  const created = await createTopics(options)
  await verifyTopics(options)
  return created
}

/**
 * Registers the current schemas and sets the compatibility of their subjects. Throws an error that
 * names subject and field of an incompatible change. With `onlyMissing` it does nothing when all
 * current schemas are there, because registering is slow in a registry that has just started.
 * Returns whether it registered.
 */
export async function migrateSchemas(registryUrl: string, { onlyMissing = false } = {}): Promise<boolean> {
  const registry = await connectRegistry(registryUrl)
  if (onlyMissing) {
    try {
      await registry.idsOfAll()
      return false
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error
    }
  }
  await registry.registerAll()
  return true
}

/**
 * Throws UsageError if all stored positions are in the log that the broker has now, and one of
 * their topics holds records. Returns the id of this log's cluster if some are in another one: a
 * processor that had none may have begun in the new log already, and must not judge its records
 * again.
 */
async function verifyNewLog(pool: Pool, { kafkaBrokers, topicPrefix }: LogSettings): Promise<string | null> {
  const stored = await readStoredTopics(pool)
  if (stored.length === 0) return null
  const log = { brokers: kafkaBrokers, clientId: 'migrate', topicPrefix, log: quiet }
  const { clusterId } = await readLogState(log)
  if (stored.some((one) => one.clusterId !== clusterId)) return clusterId
  const own = topicNames.filter((name) => stored.some(({ topic }) => topic === name))
  const records = own.length > 0 ? await countRecords(log, own) : 0
  if (records === 0) return null
  throw new UsageError(
    `This is no new log: the stored positions are in its cluster ${clusterId}, and it holds ${records} record(s) that would be judged a second time. Nothing was changed. Begin a log with empty volumes and a new cluster id first (docs/operations.md, "The only broker lost the end of its log").`
  )
}

/**
 * Lets processors begin at the start of the current log after Kafka was replaced or wiped. It
 * deletes their positions in another log, and the stored positions of the last signals. The relay
 * then sends every state of a compacted topic to the new log. Returns how many positions and states
 * there were. Throws UsageError if it is the log that all positions are in.
 */
export async function beginNewLog(ownerUrl: string, log: LogSettings): Promise<{ positions: number; states: number }> {
  // It rewrites a row for each key of an alert that was ever seen.
  const pool = createPool(ownerUrl, { application_name: 'migrate', max: 1, statementTimeoutMs: 0 })
  try {
    const kept = await verifyNewLog(pool, log)
    return await transaction(pool, async (tx) => {
      await forgetPlaces(tx)
      const states = await markStates(tx)
      return { positions: await forgetOffsets(tx, kept), states }
    })
  } finally {
    await pool.end()
  }
}

/** Makes the settings in Postgres those of all folds, and says how many of each there are. */
async function takeRestored({ postgresSystemUrl, registryUrl }: Pick<Config, 'postgresSystemUrl' | 'registryUrl'>): Promise<string> {
  const codec = await connectCodec(registryUrl)
  const pool = createPool(postgresSystemUrl, { application_name: 'migrate', max: 1, statementTimeoutMs: 0 })
  try {
    const { monitors, heartbeats, budgets } = await settingsRestored(pool, codec)
    return `Restored: the settings of ${monitors} monitor(s), ${heartbeats} heartbeat(s) and ${budgets} budget(s) are sent as new versions; processors take them in place of those that were made after the backup.`
  } finally {
    await pool.end()
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'new-log': { type: 'boolean', default: false },
      restored: { type: 'boolean', default: false },
      roles: { type: 'boolean', default: false }
    }
  })
  const config = readConfig(
    localEnvironment(),
    values.roles ? ['owner', 'tenant', 'system'] : ['kafka', 'registry', 'owner', 'tenant', 'system']
  )
  const tell: Tell = (line) => process.stdout.write(`${line}\n`)
  const { postgresUrl: ownerUrl, postgresTenantUrl: tenantUrl, postgresSystemUrl: systemUrl } = config
  if (values.roles) {
    const created = await createMissingRoles(ownerUrl)
    for (const url of [tenantUrl, systemUrl]) await ensureLogin(ownerUrl, url)
    tell(created.length > 0 ? `Postgres: created ${created.join(', ')}` : 'Postgres: all roles are there')
    return
  }
  const migrations = await migrateDatabase({ ownerUrl, tenantUrl, systemUrl }, tell)
  tell(migrations.length > 0 ? `Postgres: ran ${migrations.join(', ')}` : 'Postgres: nothing to run')
  const created = await migrateTopics(config)
  tell(created.length > 0 ? `Kafka: created ${created.join(', ')}` : 'Kafka: all topics are there')
  await migrateSchemas(config.registryUrl)
  tell('Registry: all schemas are registered')
  if (values['new-log']) {
    const { positions, states } = await beginNewLog(ownerUrl, config)
    tell(
      `New log: ${positions} stored position(s) forgotten; processors begin at the start of the log that is there now, and the relay sends ${states} state(s) to it again. Incidents stay as they are; what the old log still held unprocessed is lost.`
    )
  }
  if (values.restored) tell(await takeRestored(config))
}

runTool(import.meta.url, main)
