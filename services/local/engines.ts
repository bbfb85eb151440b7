/**
 * Broker, registry and Postgres of a data folder, each started here or replaced by its address:
 * fetched, started side by side as far as one does not need the other, kept running, stopped in the
 * order broker, registry, Postgres. Used by the supervisor and by the test run.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { probeBroker } from '../../streams/runtime/probe.ts'
import { ensureDatabase, ensureRegistryStorage, serverReady } from '../store/server.ts'
import { fetchKafka, fetchRegistry } from './fetch.ts'
import { findJava, type Jvm } from './java.ts'
import { startKafka } from './kafka.ts'
import { KeptEngines, READY_MS } from './kept-engines.ts'
import type { Lock } from './lock.ts'
import { choosePorts, type Ports } from './ports.ts'
import { startPostgres } from './postgres.ts'
import { registryReady, registryUrl, startRegistry } from './registry.ts'
import { readSecrets, type Secrets } from './secrets.ts'

export interface EngineOptions {
  dataDir: string
  lock: Pick<Lock, 'note'>
  /** Engines of one's own: not started. */
  kafkaBrokers: string[] | null
  registryUrl: string | null
  postgresUrl: string | null
  kafkaJavaOptions?: readonly string[]
  /** Database of the service in the embedded Postgres. */
  database: string
  /**
   * True where all data is thrown away with the run: the registry keeps its data in memory and
   * Postgres does not wait for the disk.
   */
  throwaway: boolean
  tell(line: string): void
}

export interface Engines {
  /**
   * Each resolves when that part can be worked with, and rejects with a sentence when it cannot be
   * brought up.
   */
  postgres: Promise<{ ownerUrl: string }>
  kafka: Promise<{ brokers: string[] }>
  registry: Promise<{ url: string }>
  secrets: Secrets
  stop(): Promise<void>
}

const KAFKA_STOP_MS = 20_000
const OTHERS_STOP_MS = 10_000

const ports = ['postgres', 'kafka', 'kafka_controller', 'registry', 'registry_management'] as const

/** What each engine is brought up with. */
interface Scene {
  options: EngineOptions
  folders: { logs: string; scratch: string }
  /** Null when neither broker nor registry is started here. */
  jvm: Jvm | null
  port: Ports<(typeof ports)[number]>
  secrets: Secrets
  engines: KeptEngines
  readyAfter(name: string, port: number): void
}

/**
 * Present: a broker that ended is not started again until the file is gone. For tests of an absent
 * broker.
 */
export const holdFile = (dataDir: string): string => join(dataDir, 'control/hold-kafka')

/** Throws Missing when Java or Maven is needed and not there. Nothing has been started then. */
export async function startEngines(options: EngineOptions): Promise<Engines> {
  const { dataDir, lock, tell } = options
  const folders = makeFolders(dataDir)
  const jvm = options.kafkaBrokers && options.registryUrl ? null : findJava()
  const port = await choosePorts(dataDir, ports)
  const secrets = readSecrets(dataDir)
  const engines = new KeptEngines({ logs: folders.logs, lock, tell })
  const begun = Date.now()
  const readyAfter = (name: string, at: number): void =>
    tell(`${name} ready after ${((Date.now() - begun) / 1000).toFixed(1)} s (port ${at})`)
  const scene: Scene = { options, folders, jvm, port, secrets, engines, readyAfter }

  const database = bringUpPostgres(scene)
  const all = { postgres: database, kafka: bringUpKafka(scene), registry: bringUpRegistry(scene, database) }
  // Whoever waits for a part learns of its failure; the others may be waited for later.
  for (const part of Object.values(all)) part.catch(() => undefined)
  return { ...all, secrets, stop: () => engines.stop(Object.values(all)) }
}

function makeFolders(dataDir: string): Scene['folders'] {
  const logs = join(dataDir, 'logs')
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  const scratch = join(dataDir, 'tmp') // A killed JVM does not clear up behind itself.
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { mode: 0o700 })
  mkdirSync(join(dataDir, 'control'), { recursive: true, mode: 0o700 })
  return { logs, scratch }
}

