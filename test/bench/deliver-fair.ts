/**
 * Delivery latency of one workspace: the milliseconds from the door's answer to the first POST. It
 * is measured alone, and while a dead channel never answers and another workspace has 10,000
 * deliveries due. The pairs run in ABBA order, and the result is the median of the ratios of p99.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createCodec } from '../../schemas/codec.ts'
import { registryUrl } from '../../services/local/registry.ts'
import type { Pool } from '../../services/store/pool.ts'
import { connectRegistry } from '../../streams/runtime/registry.ts'
import { makeWorkspace, startProduct } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { measured, NO_STORM } from './deliver-latency.ts'
import { figure, percentile } from './figures.ts'
import { endPosts, post } from './posts.ts'
import { due, hear, notYet, queueDeliveries, type Told, told } from './told.ts'

const CHANNELS = 4
const FLOOD = 10_000
const PAIRS = 3
const WARM_SECONDS = 4
const SETTLE_MS = 2000
const UNDER_WAY_MS = 30_000
const TARGET = 1.5

const underWay = async (pool: Pool, { tenant_id }: Told): Promise<number> =>
  (await pool.query("SELECT FROM deliveries WHERE state = 'sending' AND tenant_id = $1", [tenant_id])).rowCount ?? 0

export async function fair({ seconds }: { seconds: number }): Promise<void> {
  const hearing = await hear()
  const product = await startProduct({ environment: { SERVICE_CHANNEL_ALLOW_CIDRS: '127.0.0.0/8' } })
  const pool = product.pool()
  try {
    const registry = await connectRegistry(registryUrl(product.port('registry')))
    const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
    const quiet = await makeWorkspace(pool, 'quiet', 'generic')
    await pool.query('UPDATE tenants SET storm_threshold = $2 WHERE tenant_id = $1', [quiet.tenant_id, NO_STORM])
    const channel = { name: 'Hook', kind: 'webhook', is_default: true, config: { url: `${hearing.url}/quiet` } }
    const made = await product.api('POST', '/api/v1/notifications/channels', channel, quiet.apiToken)
    if (made.status !== 201) throw new Error(`the channel was answered ${made.status}: ${JSON.stringify(made.body)}`)
    const loud = await told(pool, 'loud', hearing.url, CHANNELS)
    const dead = await told(pool, 'dead', hearing.url, 1)
    hearing.silent.add('/dead/0')
    const send = (name: string): Promise<number> =>
      post(product.port('intake'), quiet.door, JSON.stringify({ title: name, dedup_key: name, severity: 'critical' }))

    await queueDeliveries(pool, dead, FLOOD / 10, codec)
    const waiting = async (): Promise<number> => {
      const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM deliveries WHERE open AND tenant_id = $1', [
        loud.tenant_id
      ])
      return rows[0]?.n ?? 0
    }
    /** The workspace's p99, ms. */
    async function asked(isBeside: boolean): Promise<number> {
      if (isBeside) {
        await queueDeliveries(pool, loud, FLOOD - (await waiting()), codec)
        await due(pool, [loud, dead])
      }
      // The pause keeps the load of writing these rows out of the measurement.
      await sleep(SETTLE_MS)
      const times = await measured(hearing, seconds / 2, send)
      const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
      const left = isBeside ? `; ${await waiting()} still waited` : ''
      console.log(`  ${isBeside ? 'beside' : 'alone'} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${left}`)
      if (isBeside) {
        await notYet(pool, [loud, dead])
        await until('what is under way to end', async () => (await underWay(pool, loud)) === 0, UNDER_WAY_MS)
      }
      return p99
    }
    await measured(hearing, WARM_SECONDS, send)
    const pairs: { alone: number; beside: number }[] = []
    for (let nth = 0; nth < PAIRS; nth++) {
      const first = await asked(nth % 2 === 1)
      const second = await asked(nth % 2 === 0)
      pairs.push(nth % 2 === 1 ? { beside: first, alone: second } : { alone: first, beside: second })
    }
    pairs.sort((a, b) => a.beside / a.alone - b.beside / b.alone)
    const { alone, beside } = pairs[(PAIRS - 1) / 2] ?? { alone: Number.NaN, beside: Number.NaN }
    figure({
      id: 'B14_FAIR',
      value: beside,
      unit: 'ms_p99',
      peer: { name: 'alone', value: alone },
      target: { op: '<=', value: TARGET }
    })
  } finally {
    endPosts()
    await pool.end()
    await product.stop()
    hearing.close()
  }
}
