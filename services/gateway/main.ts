/**
 * The role `gateway`: runs the WebSocket server of gateway.ts between the cached credentials and
 * the log.
 */

import { createCredentials } from '../credentials/tokens.ts'
import type { StartRole } from '../process/role.ts'
import { createPool } from '../store/pool.ts'
import { startGateway } from './gateway.ts'

export const start: StartRole = async ({ config, log, metrics, stream }) => {
  const pool = createPool(config.postgresTenantUrl, {
    application_name: 'gateway',
    max: 5,
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const credentials = createCredentials({ pool, log })
  const gateway = await startGateway({
    host: config.host,
    port: config.gatewayPort,
    publicUrl: config.publicUrl,
    domains: config.domains,
    trustedProxies: config.trustedProxies,
    credentials,
    stream: await stream(),
    logger: log,
    metrics
  })
  return {
    ready: () => gateway.ready(),
    port: gateway.port,
    async close() {
      await gateway.close()
      credentials.close()
      await pool.end()
    }
  }
}
