/** The role `prober`: checks from one region. It needs the address of the api and a token of its region; no Kafka, no registry, no Postgres. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import type { StartRole } from '../process/role.ts'
import { startProber } from './prober.ts'
import { createResolver } from './resolve.ts'
import { createService } from './service.ts'
import { readProberSettings } from './settings.ts'

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }

export const start: StartRole = async ({ config, log, metrics }) => {
  const settings = readProberSettings(process.env, config.instance)
  const service = createService(settings.url, settings.token, version)
  const prober = startProber({ settings, service, resolve: createResolver(), version, log, metrics })
  return {
    ready: () => ({ prober: prober.ready() }),
    close: () => prober.close()
  }
}
