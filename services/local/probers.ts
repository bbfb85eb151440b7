/**
 * The regions of a local run and the tokens of their probers, made when they are missing. Tokens
 * contain secrets of the data folder, so every start has the same ones.
 */
import { sha256 } from '../credentials/credentials.ts'
import { findProber } from '../store/lookups.ts'
import { createPool } from '../store/pool.ts'
import { createProberToken } from '../store/probers.ts'
import { ensureRegions } from '../store/regions.ts'
import { type LocalRegion, localRegions } from './regions.ts'
import type { Secrets } from './secrets.ts'

/** `systemUrl` logs in as service_system. Returns the tokens by region. */
export async function ensureProbers(systemUrl: string, secrets: Secrets): Promise<Record<LocalRegion, string>> {
  const pool = createPool(systemUrl, { application_name: 'local start', max: 1 })
  try {
    await ensureRegions(pool, localRegions)
    const tokens = localRegions.map(({ code }) => [code, `prober_${secrets[`prober_${code}`]}`] as const)
    for (const [region, token] of tokens) {
      const hash = sha256(token)
      if (await findProber(pool, hash)) continue
      await createProberToken(pool, { region, name: 'Local prober', sha256: hash, prefix: token.slice(0, 'prober_'.length + 6) })
    }
    return Object.fromEntries(tokens) as Record<LocalRegion, string>
  } finally {
    await pool.end()
  }
}
