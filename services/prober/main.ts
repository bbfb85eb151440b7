/**
 * The role `prober`: runs checks from one region. It needs the address of the api and a token of
 * its region. It uses no Kafka, registry or Postgres.
 */

import { createResolver } from '../http/resolve.ts'
import type { StartRole } from '../process/role.ts'
import { version } from '../process/version.ts'
import { typesOf } from './plans.ts'
import { startProber } from './prober.ts'
import { createService } from './service.ts'
import { readProberSettings } from './settings.ts'

export const start: StartRole = async ({ config, log, metrics }) => {
  const settings = readProberSettings(process.env, config.instance)
  const service = createService(settings.url, settings.token, version)
  const facts = { userAgent: `monitoring-prober/${version}`, resolvers: settings.resolvers }
  const { kinds, missing } = await typesOf(facts)
  for (const { type, why } of missing) log.warn({ type, why }, 'this prober does not do checks of this type')
  const prober = startProber({ settings, service, resolve: createResolver(), version, facts, kinds, log, metrics })
  return {
    ready: () => ({ prober: prober.ready() }),
    close: () => prober.close()
  }
}
