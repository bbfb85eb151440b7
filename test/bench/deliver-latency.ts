/**
 * Latency from a door's answer to the first POST: the whole product, and Alertmanager for
 * comparison.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeWorkspace, startProduct } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { openLoop } from './e2e.ts'
import { figure, percentile } from './figures.ts'
import { alertmanager } from './peers/alertmanager.ts'
import { endPosts, post } from './posts.ts'
import { type Hearing, hear } from './told.ts'

export const RATE = 50
export const NO_STORM = 10_000
const TARGET_MS = 60
const TARGET_P99_MS = 200
/** Seconds of the warm-up run, which is not counted. */
const WARM_SECONDS = 4

const settings = (url: string): string => `
route: { receiver: hook, group_by: ['...'], group_wait: 0s, group_interval: 1h, repeat_interval: 24h }
receivers: [{ name: hook, webhook_configs: [{ url: '${url}/peer', send_resolved: false }] }]
`

/**
 * Returns, for each alert, the milliseconds from the answer of `send` to the request that the
 * server hears.
 */
export async function measured(hearing: Hearing, seconds: number, send: (name: string) => Promise<number>): Promise<number[]> {
  const accepted = new Map<string, number>()
  const heard = new Map<string, number>()
  const refused: number[] = []
  hearing.onHeard((_path, body, at) => {
    const name = /bench-[a-z0-9]+-\d+/.exec(body)?.[0]
    if (name !== undefined && !heard.has(name)) heard.set(name, at)
  })
  const run = Math.round(performance.now()).toString(36)
  let sent = 0
  await openLoop(RATE, seconds * 1000, (index) => {
    const name = `bench-${run}-${index}`
    sent += 1
    send(name).then(
      (status) => {
        if (status === 200) accepted.set(name, performance.now())
        else refused.push(status)
      },
      () => refused.push(0)
    )
  })
  await until('every alert to be heard of', () => accepted.size + refused.length === sent && heard.size >= accepted.size, 60_000)
  if (refused.length > 0) throw new Error(`${refused.length} alerts were refused, first with ${refused[0]}`)
  return [...accepted].map(([name, at]) => Math.max(0, (heard.get(name) ?? Number.POSITIVE_INFINITY) - at))
}

export async function latency({ seconds }: { seconds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'service-bench-test-'))
  const hearing = await hear()
  const product = await startProduct({ environment: { SERVICE_CHANNEL_ALLOW_CIDRS: '127.0.0.0/8' } })
  const peer = await alertmanager(folder, settings(hearing.url))
  const pool = product.pool()
  try {
    const workspace = await makeWorkspace(pool, 'latency', 'generic')
    await pool.query('UPDATE tenants SET storm_threshold = $2 WHERE tenant_id = $1', [workspace.tenant_id, NO_STORM])
    const channel = { name: 'Hook', kind: 'webhook', is_default: true, config: { url: `${hearing.url}/ours` } }
    const made = await product.api('POST', '/api/v1/notifications/channels', channel, workspace.apiToken)
    if (made.status !== 201) throw new Error(`the channel was answered ${made.status}: ${JSON.stringify(made.body)}`)
    const ours = (name: string): Promise<number> =>
      post(product.port('intake'), workspace.door, JSON.stringify({ title: name, dedup_key: name, severity: 'critical' }))
    const theirs = async (name: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${peer.port}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([{ labels: { alertname: name, severity: 'critical' }, annotations: { summary: name } }])
      })
      await answer.arrayBuffer()
      return answer.status
    }
    await measured(hearing, WARM_SECONDS, ours)
    await measured(hearing, WARM_SECONDS, theirs)
    const [own, others]: [number[], number[]] = [[], []]
    for (const isOurs of [true, false, false, true]) {
      const found = await measured(hearing, seconds / 2, isOurs ? ours : theirs)
      const said = [0.5, 0.99].map((share) => percentile(found, share).toFixed(1)).join(' and ')
      console.log(`  ${isOurs ? 'notifier' : 'Alertmanager'}: p50 and p99 ${said} ms from the answer to the POST`)
      ;(isOurs ? own : others).push(...found)
    }
    for (const [id, share, target] of [
      ['B14_FIRST_POST', 0.5, TARGET_MS],
      ['B14_FIRST_POST_P99', 0.99, TARGET_P99_MS]
    ] as const)
      figure({
        id,
        value: percentile(own, share),
        unit: 'ms',
        peer: { name: 'alertmanager', value: percentile(others, share) },
        target: { op: '<=', value: target, of: 'value' }
      })
  } finally {
    endPosts()
    await pool.end()
    await peer.stop()
    await product.stop()
    hearing.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
