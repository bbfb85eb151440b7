/**
 * Provides real engines for test files: started in a temporary folder, or those that the
 * environment names. `npm test` starts them for one run. `npm run engines` keeps them running until
 * it is stopped, and `npm run test:one` uses these if they run.
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

/** The file that `npm run engines` leaves for other processes while it runs. */
export interface KeptEngines {
  process: Identity
  addresses: Addresses
}

export const KEPT_FILE = join(projectRoot, '.engines', 'running.json')

export interface TestEngines {
  /**
   * Resolves when every engine is ready, the migrated template database exists and the schemas are
   * registered. Rejects with one sentence.
   */
  addresses: Promise<Addresses>
  /** Stops what was started here, even if the start is not complete, and removes its data. */
  stop(): Promise<void>
}

/** The file system in memory that Linux may have. */
const IN_MEMORY = '/dev/shm'
/** Data of the engines in a whole run, with room to spare. */
const DATA_BYTES = 4 * 2 ** 30

/**
 * Returns the folder for the data of the engines: in memory if there is enough. Each test copies a
 * database of a thousand files and drops it; on a disk's file system that takes four times as much
 * CPU time. The broker loads programs from this folder, so the mount must allow to run them.
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

/**
 * Starts the engines. Throws one sentence if Java or Maven is missing; nothing has been started
 * then.
 */
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
  addresses.catch(() => undefined) // Callers that await it see the error.
  return {
    addresses,
    async stop() {
      await started.stop()
      await clear()
    }
  }
}

/** Returns the addresses of the kept engines, or null if none are running. */
export function keptEngines(file = KEPT_FILE): Addresses | null {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as KeptEngines
    return isRunning(kept.process) ? kept.addresses : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
