/**
 * Sets up regions and probers for tests of the api: three regions, tokens, and hellos of instances
 * that support http.
 */
import { randomBytes } from 'node:crypto'
import type { ConfigAnswer } from '../../../schemas/http/prober.ts'
import { sha256 } from '../../../services/credentials/credentials.ts'
import { makeSealingKeys } from '../../../services/credentials/sealing.ts'
import { createProberToken } from '../../../services/store/probers.ts'
import { ensureRegions } from '../../../services/store/regions.ts'
import type { Stand } from './stand.ts'

export const regions = [
  { code: 'eu-west', label: 'Europe West', country: 'IE' },
  { code: 'us-east', label: 'US East', country: 'US' },
  { code: 'ap-south', label: 'Asia South', country: 'IN' },
  { code: 'sa-east', label: 'South America East', country: 'BR' }
]

export const makeRegions = (s: Stand): Promise<void> => ensureRegions(s.systemPool, regions)

/**
 * Puts a prober online in each region for the whole test. A normal hello counts for half a minute.
 */
export async function onlineEverywhere(s: Stand): Promise<void> {
  await makeRegions(s)
  for (const { code } of regions) await (await makeProber(s, code)).hello()
  await s.ownerPool.query("UPDATE probers SET last_hello_at = now() + interval '1 day'")
}

export interface TestProber {
  token: string
  token_id: string
  region: string
  instance_id: string
  privateKey: Buffer
  /** Says hello; returns the body of the answer. */
  hello(over?: object): Promise<Record<string, unknown>>
  /** Gets the config with this query. */
  config(query?: string): ReturnType<Stand['call']>
}

/** Returns what the prober's region must check. */
export async function held(prober: TestProber, query = ''): Promise<ConfigAnswer> {
  const answer = await prober.config(query)
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json()
}

export async function makeProber(
  s: Stand,
  region: string,
  instance_id = `${region}-1`,
  token?: { value: string; token_id: string }
): Promise<TestProber> {
  const value = token?.value ?? `prober_${randomBytes(32).toString('hex')}`
  const token_id =
    token?.token_id ?? (await createProberToken(s.systemPool, { region, name: 'test', sha256: sha256(value), prefix: value.slice(0, 13) }))
  const keys = makeSealingKeys()
  return {
    token: value,
    token_id,
    region,
    instance_id,
    privateKey: keys.privateKey,
    async hello(over = {}) {
      const answer = await s.call(value, 'POST', '/api/v1/prober/hello', {
        instance_id,
        version: '1.0.0',
        kinds: ['http'],
        public_key: keys.publicKey.toString('base64'),
        ...over
      })
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return answer.json()
    },
    config: (query = '') => s.call(value, 'GET', `/api/v1/prober/config?instance_id=${instance_id}${query}`)
  }
}
