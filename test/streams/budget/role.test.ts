/**
 * Tests the budget end to end on the real engines: a door counts, the fold adds up and notifies
 * people, an operator raises a ceiling, and the running door admits requests by the new ceiling.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { createCodec } from '../../../schemas/codec.ts'
import { topics } from '../../../schemas/topics.ts'
import { start as startIntake } from '../../../services/intake/main.ts'
import { ceilingOf, setCeiling } from '../../../services/operator/budget.ts'
import { UsageError } from '../../../services/operator/tool.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { StartRole } from '../../../services/process/role.ts'
import { start as startProcessors } from '../../../services/processors/main.ts'
import { start as startRelay } from '../../../services/relay/main.ts'
import { readBudget, readCeiling } from '../../../services/store/budgets.ts'
import { createPool } from '../../../services/store/pool.ts'
import { reemitConfigs } from '../../../services/store/reemit-configs.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { connectRegistry } from '../../../streams/runtime/registry.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'
import { makeWorkspace } from '../../harness/product.ts'
import { until } from '../../harness/until.ts'

t.setTimeout(300_000)

t.test('arguments of the budget command', async (t) => {
  t.same(ceilingOf(['acme', '5000']), { workspace: 'acme', ceiling: 5000 })
  t.same(ceilingOf(['acme', 'default']), { workspace: 'acme', ceiling: null })
  const wrong: [words: string[], message: RegExp][] = [
    [[], /^usage: npm run budget/],
    [['acme'], /^usage/],
    [['acme', '5000', 'now'], /^usage/],
    [['acme', '999'], /from 1000 to 10000000, got "999"/],
    [['acme', '10000001'], /got "10000001"/],
    [['acme', '5e3'], /got "5e3"/],
    [['acme', '-1'], /got "-1"/]
  ]
  for (const [words, message] of wrong) t.throws(() => ceilingOf(words), { name: 'UsageError', message })
})

/** Runs the command as an operator does. */
async function command(
  words: readonly string[],
  environment: NodeJS.ProcessEnv
): Promise<{ code: number | null; out: string; err: string }> {
  const file = fileURLToPath(moduleUrl('../../../services/operator/budget.ts', import.meta.url))
  const { NODE_OPTIONS: _, ...inherited } = process.env // The test runner's own.
  const child = spawn(process.execPath, [...loaderOf(import.meta.url), file, ...words], { env: { ...inherited, ...environment } })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  return { code, out, err }
}

