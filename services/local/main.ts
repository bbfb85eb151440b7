/**
 * The supervisor that `npm start` runs. It takes the data folder, starts Postgres, Kafka and the
 * registry (or uses those that the environment names), migrates, makes the first workspace, runs
 * the roles and keeps everything running. SIGINT and SIGTERM stop the roles, then broker, registry
 * and Postgres. When the supervisor is killed, its processes end by themselves; the next start ends
 * those that still run (lock.ts).
 */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseSocketServer } from '../http/socket-server.ts'
import { migrateDatabase, migrateSchemas, migrateTopics } from '../operator/migrate.ts'
import { ConfigError, ENGINES_FILE } from '../process/config.ts'
import { type Engines, startEngines } from './engines.ts'
import { type Access, accessFile, ensureWorkspace, type FirstWorkspace, makeDoor, makeIntegration } from './first-workspace.ts'
import type { Kept } from './keep.ts'
import { type Lock, takeLock, writeWhole } from './lock.ts'
import { type LocalOptions, listeners, readLocalOptions } from './options.ts'
import { choosePorts } from './ports.ts'
import { ensureProbers } from './probers.ts'
import { healthy, keepRole, processNames, type RoleAddresses } from './roles.ts'

const HEALTHY_MS = 20_000
const REPEAT_MS = 2000
const begun = Date.now()
const tell = (line: string): void => void process.stdout.write(`${line}\n`)
const since = (from: number): string => `${((Date.now() - from) / 1000).toFixed(1)} s`

let stopping: Promise<void> | undefined
let signalled = 0
let lock: Lock | undefined
let engines: Engines | undefined
let enginesFile: string | undefined
const roles: Kept[] = []

/** Stops everything in order. A second call waits for the same stop. */
function stop(): Promise<void> {
  stopping ??= (async () => {
    await Promise.all(roles.map((role) => role.stop()))
    await engines?.stop()
    if (enginesFile) rmSync(enginesFile, { force: true })
    await lock?.release()
  })()
  return stopping
}

function onSignal(signal: NodeJS.Signals): void {
  if (stopping) {
    // Ctrl-C arrives from the terminal, and a second time through npm.
    if (Date.now() - signalled < REPEAT_MS) return
    // When this process exits, the leashes end the others. The next start makes sure of it
    // (lock.ts).
    tell('What still runs ends by itself.')
    process.exit(130)
  }
  tell(
    `${signal}: stopping roles, Kafka, registry and Postgres; the first time takes longer, because the JVMs keep their parsed classes for the next start`
  )
  signalled = Date.now()
  stop().then(
    () => {
      tell(`stopped after ${since(signalled)}`)
      process.exit(0)
    },
    (error: Error) => {
      process.stderr.write(`${error.message}\n`)
      process.exit(1)
    }
  )
}

/**
 * Returns the role URLs: as configured, or else the owner's with the passwords of the data folder.
 */
function roleUrls(options: LocalOptions, ownerUrl: string, { secrets }: Engines): { tenantUrl: string; systemUrl: string } {
  const as = (role: 'service_tenant' | 'service_system'): string => {
    const url = new URL(ownerUrl)
    url.username = role
    url.password = secrets[role]
    return url.href
  }
  return { tenantUrl: options.postgresTenantUrl ?? as('service_tenant'), systemUrl: options.postgresSystemUrl ?? as('service_system') }
}

/** The longest path of a socket file that known systems allow. */
const SOCKET_PATH = 100

/**
 * The socket of analytics: in the data folder, or, when that path would be too long, in the
 * system's temporary folder under a unique name.
 */
function socketPath(dataDir: string): string {
  const path = join(dataDir, 'analytics.sock')
  return path.length <= SOCKET_PATH
    ? path
    : join(tmpdir(), `service-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`)
}

