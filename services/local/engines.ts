/**
 * Broker, registry and Postgres of a data folder. Each is started here, or replaced by the address
 * of an existing one. They are fetched, started in parallel as far as their dependencies allow,
 * kept running, and stopped in the order broker, registry, Postgres. Used by the supervisor and by
 * the test run.
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
  /** Existing engines, which are not started here. */
  kafkaBrokers: string[] | null
  registryUrl: string | null
  postgresUrl: string | null
  kafkaJavaOptions?: readonly string[]
  /** The service's database in the embedded Postgres. */
  database: string
  /**
   * True when all data is deleted after the run: the registry keeps its data in memory and Postgres
   * does not wait for the disk.
   */
  throwaway: boolean
  tell(line: string): void
}

export interface Engines {
  /**
   * Each resolves when that engine is usable, and rejects with a sentence when it cannot be
   * started.
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

/** What starting an engine needs. */
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
 * While this file exists, a broker that ended is not started again. For tests of a missing broker.
 */
export const holdFile = (dataDir: string): string => join(dataDir, 'control/hold-kafka')

/** Throws Missing when Java or Maven is needed and not installed. Nothing has been started then. */
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
  // Everyone who waits for an engine learns of its failure. The other engines may be waited for
  // later, so their rejections must not count as unhandled.
  for (const part of Object.values(all)) part.catch(() => undefined)
  return { ...all, secrets, stop: () => engines.stop(Object.values(all)) }
}

function makeFolders(dataDir: string): Scene['folders'] {
  const logs = join(dataDir, 'logs')
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  const scratch = join(dataDir, 'tmp') // A killed JVM leaves its files here.
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { mode: 0o700 })
  mkdirSync(join(dataDir, 'control'), { recursive: true, mode: 0o700 })
  return { logs, scratch }
}

async function bringUpPostgres({ options, folders, port, secrets, engines, readyAfter }: Scene): Promise<{ ownerUrl: string }> {
  if (options.postgresUrl) {
    await serverReady(options.postgresUrl, AbortSignal.timeout(READY_MS))
    // The registry may still be started here, with its tables beside the service's.
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
    // Stops at once, but still releases its shared memory.
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
