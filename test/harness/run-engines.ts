/**
 * Real engines for test files: started in a folder that is thrown away, or those that the
 * environment names. `npm test` starts them for one run, `npm run engines` keeps them until it is
 * stopped, and `npm run test:one` uses the kept ones where there are some.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { startEngines } from '../../services/local/engines.ts'
import { type Identity, isRunning } from '../../services/local/identity.ts'
import { takeLock } from '../../services/local/lock.ts'
import { readLocalOptions } from '../../services/local/options.ts'
import { migrateSchemas } from '../../services/operator/migrate.ts'
import { ensureTemplate } from './engines.ts'

/** The three addresses, under the names that `engines()` of test/harness/engines.ts reads. */
export type Addresses = Record<'SERVICE_KAFKA_BROKERS' | 'SERVICE_SCHEMA_REGISTRY_URL' | 'SERVICE_POSTGRES_URL', string>

/** What `npm run engines` leaves for others while it runs. */
export interface KeptEngines {
  process: Identity
  addresses: Addresses
}

export const KEPT_FILE = join(projectRoot, '.engines', 'running.json')

export interface TestEngines {
  /**
   * Resolves when every engine is ready and holds the migrated template database and the registered
   * schemas. Rejects with one sentence.
   */
  addresses: Promise<Addresses>
  /** Stops what was started here, also half-way, and removes its data. */
  stop(): Promise<void>
}

/** A file system in memory, where Linux has one. */
const IN_MEMORY = '/dev/shm'
/** Of the engines of a whole run, with room to spare. */
const DATA_BYTES = 4 * 2 ** 30

/**
 * Where the data of engines lies: in memory where there is plenty. Each test copies a database of a
 * thousand files and drops it, and a file system of a disk takes four times as much of a processor
 * for that. The broker loads programs from there, so it must be allowed.
 */
function placeOfData(): string {
  if (process.platform !== 'linux' || !existsSync(IN_MEMORY)) return tmpdir()
  const mount = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, at]) => at === IN_MEMORY)
  const [, , type, rights = ''] = mount ?? []
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  const hasRoom = bavail * bsize >= DATA_BYTES && process.availableMemory() >= 2 * DATA_BYTES
  return type === 'tmpfs' && !rights.split(',').includes('noexec') && hasRoom ? IN_MEMORY : tmpdir()
}

/** Throws one sentence when Java or Maven is missing. Nothing has been started then. */
export async function startTestEngines(tell: (line: string) => void): Promise<TestEngines> {
  const from = Date.now()
  const folder = mkdtempSync(join(placeOfData(), 'service-test-'))
  const lock = await takeLock(folder, tell)
  const clear = async (): Promise<void> => {
    await lock.release()
    rmSync(folder, { recursive: true, force: true })
  }
  const options = { ...readLocalOptions(), dataDir: folder, lock, database: 'service_test', throwaway: true, tell }
  const started = await startEngines(options).catch(async (error: Error) => {
    await clear()
    throw error
  })
  const bringUp = async (): Promise<Addresses> => {
    const [{ ownerUrl }, { brokers }, { url }] = await Promise.all([
      started.postgres.then(async (address) => {
        await ensureTemplate(address.ownerUrl)
        return address
      }),
      started.kafka,
      started.registry.then(async (address) => {
        await migrateSchemas(address.url)
        return address
      })
    ])
    tell(`engines ready after ${((Date.now() - from) / 1000).toFixed(1)} s`)
    return { SERVICE_KAFKA_BROKERS: brokers.join(','), SERVICE_SCHEMA_REGISTRY_URL: url, SERVICE_POSTGRES_URL: ownerUrl }
  }
  const addresses = bringUp()
  addresses.catch(() => undefined) // Whoever waits for it learns of its failure.
  return {
    addresses,
    async stop() {
      await started.stop()
      await clear()
    }
  }
}

/** Addresses of the kept engines; null where none are running. */
export function keptEngines(file = KEPT_FILE): Addresses | null {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as KeptEngines
    return isRunning(kept.process) ? kept.addresses : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
