/**
 * Tests of a monitor's control record, which is made from its row alone, and of the daily
 * re-emission of every control record.
 */
import t from 'tap'
import { defaultRetry } from '../../../schemas/http/check-config.ts'
import type { Confirmation } from '../../../schemas/http/monitors.ts'
import { uuidv4, uuidv5 } from '../../../schemas/uuid.ts'
import { monitorConfig, toMonitorConfig } from '../../../services/store/monitor-config.ts'
import type { StoredMonitor } from '../../../services/store/monitors.ts'
import { reemitConfigs } from '../../../services/store/reemit-configs.ts'
import { localCodec } from '../../harness/codec.ts'
import { configsOf, create, MONITORS, rowsOf } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(120_000)
const codec = localCodec()

const monitor: StoredMonitor = {
  monitor_id: uuidv4(),
  tenant_id: uuidv4(),
  name: 'Shop',
  description: 'secret runbook',
  type: 'http',
  target: 'https://shop.example/secret',
  config: { headers: [{ name: 'X-Key', value: 'sealed:secret', secret: true }] },
  assertions: [{ source: 'body', op: 'contains', value: 'secret' }],
  interval_seconds: 60,
  down_interval_seconds: null,
  timeout_seconds: 10,
  degraded_after_ms: null,
  regions: [],
  assigned_regions: ['eu-west', 'us-east'],
  // A value as it was stored before there was a failure rate.
  confirmation: { regions: 'majority', rounds: 2, min_seconds: 0, recovery_rounds: 3, recovery_seconds: 5 } as Confirmation,
  retry: defaultRetry,
  flap: { enabled: true, window_rounds: 10, high_percent: 50, low_percent: 20 },
  tags: ['a'],
  labels: { team: 'payments' },
  severity_down: 'critical',
  severity_degraded: 'warning',
  open_on_degraded: false,
  depends_on: [],
  group_id: null,
  dependency_hold_seconds: null,
  escalation_policy_id: null,
  channel_ids: [],
  team_id: null,
  visibility: 'org',
  tls_expiry_days: [30],
  repeat_interval_seconds: null,
  paused_at: null,
  paused_by: null,
  pause_reason: null,
  pause_comment: null,
  resume_at: null,
  resolve_open: false,
  deleted_at: null,
  ver: 7,
  created_at: 1000,
  updated_at: 2000
}

t.test('the control record of a monitor contains neither target nor settings', async (t) => {
  const config = toMonitorConfig(monitor, 30)
  t.match(config, {
    event_id: uuidv5(monitor.monitor_id, '7'),
    version: 7,
    at: 2000,
    regions: ['eu-west', 'us-east'],
    confirmation: {
      regions: 'majority',
      count: null,
      rounds: 2,
      recovery_rounds: 3,
      recovery_seconds: 5,
      failure_rate: null,
      advisory_after_seconds: 900
    },
    flap: { enabled: true, window_rounds: 10, high_percent: 50, low_percent: 20 },
    over_tls: true,
    paused: false,
    deleted: false,
    retention_days: 30
  })
  t.notMatch(JSON.stringify(config), /secret/, 'neither target nor settings')
  t.same(codec.decode('MonitorConfig', codec.encode('MonitorConfig', config)), config, 'it has every field of the record and no other')
  t.match(toMonitorConfig({ ...monitor, confirmation: { ...monitor.confirmation, regions: 2 } }, 30).confirmation, {
    regions: 'count',
    count: 2
  })
  t.match(toMonitorConfig({ ...monitor, paused_at: 5, pause_reason: 'entitlement' }, 30), { paused: true, pause_reason: 'entitlement' })
  t.match(toMonitorConfig({ ...monitor, deleted_at: 5 }, 30), { deleted: true })
  t.match(toMonitorConfig({ ...monitor, target: 'http://shop.example/' }, 30), { over_tls: false })
  t.match(monitorConfig(monitor, 30, 'user:x'), {
    aggregate: `monitor-config:${monitor.monitor_id}`,
    ver: 7,
    topic: 'checks.results.v1',
    key: monitor.monitor_id,
    event_type: 'monitor_config',
    src: 'user:x'
  })
})

t.test('re-emission sends the current version of every monitor except deleted ones', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const kept: string[] = []
  for (let n = 0; n < 5; n++) kept.push((await create(s, n % 2 ? s.acme : s.globex)).id)
  const [first = ''] = kept
  await s.call(s.globex, 'PATCH', `${MONITORS}/${first}`, { name: 'renamed' })
  const gone = (await create(s, s.acme)).id
  await s.call(s.acme, 'DELETE', `${MONITORS}/${gone}`)
  await s.systemPool.query('DELETE FROM outbox')
  t.same(await reemitConfigs(s.systemPool, codec, { batch: 2 }), { monitors: 5, heartbeats: 0, budgets: 0, deleted: 0 })
  for (const id of kept) t.equal((await configsOf(s, id)).length, 1)
  t.match(await configsOf(s, first), [{ version: 2, name: 'renamed', event_id: uuidv5(first, '2') }])
  t.same(await configsOf(s, gone), [])
  t.equal((await rowsOf(s.systemPool, "SELECT DISTINCT headers ->> 'src' AS src FROM outbox", [])).length, 1)
  t.same(await reemitConfigs(s.systemPool, codec, { signal: AbortSignal.abort() }), { monitors: 0, heartbeats: 0, budgets: 0, deleted: 0 })
  await t.rejects(reemitConfigs(s.tenantPool, codec), /permission denied/, 'the api’s role may not')
})
