/**
 * What a prober is told by its environment; every fault is named at once.
 *   SERVICE_PROBER_URL          base address of the api
 *   SERVICE_PROBER_TOKEN        `prober_` and 64 hex; or SERVICE_PROBER_TOKEN_FILE
 *   SERVICE_PROBER_INSTANCE     name among its siblings, kept over restarts; default: SERVICE_INSTANCE
 *   PROBER_ALLOW_CIDRS          networks that the operator opens, comma list; default none
 *   SERVICE_PROBER_BLOCK        the service's own listeners as host:port, comma list; refused even where opened
 *   SERVICE_PROBER_CONCURRENCY  checks at a time, 1 to 10,000; default 200
 *   SERVICE_PROBER_PROCESSES    processes that evaluate costly assertions, started as they are needed, 1 to 64; default 2
 *   SERVICE_PROBER_BUFFER_MB    results kept while the service is away, 1 to 4,096 MiB; default 128
 */

import { expectedToken, isToken } from '../credentials/token-forms.ts'
import { isListener } from '../http/address-guard.ts'
import { parseNetwork } from '../http/networks.ts'
import { environmentReader, HTTP } from '../process/config.ts'

const INSTANCE = /^[A-Za-z0-9._:-]{1,100}$/

export interface ProberSettings {
  url: string
  token: string
  instance: string
  open: string[]
  own: string[]
  concurrency: number
  processes: number
  bufferBytes: number
}

/** Throws ConfigError naming every fault. */
export function readProberSettings(environment: NodeJS.ProcessEnv, defaultInstance: string): Readonly<ProberSettings> {
  const { text, url, integer, fault, finish } = environmentReader(environment)
  const list = (name: string, isEntry: (entry: string) => boolean, expected: string): string[] => {
    const entries = text(name, '')
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean)
    for (const entry of entries) if (!isEntry(entry)) fault(`${name}: expected ${expected}, got "${entry}"`)
    return entries
  }
  const settings: ProberSettings = {
    url: url('SERVICE_PROBER_URL', undefined, HTTP).replace(/\/$/, ''),
    token: text('SERVICE_PROBER_TOKEN'),
    instance: text('SERVICE_PROBER_INSTANCE', defaultInstance),
    open: list('PROBER_ALLOW_CIDRS', (entry) => parseNetwork(entry) !== null, 'networks such as 10.0.0.0/8'),
    own: list('SERVICE_PROBER_BLOCK', isListener, 'host:port'),
    concurrency: integer('SERVICE_PROBER_CONCURRENCY', 200, 1, 10_000),
    processes: integer('SERVICE_PROBER_PROCESSES', 2, 1, 64),
    bufferBytes: integer('SERVICE_PROBER_BUFFER_MB', 128, 1, 4096) * 1_048_576
  }
  // The token itself stays out of the message.
  if (settings.token && !isToken('prober', settings.token)) fault(`SERVICE_PROBER_TOKEN: expected ${expectedToken('prober')}`)
  if (!INSTANCE.test(settings.instance)) fault('SERVICE_PROBER_INSTANCE: expected at most 100 letters, digits and . _ : -')
  finish()
  return Object.freeze(settings)
}
