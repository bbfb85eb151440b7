/**
 * The role `api`: REST for people and their tools. It connects to Postgres as service_tenant, and
 * to analytics for questions about the past. It connects to nothing else, so no command of a person
 * waits for Kafka.
 */
import type { AddressInfo } from 'node:net'
import { createCredentials } from '../credentials/tokens.ts'
import { originsOf } from '../http/origins.ts'
import type { Role, RoleContext } from '../process/role.ts'
import { createPool } from '../store/pool.ts'
import { createAnalytics } from './analytics/client.ts'
import { buildApp } from './app.ts'
import { startRegistering } from './chat/registering.ts'
import { startHeaderSealing } from './monitors/header-sealing.ts'
import { Buckets } from './plugins/buckets.ts'
import { IngestBudget } from './plugins/ingest-budget.ts'
import { UseLog } from './workspace/usage.ts'

/** Most of a request's time is one short transaction, so a few connections are enough. */
const CONNECTIONS = 10

export async function start(context: RoleContext): Promise<Role> {
  const { config, log, metrics } = context
  const pool = createPool(config.postgresTenantUrl, {
    application_name: 'service api',
    max: CONNECTIONS,
    statementTimeoutMs: 10_000,
    onIdleError: (error) => log.warn({ err: error }, 'connection to Postgres lost')
  })
  const credentials = createCredentials({ pool, log })
  const analytics = createAnalytics({ url: config.analyticsUrl, secret: config.analyticsSecret, log, metrics })
  const codec = await context.codec()
  const { app, readiness } = await buildApp({
    config,
    log,
    metrics,
    pool,
    credentials,
    codec,
    buckets: new Buckets(),
    ingest: new IngestBudget({ pool, codec, log, floor: config.ingestFloorPerMinute, instance: config.instance }),
    uses: new UseLog(pool, log),
    analytics,
    origins: originsOf(config)
  })
  await app.listen({ host: config.host, port: config.apiPort })
  const stopSealing = startHeaderSealing({ pool, log, metrics, secretsKey: config.secretsKey })
  const stopRegistering = startRegistering({ config, log, pool })
  const served = new Set([new URL(config.publicUrl).hostname, ...config.domains])
  const { port } = app.server.address() as AddressInfo
  return {
    port,
    ready: () => readiness.last(),
    serves: (domain) => served.has(domain.toLowerCase()),
    async close() {
      await Promise.all([app.close(), stopSealing(), stopRegistering()])
      credentials.close()
      analytics.close()
      await pool.end()
    }
  }
}