t.test('the budget from the door to the operator and back', async (t) => {
  const config = await testConfig(t, { instance: 'door-1', processors: ['budget'] })
  await testTopics(
    t,
    config,
    topics.map(({ name }) => name)
  )
  const log = createLog('test', 'fatal')
  const registry = await connectRegistry(config.registryUrl)
  const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
  const stream = await connectStream({
    brokers: config.kafkaBrokers,
    clientId: 'test-budget',
    topicPrefix: config.topicPrefix,
    log,
    metrics: createMetrics()
  })
  t.teardown(() => stream.close())
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => pool.end())
  const run = async (role: StartRole): Promise<{ port?: number }> => {
    const started = await role({
      config,
      log,
      metrics: createMetrics(),
      stream: async () => stream,
      codec: async () => codec,
      fatal: (reason, error) => t.fail(reason, { error })
    })
    t.teardown(() => started.close())
    return started
  }
  const { port } = await run(startIntake)
  await run(startProcessors)
  await run(startRelay)
  const told: InRecord[] = []
  await stream.follow({
    topics: ['tenant.budgets.v1', 'realtime.frames.v1'],
    from: 'beginning',
    onRecords: (records) => told.push(...records)
  })

  const workspace = async () => {
    const slug = `w-${randomBytes(4).toString('hex')}`
    const made = await makeWorkspace(pool, slug, 'generic')
    await pool.query("UPDATE tenants SET plan = 'free' WHERE tenant_id = $1", [made.tenant_id])
    return { ...made, slug }
  }
  const send = (door: string, alerts: number, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/api/v1/webhooks/incoming/${door}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body: JSON.stringify(Array.from({ length: alerts }, (_, n) => ({ title: `alert ${n}` })))
    })
  /**
   * The limit that the door applies. It refuses this content type, so the request opens no window.
   */
  const limitOf = async (door: string): Promise<number> =>
    Number((await send(door, 1, { 'content-type': 'image/png' })).headers.get('x-ratelimit-limit'))

  const busy = await workspace()
  const other = await workspace()
  await t.test('usage and refusals are added up, and the workspace is notified once', async (t) => {
    t.equal((await send(busy.door, 1000)).status, 200)
    for (let n = 0; n < 3; n++) t.equal((await send(busy.door, 1)).status, 429)
    t.equal((await send(other.door, 1)).status, 200, 'another workspace is not concerned')
    const row = await until(
      'the counters',
      async () => {
        const found = await readBudget(pool, busy.tenant_id)
        return found?.limited ? found : null
      },
      60_000
    )
    t.match(row.counters, [{ instance: 'door-1', accepted: 1000, refused: 3, limit: 1000 }])
    t.equal((await send(busy.door, 1)).status, 429)
    await until('the newer count', async () => ((await readBudget(pool, busy.tenant_id))?.counters[0]?.refused ?? 0) === 4, 60_000)
    const { rows } = await pool.query('SELECT user_id, type, category, severity, read_at FROM feed WHERE tenant_id = $1', [busy.tenant_id])
    t.match(rows, [{ type: 'limit', category: 'billing', severity: 'warning', read_at: null }])
    t.equal(rows.length, 1)
    const frame = await until('the frame', () => told.find(({ headers }) => headers.event_type === 'notification.created'), 30_000)
    t.equal(frame.headers.audience, `user:${rows[0]?.user_id}`)
    t.match(JSON.parse(String(frame.value)), {
      channel: 'notifications.feed',
      type: 'notification.created',
      data: { type: 'limit', category: 'billing', user_id: rows[0]?.user_id, reactions: [], read_at: null }
    })
    t.equal((await pool.query('SELECT count(*) FROM feed WHERE tenant_id = $1', [other.tenant_id])).rows[0]?.count, 0)
  })

  await t.test('a raised ceiling applies at the running door, and can be reset', async (t) => {
    const fresh = await workspace()
    t.equal(await limitOf(fresh.door), 1000)
    t.match(
      await setCeiling(pool, codec, { workspace: fresh.slug, ceiling: 5000 }),
      /5000 alerts a minute at each door instance.*version 1/
    )
    await until('the door to know', async () => (await limitOf(fresh.door)) === 5000, 60_000)
    for (let n = 0; n < 5; n++) t.equal((await send(fresh.door, 1000)).status, 200)
    const refused = await send(fresh.door, 1)
    t.equal(refused.status, 429)
    t.match(await refused.json(), { name: 'ingest_tenant', limit: 5000, remaining: 0, window_seconds: 60 })

    const back = await workspace()
    await setCeiling(pool, codec, { workspace: back.tenant_id, ceiling: 3000 })
    await until('the door to know', async () => (await limitOf(back.door)) === 3000, 60_000)
    t.match(await setCeiling(pool, codec, { workspace: back.slug, ceiling: null }), /what its plan \(free\) says.*version 2/)
    await until('the door to forget', async () => (await limitOf(back.door)) === 1000, 60_000)
    t.equal(await readCeiling(pool, back.tenant_id), null)
    const { rows } = await pool.query(
      "SELECT action, actor_id, via, diff FROM audit WHERE tenant_id = $1 AND object_type = 'budget' ORDER BY at",
      [back.tenant_id]
    )
    t.same(rows, [
      { action: 'budget.changed', actor_id: 'operator', via: 'cli', diff: { ceiling: [null, 3000] } },
      { action: 'budget.changed', actor_id: 'operator', via: 'cli', diff: { ceiling: [3000, null] } }
    ])
    await t.rejects(setCeiling(pool, codec, { workspace: 'nobody', ceiling: 2000 }), UsageError)
    const environment = { SERVICE_POSTGRES_SYSTEM_URL: config.postgresSystemUrl, SERVICE_SCHEMA_REGISTRY_URL: config.registryUrl }
    t.match(await command([other.slug, '7000'], environment), { code: 0, out: new RegExp(`^${other.slug}: 7000 alerts a minute`), err: '' })
    t.equal(await readCeiling(pool, other.tenant_id), 7000)
    t.match(await command(['nobody', '7000'], environment), { code: 2, out: '', err: 'there is no workspace nobody\n' })
    t.match(await command([other.slug], environment), { code: 2, out: '', err: /^usage: npm run budget/ })

    await until('the record of the last change', () =>
      told.some(({ topic, key }) => topic === 'tenant.budgets.v1' && key === other.tenant_id)
    )
    const before = told.filter(({ topic }) => topic === 'tenant.budgets.v1').length
    t.match(await reemitConfigs(pool, codec), { budgets: 3 })
    await setCeiling(pool, codec, { workspace: back.slug, ceiling: 2000 })
    await until('what came after the re-emission', async () => (await limitOf(back.door)) === 2000, 60_000)
    t.equal(told.filter(({ topic }) => topic === 'tenant.budgets.v1').length, before + 1, 're-emitted versions are no news')
  })

  await t.test('the door applies a changed plan within 30 s', async (t) => {
    const grown = await workspace()
    t.equal(await limitOf(grown.door), 1000)
    await pool.query("UPDATE tenants SET plan = 'business' WHERE tenant_id = $1", [grown.tenant_id])
    // Without the news of it, after 45 s.
    await until('the door to know', async () => (await limitOf(grown.door)) === 10_000, 30_000)
  })
})
