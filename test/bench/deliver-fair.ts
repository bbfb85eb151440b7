/**
 * Alerts of one workspace alone, and beside a dead channel that never answers and another workspace
 * with 10,000 deliveries that are due: milliseconds from the answer of the door to the first POST.
 */
import { createCodec } from '../../schemas/codec.ts'
import { registryUrl } from '../../services/local/registry.ts'
import { connectRegistry } from '../../streams/runtime/registry.ts'
import { makeWorkspace, startProduct } from '../harness/product.ts'
import { measured, NO_STORM } from './deliver-latency.ts'
import { endPosts, post } from './e2e.ts'
import { figure, percentile } from './figures.ts'
import { due, hear, queueDeliveries, told } from './told.ts'

const CHANNELS = 4
const FLOOD = 10_000
const TARGET = 1.5

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

    await queueDeliveries(pool, loud, FLOOD, codec)
    await queueDeliveries(pool, dead, FLOOD / 10, codec)
    await measured(hearing, 4, send)
    const alone = await measured(hearing, seconds / 2, send)
    await due(pool, [loud, dead])
    const beside = await measured(hearing, seconds / 2, send)
    const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM deliveries WHERE open AND tenant_id = $1', [
      loud.tenant_id
    ])
    console.log(`  alone p50 ${percentile(alone, 0.5).toFixed(1)} ms, p99 ${percentile(alone, 0.99).toFixed(1)} ms`)
    console.log(
      `  beside p50 ${percentile(beside, 0.5).toFixed(1)} ms, p99 ${percentile(beside, 0.99).toFixed(1)} ms; ${rows[0]?.n} still waited`
    )
    figure({
      id: 'B14_FAIR',
      value: percentile(beside, 0.99),
      unit: 'ms_p99',
      peer: { name: 'alone', value: percentile(alone, 0.99) },
      target: { op: '<=', value: TARGET }
    })
  } finally {
    endPosts()
    await pool.end()
    await product.stop()
    hearing.close()
  }
}
