/**
 * Tests of the usage view: how much of each limit is used, and the inbound alerts by window as the
 * budget fold stored them.
 */
import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { setCeiling } from '../../../services/operator/budget.ts'
import { countPhones } from '../../../services/store/phones.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import type { BudgetRow, Counter } from '../../../streams/budget/state.ts'
import { stand } from './stand.ts'

const PATH = '/api/v1/workspace/usage'

t.test('the usage view', async (t) => {
  const s = await stand(t)
  const free = await s.workspace('small', 'free')
  const usage = async (who = free) => (await s.call(who, 'GET', PATH)).json()
  const ofLimit = (answer: { limits: { key: string }[] }, key: string) => answer.limits.find((one) => one.key === key)

  await t.test('usage of a workspace that sent no alerts yet', async (t) => {
    const answer = await usage()
    t.match(answer, {
      tenant_id: free.tenant_id,
      plan: 'free',
      ingest: {
        window_seconds: 60,
        limit: 1000,
        limit_origin: 'plan',
        plan_limit: 1000,
        raised_to: null,
        accepted_1m: 0,
        refused_1h: 0,
        limited_since: null,
        windows: []
      }
    })
    t.match(ofLimit(answer, 'inbound_integrations'), { used: 1, limit: 2, unit: 'count', resets_at: null })
    t.match(ofLimit(answer, 'monitors'), { used: 0, limit: 10 })
    t.match(ofLimit(answer, 'ingest_alerts_per_minute'), { used: 0, limit: 1000, unit: 'alerts_per_minute', resets_at: null })
    t.match(ofLimit(await usage(s.acme), 'members'), { used: 1, limit: null })
  })

  await t.test('usage counts the text messages and calls of the month', async (t) => {
    const home = await s.workspace('texting', 'pro')
    await tenantTransaction(s.systemPool, wholeWorkspace(home.tenant_id), (tx) => countPhones(tx, Array(50).fill(home.tenant_id)))
    const now = new Date()
    const resets_at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
    t.match(ofLimit(await usage(home), 'sms_voice_per_month'), { used: 50, limit: 50, unit: 'count', resets_at })
    t.match((await s.call(home, 'GET', '/api/v1/account')).json(), { usage: { sms_voice_per_month: 50 } })
    t.match(ofLimit(await usage(), 'sms_voice_per_month'), { used: 0, limit: 0 })
  })

  await t.test('usage sums accepted and refused alerts of the last hour by window', async (t) => {
    const now = Date.now()
    const counter = (instance: string, ago: number, accepted: number, refused: number): Counter => ({
      instance,
      boot: uuidv4(),
      window: now - ago,
      accepted,
      refused,
      limit: 1000,
      at: now
    })
    const row: BudgetRow = {
      kind: 'budget',
      tenant_id: free.tenant_id,
      raised: null,
      counters: [
        counter('door-1', 5_400_000, 9, 9),
        counter('door-1', 120_000, 1000, 7),
        counter('door-2', 30_000, 40, 0),
        counter('door-1', 20_000, 1000, 2)
      ],
      limited: { since: now - 110_000, last_at: now - 5000 }
    }
    await s.systemPool.query("INSERT INTO partition_state (processor, partition, key, state) VALUES ('budget', 3, $1, $2)", [
      free.tenant_id,
      row
    ])
    const answer = await usage()
    t.match(answer.ingest, {
      accepted_1m: 1040,
      accepted_1h: 2040,
      refused_1m: 2,
      refused_1h: 9,
      limited_since: new Date(now - 110_000).toISOString()
    })
    t.match(answer.ingest.windows, [
      {
        instance: 'door-1',
        from: new Date(now - 20_000).toISOString(),
        to: new Date(now + 40_000).toISOString(),
        accepted: 1000,
        refused: 2,
        limit: 1000
      },
      { instance: 'door-2', accepted: 40 },
      { instance: 'door-1', refused: 7 }
    ])
    t.equal(answer.ingest.windows.length, 3, 'of the last hour')
    t.match(ofLimit(answer, 'ingest_alerts_per_minute'), { used: 1040, limit: 1000, resets_at: new Date(now + 40_000).toISOString() })
    t.same((await usage(s.globex)).ingest.windows, [], 'nobody else sees it')
  })

  await t.test('a raised ceiling counts only if it exceeds the limit of the plan', async (t) => {
    await setCeiling(s.systemPool, s.services.codec, { workspace: 'small', ceiling: 4000 })
    t.match((await usage()).ingest, { limit: 4000, limit_origin: 'raised', plan_limit: 1000, raised_to: 4000 })
    t.match(
      await setCeiling(s.systemPool, s.services.codec, { workspace: 'acme', ceiling: 4000 }),
      /^acme: its plan \(\w+\) allows 60000 alerts a minute .* never lowers that: 4000 counts only/
    )
    await s.workspace(s.acme.tenant_id, 'free')
    // The row of acme is now the last one.
    await s.systemPool.query('UPDATE tenants SET name = name WHERE tenant_id = $1', [s.acme.tenant_id])
    t.match(
      await setCeiling(s.systemPool, s.services.codec, { workspace: s.acme.tenant_id, ceiling: 4000 }),
      /^acme:/,
      'no slug hides an id'
    )
    t.match((await usage(s.acme)).ingest, { limit: 60_000, limit_origin: 'plan', raised_to: 4000 })
    const { rows } = await s.systemPool.query("SELECT topic, headers FROM outbox WHERE tenant_id = $1 AND topic = 'ingest.usage.v1'", [
      free.tenant_id
    ])
    t.match(rows, [{ headers: { event_type: 'budget_config', src: 'system:operator' } }])
  })
})
