/**
 * Writes the types of the dashboard's client (services/web/api/openapi.ts) from the OpenAPI
 * document that the routes describe. No database or other engine is asked.
 * `npm run client`             writes the file
 * `npm run client -- --check`  writes nothing; exits with 1 if the file is stale
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createCodec } from '../../../schemas/codec.ts'
import { projectRoot } from '../../../schemas/files.ts'
import { loadRecords } from '../../../schemas/load.ts'
import { createCredentials } from '../../credentials/tokens.ts'
import { originsOf } from '../../http/origins.ts'
import { runTool, UsageError } from '../../operator/tool.ts'
import { readConfig } from '../../process/config.ts'
import { createLog } from '../../process/log.ts'
import { createMetrics } from '../../process/metrics.ts'
import { createPool } from '../../store/pool.ts'
import { createAnalytics } from '../analytics/client.ts'
import { buildApp } from '../app.ts'
import { Buckets } from '../plugins/buckets.ts'
import { IngestBudget } from '../plugins/ingest-budget.ts'
import { UseLog } from '../workspace/usage.ts'
import { type OpenApi, toClientTypes } from './types.ts'

const FILE = 'services/web/api/openapi.ts'

/** Nothing listens at this address: the api asks nobody while it describes itself. */
const NOBODY = '127.0.0.1:1'

async function describe(): Promise<OpenApi> {
  const config = readConfig({
    SERVICE_KAFKA_BROKERS: NOBODY,
    SERVICE_SCHEMA_REGISTRY_URL: `http://${NOBODY}`,
    SERVICE_POSTGRES_URL: `postgres://${NOBODY}/none`,
    SERVICE_POSTGRES_TENANT_URL: `postgres://${NOBODY}/none`,
    SERVICE_POSTGRES_SYSTEM_URL: `postgres://${NOBODY}/none`,
    SERVICE_PUBLIC_URL: 'http://127.0.0.1'
  })
  const log = createLog('client', 'error')
  const metrics = createMetrics()
  const pool = createPool(config.postgresTenantUrl, { application_name: 'client', max: 1 })
  const credentials = createCredentials({ pool, log })
  const analytics = createAnalytics({ url: `http://${NOBODY}`, secret: '', log, metrics })
  const ids = Object.fromEntries([...loadRecords().keys()].map((name, at) => [name, at + 1])) as Parameters<typeof createCodec>[0]['ids']
  const codec = createCodec({ ids, schemaById: async () => null })
  const uses = new UseLog(pool, log)
  const { app } = await buildApp({
    config,
    log,
    metrics,
    pool,
    credentials,
    codec,
    buckets: new Buckets(),
    ingest: new IngestBudget({ pool, codec, log, floor: config.ingestFloorPerMinute, instance: config.instance }),
    uses,
    analytics,
    origins: originsOf(config)
  })
  try {
    return (await app.inject('/api/v1/public/openapi.json')).json()
  } finally {
    await app.close()
    credentials.close()
    analytics.close()
    await pool.end()
  }
}

/** Returns the client types, and whether the file on disk matches the document. */
export async function clientTypes(): Promise<{ path: string; text: string; fresh: boolean }> {
  const text = toClientTypes(await describe())
  const path = join(projectRoot, FILE)
  return { path, text, fresh: existsSync(path) && readFileSync(path, 'utf8') === text }
}

runTool(import.meta.url, async () => {
  const flags = process.argv.slice(2)
  if (flags.some((flag) => flag !== '--check')) throw new UsageError('client: the only option is --check')
  const { path, text, fresh } = await clientTypes()
  if (fresh) return
  if (flags.includes('--check')) {
    process.stderr.write(`stale: ${FILE}: run npm run client\n`)
    process.exitCode = 1
    return
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  process.stdout.write(`wrote ${FILE}\n`)
})
