/**
 * Engines that outlive a test run, for working on many files in a row: `node --import=tsx test/harness/shared.ts`. Prints where to find them; they are stopped,
 * and their data is thrown away, when this process is.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngines } from '../../services/local/engines.ts'
import { takeLock, writeWhole } from '../../services/local/lock.ts'
import { migrateSchemas } from '../../services/migrate.ts'

const tell = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), 'service-test-shared-'))
const lock = await takeLock(folder, tell)
const none = { kafkaBrokers: null, registryUrl: null, postgresUrl: null }
const engines = await startEngines({ ...none, dataDir: folder, lock, database: 'service_test', throwaway: true, tell })

async function stop(code: number): Promise<never> {
  await engines.stop()
  await lock.release()
  rmSync(folder, { recursive: true, force: true })
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))

try {
  const [{ ownerUrl }, { brokers }, { url }] = await Promise.all([engines.postgres, engines.kafka, engines.registry])
  await migrateSchemas(url)
  const file = join(folder, 'engines.env')
  const addresses = { SERVICE_KAFKA_BROKERS: brokers.join(','), SERVICE_SCHEMA_REGISTRY_URL: url, SERVICE_POSTGRES_URL: ownerUrl }
  writeWhole(
    file,
    Object.entries(addresses)
      .map(([name, value]) => `${name}=${value}\n`)
      .join('')
  )
  tell(`set -a; . ${file}; set +a; npx tap test/<file>.test.ts`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  await stop(1)
}