async function bringUpPostgres({ options, folders, port, secrets, engines, readyAfter }: Scene): Promise<{ ownerUrl: string }> {
  if (options.postgresUrl) {
    await serverReady(options.postgresUrl, AbortSignal.timeout(READY_MS))
    // Its registry may be one of ours, with its tables beside the service's.
    if (!options.registryUrl && !options.throwaway) await ensureRegistryStorage(options.postgresUrl, secrets.service_registry)
    return { ownerUrl: options.postgresUrl }
  }
  const serverUrl = `postgres://service_owner:${secrets.service_owner}@127.0.0.1:${port.postgres}/postgres`
  const settings = {
    folder: join(options.dataDir, 'postgres'),
    port: port.postgres,
    password: secrets.service_owner,
    logFile: join(folders.logs, 'postgres.log'),
    durable: !options.throwaway
  }
  await engines.run('postgres', {
    start: () => startPostgres(settings),
    ready: (_, ended) => serverReady(serverUrl, ended),
    // At once, but not without giving back what it shares in memory.
    stopSignal: options.throwaway ? 'SIGQUIT' : 'SIGINT',
    stopMs: OTHERS_STOP_MS
  })
  await ensureDatabase(serverUrl, options.database)
  const url = new URL(serverUrl)
  url.pathname = `/${options.database}`
  if (!options.throwaway) await ensureRegistryStorage(url.href, secrets.service_registry)
  readyAfter('postgres', port.postgres)
  return { ownerUrl: url.href }
}

async function bringUpKafka({ options, folders, jvm, port, engines, readyAfter }: Scene): Promise<{ brokers: string[] }> {
  if (options.kafkaBrokers || !jvm) {
    const brokers = options.kafkaBrokers ?? []
    await probeBroker(brokers, READY_MS)
    return { brokers }
  }
  const jars = await fetchKafka(jvm, engines.stopping)
  const brokers = [`127.0.0.1:${port.kafka}`]
  const settings = {
    jvm,
    jars,
    scratch: folders.scratch,
    javaOptions: options.kafkaJavaOptions ?? [],
    folder: join(options.dataDir, 'kafka'),
    port: port.kafka,
    controllerPort: port.kafka_controller,
    logFile: join(folders.logs, 'kafka.log')
  }
  await engines.run('kafka', {
    start: () => startKafka(settings),
    ready: (_, ended) => probeBroker(brokers, READY_MS, ended),
    stopSignal: options.throwaway ? 'SIGKILL' : 'SIGTERM',
    stopMs: KAFKA_STOP_MS,
    held: () => existsSync(holdFile(options.dataDir))
  })
  readyAfter('kafka', port.kafka)
  return { brokers }
}

async function bringUpRegistry(scene: Scene, database: Promise<{ ownerUrl: string }>): Promise<{ url: string }> {
  const { options, folders, jvm, port, secrets, engines, readyAfter } = scene
  if (options.registryUrl || !jvm) return { url: options.registryUrl ?? '' }
  const [folder, storage] = await Promise.all([
    fetchRegistry(jvm, engines.stopping),
    options.throwaway ? null : database.then(({ ownerUrl }) => storageOf(ownerUrl, secrets.service_registry))
  ])
  const settings = {
    jvm,
    folder,
    port: port.registry,
    managementPort: port.registry_management,
    scratch: folders.scratch,
    storage,
    logFile: join(folders.logs, 'registry.log')
  }
  await engines.run('registry', {
    start: () => startRegistry(settings),
    ready: (_, ended) => registryReady(port.registry_management, ended),
    stopSignal: options.throwaway ? 'SIGKILL' : 'SIGTERM',
    stopMs: OTHERS_STOP_MS
  })
  readyAfter('registry', port.registry)
  return { url: registryUrl(port.registry) }
}

function storageOf(ownerUrl: string, password: string): { host: string; port: number; database: string; user: string; password: string } {
  const { hostname, port, pathname } = new URL(ownerUrl)
  return { host: hostname, port: Number(port || 5432), database: pathname.slice(1), user: 'service_registry', password }
}