function listenerOf(address: string, defaultPort: number): string {
  const { hostname, port, protocol } = new URL(address)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : defaultPort)}`
}

/**
 * Starts the engines and migrates. Resolves with the addresses for the roles and the first
 * workspace.
 */
async function prepare(options: LocalOptions, held: Lock): Promise<{ addresses: RoleAddresses; workspace: FirstWorkspace }> {
  chooseSocketServer() // Before any engine starts: intake and gateway need it.
  const { dataDir, host } = options
  const started = await startEngines({ ...options, lock: held, database: 'service', throwaway: false, tell })
  engines = started
  const metricsNames = processNames.map((name) => `${name}_metrics` as const)
  const port = await choosePorts(dataDir, [...listeners, ...metricsNames], options.ports, { api: 8080 }, host)
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const publicUrl = options.publicUrl ?? `http://${shown}:${port.api}`

  const analyticsUrl = `unix:${socketPath(dataDir)}`
  const stored = started.postgres.then(async ({ ownerUrl }) => {
    const urls = { ownerUrl, ...roleUrls(options, ownerUrl, started) }
    const from = Date.now()
    const ran = await migrateDatabase(urls, tell)
    const workspace = await ensureWorkspace(dataDir, urls.systemUrl, publicUrl)
    const proberTokens = await ensureProbers(urls.systemUrl, started.secrets)
    tell(`database migrated in ${since(from)} (${ran.length} new)`)
    return { urls, workspace, proberTokens }
  })
  const logged = started.kafka.then(async ({ brokers }) => {
    const from = Date.now()
    const created = await migrateTopics({ kafkaBrokers: brokers, topicPrefix: options.topicPrefix })
    tell(`topics verified in ${since(from)} (${created.length} new)`)
    return brokers
  })
  const registered = started.registry.then(async ({ url }) => {
    const from = Date.now()
    const registered = await migrateSchemas(url, { onlyMissing: true })
    tell(`schemas ${registered ? 'registered' : 'verified'} in ${since(from)}`)
    return url
  })
  const [{ urls, workspace, proberTokens }, kafkaBrokers, registryUrl] = await Promise.all([stored, logged, registered])
  const { tenantUrl, systemUrl } = urls
  const secretsKey = options.secretsKey ?? started.secrets.secrets_key
  const lines = {
    SERVICE_KAFKA_BROKERS: kafkaBrokers.join(','),
    SERVICE_SCHEMA_REGISTRY_URL: registryUrl,
    SERVICE_TOPIC_PREFIX: options.topicPrefix,
    SERVICE_POSTGRES_URL: urls.ownerUrl,
    SERVICE_POSTGRES_TENANT_URL: tenantUrl,
    SERVICE_POSTGRES_SYSTEM_URL: systemUrl,
    SERVICE_SECRETS_KEY: secretsKey,
    SERVICE_PUBLIC_URL: publicUrl
  }
  writeWhole(
    join(dataDir, ENGINES_FILE),
    Object.entries(lines)
      .map(([name, value]) => `${name}=${value}\n`)
      .join('')
  )
  const metricsPorts = Object.fromEntries(processNames.map((name) => [name, port[`${name}_metrics`]])) as RoleAddresses['metricsPorts']
  const ports = { apiPort: port.api, intakePort: port.intake, gatewayPort: port.gateway, metricsPorts }
  const engineAddresses = [...kafkaBrokers, listenerOf(registryUrl, 80), listenerOf(urls.ownerUrl, 5432)]
  const ownListeners = [...engineAddresses, ...Object.values(port).map((number) => `127.0.0.1:${number}`)]
  const probing = { proberTokens, ownListeners, secretsKey, analyticsUrl }
  return { addresses: { kafkaBrokers, registryUrl, tenantUrl, systemUrl, publicUrl, host, dataDir, ...ports, ...probing }, workspace }
}

async function runRoles(addresses: RoleAddresses, held: Lock): Promise<void> {
  const from = Date.now()
  await Promise.all(
    processNames.map(async (name) => {
      if (stopping) return
      const role = keepRole(name, addresses, held, tell)
      roles.push(role)
      await role.ready
      const well = await healthy(addresses.metricsPorts[name], HEALTHY_MS)
      tell(`${name} ready after ${since(from)}${well ? '' : ', but not all of its parts can work yet'}`)
    })
  )
}

/**
 * Returns how to send a first alert. The integration is made once, with the workspace. Its address
 * holds its token and is shown once, like every token.
 */
async function firstAlert(access: Access, created: boolean): Promise<string> {
  const curl = (url: string) =>
    `curl -X POST ${url} -H 'content-type: application/json' -d '{"title":"Disk full on db-1","severity":"critical"}'`
  if (created) {
    try {
      return curl(await makeDoor(access))
    } catch (error) {
      tell(`No door was made for a first alert: ${(error as Error).message}`)
    }
  }
  return `make an integration (${makeIntegration.method} ${access.base_url}${makeIntegration.path}) and post to the address it answers`
}

async function welcome({ access, created }: FirstWorkspace, addresses: RoleAddresses): Promise<void> {
  const file = accessFile(addresses.dataDir)
  tell('')
  tell(`The service runs at ${addresses.publicUrl} (ready after ${since(begun)})`)
  if (access && created) {
    tell(`  log in       ${access.email}  ${access.password}`)
    tell(`  API token    ${access.api_token}`)
    tell(`               shown this once; both are in ${file}, readable by you only`)
  } else if (access) tell(`  log in       ${access.email}; password and API token are in ${file}`)
  else tell(`  log in       with an account of its workspaces; they were not made here, so ${file} is not written`)
  if (access) tell(`  first alert  ${await firstAlert(access, created)}`)
  tell(`  logs         ${join(addresses.dataDir, 'logs')}`)
  tell('  stop         Ctrl-C')
}

async function main(): Promise<void> {
  const options = readLocalOptions()
  const held = await takeLock(options.dataDir, tell)
  lock = held
  enginesFile = join(options.dataDir, ENGINES_FILE)
  rmSync(enginesFile, { force: true }) // Left by a run that was killed.
  const { addresses, workspace } = await prepare(options, held)
  await runRoles(addresses, held)
  await welcome(workspace, addresses)
}

// The reader of the output may close first (a terminal, `npm start | head`). The service keeps
// running, and stops in order when it is asked to.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
process.on('SIGINT', onSignal)
process.on('SIGTERM', onSignal)
process.on('SIGHUP', onSignal)
main().catch(async (error: unknown) => {
  if (stopping) return // A signal came while it was starting: what was being waited for is gone.
  // Expected failures explain themselves in a sentence; a bug needs its stack trace.
  const fault = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
  const text = error instanceof Error ? ((fault ? error.stack : null) ?? error.message) : String(error)
  process.stderr.write(`${text}\n`)
  await stop().catch((failure: Error) => process.stderr.write(`${failure.message}\n`))
  process.exit(error instanceof ConfigError ? 2 : 1)
})
