/**
 * Tests of heartbeats over the API: create, read, change, pause and delete; the control records for
 * the log; and the state that the fold stored, which is shown with them.
 */
import t from 'tap'
import type { HeartbeatConfig } from '../../../schemas/generated/events.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { loadHoldFacts } from '../../../services/store/hold-facts.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { insertOutgoing } from '../../../services/store/outbox.ts'
import { transaction } from '../../../services/store/pool.ts'
import { reemitConfigs } from '../../../services/store/reemit-configs.ts'
import type { Input } from '../../../streams/define.ts'
import { reduceHeartbeat } from '../../../streams/heartbeat/rules.ts'
import type { HeartbeatRow } from '../../../streams/heartbeat/state.ts'
import { incidentFold } from '../../../streams/incident/fold.ts'
import { localCodec } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { heartbeatTransition } from '../../streams/incident/build.ts'
import { ORIGIN, type Stand, stand, type Workspace } from './stand.ts'

const PATH = '/api/v1/heartbeats'
const daily = { name: 'Nightly backup', schedule: { kind: 'period', period_seconds: 86_400 } }
const codec = localCodec()

/** Returns the control records of a heartbeat in the outbox, in order. */
async function controls(s: Stand, id: string): Promise<HeartbeatConfig[]> {
  const { rows } = await s.systemPool.query('SELECT topic, key, headers, payload, ver FROM outbox WHERE aggregate = $1 ORDER BY id', [
    `heartbeat-config:${id}`
  ])
  return rows.map(({ topic, key, headers, payload, ver }) => {
    const value = codec.decode('HeartbeatConfig', payload)
    if (topic !== 'heartbeat.pings.v1' || key.toString() !== id || headers.event_type !== 'heartbeat_config' || ver !== value.version) {
      throw new Error(`a control record goes astray: ${topic} ${key} ${JSON.stringify(headers)} ${ver}`)
    }
    return value
  })
}

/** Stores the heartbeat's row as the fold does. */
async function fold(s: Stand, who: Workspace, id: string, over: Partial<HeartbeatRow> = {}): Promise<void> {
  const config = (await controls(s, id)).at(-1)
  if (!config) throw new Error('no control record')
  const { row } = reduceHeartbeat(null, { input: 'config', config }, config.at)
  if (!row || row.tenant_id !== who.tenant_id) throw new Error('no row')
  await s.systemPool.query(
    `INSERT INTO partition_state (processor, partition, key, state) VALUES ('heartbeat', 0, $1, $2)
     ON CONFLICT (processor, partition, key) DO UPDATE SET state = excluded.state`,
    [id, JSON.stringify({ ...row, ...over })]
  )
}

/** Opens the heartbeat's incident as the processor does. */
async function miss(s: Stand, who: Workspace, id: string, ver = 1): Promise<string> {
  const value = heartbeatTransition({ event_id: uuidv5(id, String(ver)), tenant_id: who.tenant_id, heartbeat_id: id, ver, at: Date.now() })
  const inputs: Input[] = [
    {
      record: 'HeartbeatTransition',
      value,
      topic: 'heartbeat.transitions.v1',
      partition: 0,
      offset: BigInt(ver),
      timestamp: value.at,
      key: id
    }
  ]
  return transaction(s.systemPool, async (tx) => {
    const outcome = incidentFold(uuidv5)(await incidentStore.load(tx, inputs), inputs)
    await incidentStore.save(tx, outcome.saved)
    await insertOutgoing(tx, outcome.outgoing, codec)
    const { rows } = await tx.query<{ incident_id: string }>(
      "SELECT incident_id FROM incidents WHERE tenant_id = $1 AND dedup_key = $2 AND status = 'ongoing'",
      [who.tenant_id, `hb:${id}`]
    )
    if (!rows[0]) throw new Error('no incident came of the miss')
    return rows[0].incident_id
  })
}

t.test('heartbeats', async (t) => {
  const s = await stand(t)
  const make = async (body: object, who: Workspace | string = s.acme) => {
    const answer = await s.call(who, 'POST', PATH, body)
    if (answer.statusCode !== 201) throw new Error(answer.body)
    return answer.json()
  }
  const versions = async (id: string) =>
    (
      await s.systemPool.query("SELECT version, body, actor FROM config_versions WHERE kind = 'heartbeat' AND id = $1 ORDER BY version", [
        id
      ])
    ).rows
  const audit = async (id: string) =>
    (await s.systemPool.query('SELECT action, diff FROM audit WHERE object_id = $1 ORDER BY at, audit_id', [id])).rows

  await t.test('a heartbeat with a period gets defaults, ping URLs and the next five expected times', async (t) => {
    const answer = await s.call(s.acme, 'POST', PATH, daily)
    t.equal(answer.statusCode, 201)
    t.equal(answer.headers.etag, '"1"')
    t.equal(answer.headers['cache-control'], 'no-store')
    const made = answer.json()
    t.match(made, {
      tenant_id: s.acme.tenant_id,
      status: 'up',
      phase: 'waiting',
      name: 'Nightly backup',
      slug: 'nightly-backup',
      description: '',
      schedule: { kind: 'period', period_seconds: 86_400 },
      grace_seconds: 17_280,
      max_run_seconds: null,
      min_run_seconds: null,
      unpause_on_ping: false,
      fail_tolerance: 0,
      recovery_pings: 1,
      allowed_methods: ['GET', 'HEAD', 'POST'],
      body_rules: {},
      body_excerpt_chars: 512,
      severity: 'critical',
      tags: [],
      labels: {},
      team_id: null,
      channel_ids: [],
      last_ping_at: null,
      next_expected_at: null,
      deadline_at: null,
      missed_count: 0,
      missed_since: null,
      open_incident_id: null,
      paused_at: null,
      version: 1
    })
    t.match(made.ping_token, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/, 'a UUIDv4')
    t.not(made.ping_token, made.id)
    t.equal(made.ping_url, `${ORIGIN}/api/v1/ping/${made.ping_token}`)
    t.match(made.ping_url_by_slug, new RegExp(`^${ORIGIN}/api/v1/ping/k/[0-9a-f]{32}/nightly-backup$`))
    const found = await s.tenantPool.query('SELECT * FROM find_pinged_by_token($1)', [made.ping_token])
    t.match(found.rows, [{ tenant_id: s.acme.tenant_id, heartbeat_id: made.id, paused: false }], 'the door finds it')
    const bySlug = await s.tenantPool.query('SELECT * FROM find_pinged_by_slug($1, $2)', [
      made.ping_url_by_slug.split('/').at(-2),
      made.slug
    ])
    t.match(bySlug.rows, [{ heartbeat_id: made.id }])

    const start = Date.parse(made.created_at)
    t.same(
      made.next_expected.map((at: string) => Date.parse(at) - start),
      [1, 2, 3, 4, 5].map((n) => n * 86_400_000)
    )
    const { next_expected, ...rest } = made
    const { next_expected: later, ...read } = (await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).json()
    t.same(read, rest, 'what is written is what is read')
    t.equal(next_expected.length, 5)
    t.equal(later.length, 5)
    t.ok(later[0] >= next_expected[0], 'before the first ping, a period counts from the reading')
    const expected_at = Date.now() + 3_600_000
    await fold(s, s.acme, made.id, { phase: 'on_time', expected_at, deadline_at: expected_at + 1 })
    const ongoing = (await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).json().next_expected
    t.same(
      ongoing.map((at: string) => Date.parse(at) - expected_at),
      [0, 1, 2, 3, 4].map((n) => n * 86_400_000),
      'afterwards from the ping that is expected'
    )
    await fold(s, s.acme, made.id, { phase: 'missed', status: 'missed', expected_at: expected_at - 7_200_000, deadline_at: 1 })
    const [next] = (await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).json().next_expected
    t.ok(Date.parse(next) > expected_at, 'what is past is no next time')

    const [config, ...others] = await controls(s, made.id)
    t.same(others, [])
    t.match(config, {
      event_id: uuidv5(made.id, '1'),
      tenant_id: s.acme.tenant_id,
      heartbeat_id: made.id,
      version: 1,
      name: 'Nightly backup',
      schedule_kind: 'period',
      period_seconds: 86_400,
      cron: null,
      time_zone: null,
      grace_seconds: 17_280,
      max_run_seconds: null,
      fail_tolerance: 0,
      recovery_pings: 1,
      keep_phase: false,
      severity: 'critical',
      paused: false,
      deleted: false,
      retention_days: 395
    })
    const kept = await versions(made.id)
    t.match(kept, [{ version: 1, actor: `token:${s.acme.token_id}`, body: { name: 'Nightly backup', slug: 'nightly-backup' } }])
    t.notOk(JSON.stringify([kept, config, await audit(made.id)]).includes(made.ping_token), 'the token is in no record of it')
    t.match(await audit(made.id), [{ action: 'heartbeat.created' }])
  })

  await t.test('a heartbeat with a cron expression follows the wall clock of its time zone', async (t) => {
    const made = await make({
      name: 'Report',
      schedule: { kind: 'cron', expression: '30 2 * * mon-fri', time_zone: 'Europe/Berlin' },
      grace_seconds: 0,
      max_run_seconds: 3600,
      severity: 'warning'
    })
    t.match(made, {
      schedule: { kind: 'cron', expression: '30 2 * * mon-fri', time_zone: 'Europe/Berlin' },
      grace_seconds: 0,
      max_run_seconds: 3600,
      severity: 'warning'
    })
    t.same(Object.keys(made.schedule), ['kind', 'expression', 'time_zone'])
    for (const at of made.next_expected) {
      const wall = new Date(at).toLocaleString('en-GB', { timeZone: 'Europe/Berlin', weekday: 'short', hour: '2-digit', minute: '2-digit' })
      t.match(wall, /^(Mon|Tue|Wed|Thu|Fri),? (02:30|03:00)/, `${at}: ${wall}`)
    }
    t.equal((await make({ name: 'x', schedule: { kind: 'cron', expression: '@daily', time_zone: 'UTC' } })).grace_seconds, 600)
    t.equal((await make({ name: 'y', schedule: { kind: 'period', period_seconds: 30 } })).grace_seconds, 60, 'at least a minute')
    const yearly = { kind: 'period', period_seconds: 31_536_000 }
    t.equal((await make({ name: 'z', schedule: yearly })).grace_seconds, 2_592_000, 'and at most what can be set')
    t.match((await controls(s, made.id))[0], {
      schedule_kind: 'cron',
      cron: '30 2 * * mon-fri',
      time_zone: 'Europe/Berlin',
      period_seconds: null
    })
  })

  await t.test('each invalid field of a heartbeat is refused with its path and rule', async (t) => {
    const cron = { kind: 'cron', expression: '0 3 * * *', time_zone: 'UTC' }
    const cases: [object, string][] = [
      [{}, 'name required, schedule required'],
      [{ ...daily, schedule: {} }, 'schedule.kind required'],
      [{ ...daily, schedule: { kind: 'period' } }, 'schedule.period_seconds required'],
      [{ ...daily, schedule: { kind: 'period', period_seconds: 29 } }, 'schedule.period_seconds min'],
      [{ ...daily, schedule: { kind: 'period', period_seconds: 31_536_001 } }, 'schedule.period_seconds max'],
      [{ ...daily, schedule: { kind: 'period', period_seconds: 60, time_zone: 'UTC' } }, 'schedule.time_zone unknown_field'],
      [{ ...daily, schedule: { ...cron, period_seconds: 60 } }, 'schedule.period_seconds unknown_field'],
      [{ ...daily, schedule: { kind: 'cron', expression: '0 3 * * *' } }, 'schedule.time_zone required'],
      [{ ...daily, schedule: { kind: 'cron', time_zone: 'UTC' } }, 'schedule.expression required'],
      [{ ...daily, schedule: { ...cron, expression: '61 3 * * *' } }, 'schedule.expression pattern'],
      [{ ...daily, schedule: { ...cron, expression: '0 0 3 * * *' } }, 'schedule.expression pattern'],
      [{ ...daily, schedule: { ...cron, expression: '0 0 31 2 *' } }, 'schedule.expression pattern'],
      [{ ...daily, schedule: { ...cron, time_zone: 'Mars/Olympus' } }, 'schedule.time_zone unknown_zone'],
      [{ ...daily, schedule: { ...cron, time_zone: '+02:00' } }, 'schedule.time_zone unknown_zone'],
      [{ ...daily, slug: 'Nightly' }, 'slug pattern'],
      [{ ...daily, grace_seconds: 2_592_001 }, 'grace_seconds max'],
      [{ ...daily, max_run_seconds: 0 }, 'max_run_seconds min'],
      [{ ...daily, severity: 'fatal' }, 'severity enum'],
      [{ ...daily, tags: ['a', ''] }, 'tags[1] length'],
      [{ ...daily, description: 'x'.repeat(4001) }, 'description length'],
      [{ ...daily, ping_token: s.acme.tenant_id }, 'ping_token unknown_field'],
      [{ ...daily, fail_tolerance: 21 }, 'fail_tolerance max'],
      [{ ...daily, min_run_seconds: 0 }, 'min_run_seconds min'],
      [{ ...daily, min_run_seconds: 60, max_run_seconds: 60 }, 'min_run_seconds max'],
      [{ ...daily, recovery_pings: 0 }, 'recovery_pings min'],
      [{ ...daily, recovery_pings: 11 }, 'recovery_pings max'],
      [{ ...daily, allowed_methods: ['POST', 'PUT'] }, 'allowed_methods[1] enum'],
      [{ ...daily, body_excerpt_chars: 513 }, 'body_excerpt_chars max'],
      [{ ...daily, body_rules: { failed: ['x'] } }, 'body_rules.failed unknown_field'],
      [{ ...daily, body_rules: { failure: ['x', ''] } }, 'body_rules.failure[1] length'],
      [{ ...daily, keep_phase: true }, 'keep_phase unknown_field']
    ]
    const before = (await s.call(s.acme, 'GET', PATH)).json().total
    for (const [body, wanted] of cases) {
      const answer = await s.call(s.acme, 'POST', PATH, body)
      t.equal(answer.statusCode, 422, JSON.stringify(body))
      const details: { path: string; rule: string }[] = answer.json().details ?? []
      t.equal(details.map(({ path, rule }) => `${path} ${rule}`).join(', '), wanted)
    }
    t.equal((await s.call(s.acme, 'GET', PATH)).json().total, before, 'nothing was made')
  })

  await t.test('ping rules of a heartbeat reach its version, its control record and the ping lookup', async (t) => {
    const rules = {
      min_run_seconds: 5,
      fail_tolerance: 2,
      recovery_pings: 3,
      allowed_methods: ['POST', 'GET'],
      body_rules: { success: ['done', 'done'], failure: ['error'], start: [] },
      body_excerpt_chars: 80
    }
    const set = { ...rules, allowed_methods: ['GET', 'POST'], body_rules: { success: ['done'], failure: ['error'] } }
    const made = await make({ ...daily, name: 'With rules', ...rules })
    t.match(made, set)
    t.notOk('start' in made.body_rules, 'a list without words is none')
    t.match((await controls(s, made.id))[0], { min_run_seconds: 5, fail_tolerance: 2, recovery_pings: 3, unpause_on_ping: false })
    t.match(await versions(made.id), [{ body: set }])
    const found = await s.tenantPool.query('SELECT * FROM find_pinged_by_token($1)', [made.ping_token])
    t.match(found.rows, [
      { heartbeat_id: made.id, allowed_methods: ['GET', 'POST'], body_rules: { success: ['done'] }, body_excerpt_chars: 80 }
    ])
    const changed = await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { body_rules: {}, recovery_pings: 1 })
    t.match(changed.json(), { ...set, recovery_pings: 1, body_rules: {} })
    t.same(changed.json().body_rules, {})
    for (const allowed_methods of [[], ['GET', 'GET']])
      t.equal((await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { allowed_methods })).statusCode, 422, JSON.stringify(allowed_methods))
  })

  await t.test('text with NUL characters or lone surrogates is refused', async (t) => {
    const body = { ...daily, name: 'n\ud800', description: 'a\u0000b', labels: { x: '\u0000', y: '\ud800' }, tags: ['\u0000'] }
    const answer = await s.call(s.acme, 'POST', PATH, body)
    t.equal(answer.statusCode, 422)
    const paths = answer.json().details.map(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`)
    t.same(
      paths,
      ['name', 'description', 'labels.x', 'labels.y', 'tags[0]'].map((path) => `${path} ill_formed`)
    )
    t.equal((await s.call(s.acme, 'GET', `${PATH}?tag=%00&slug=%00&q=%00%00`)).statusCode, 422)
  })

  await t.test('heartbeat slugs come from the name, are unique and become free after a deletion', async (t) => {
    const names: [string, string][] = [
      ['Nachtlauf für Köln!', 'nachtlauf-fur-koln'],
      ['Nachtlauf für Köln', 'nachtlauf-fur-koln-2'],
      ['nachtlauf fur koln', 'nachtlauf-fur-koln-3'],
      ['日本', 'heartbeat'],
      ['!?', 'heartbeat-2'],
      ['x'.repeat(200), 'x'.repeat(90)]
    ]
    for (const [name, slug] of names) t.equal((await make({ ...daily, name })).slug, slug)
    const own = await make({ ...daily, slug: 'etl_1' })
    const taken = await s.call(s.acme, 'POST', PATH, { ...daily, slug: 'etl_1' })
    t.equal(taken.statusCode, 409)
    t.match(taken.json(), { code: 'SLUG_TAKEN', details: [{ path: 'slug' }] })
    const other = await make({ ...daily, name: 'other' })
    t.equal((await s.call(s.acme, 'PATCH', `${PATH}/${other.id}`, { slug: 'etl_1' })).json().code, 'SLUG_TAKEN')
    t.equal((await make({ ...daily, slug: 'etl_1' }, s.globex)).slug, 'etl_1', 'another workspace has its own')
    t.equal((await s.call(s.acme, 'DELETE', `${PATH}/${own.id}`)).statusCode, 204)
    t.equal((await s.call(s.acme, 'PATCH', `${PATH}/${other.id}`, { slug: 'etl_1' })).json().slug, 'etl_1')
    t.match((await s.call(s.acme, 'PATCH', `${PATH}/${other.id}`, { slug: null })).json(), { slug: null, ping_url_by_slug: null })
    const many = await Promise.all(Array.from({ length: 5 }, () => make({ ...daily, name: 'At once' })))
    t.equal(new Set(many.map(({ slug }) => slug)).size, 5, 'also when they come at once')
  })

  await t.test('a change keeps absent fields, and a new schedule restarts unless keep_phase is set', async (t) => {
    const made = await make({ ...daily, tags: ['db'], labels: { team: 'data' }, max_run_seconds: 60, grace_seconds: 5 })
    await fold(s, s.acme, made.id, {
      phase: 'missed',
      status: 'missed',
      missed_count: 3,
      last_ping_at: Date.UTC(2026, 0, 1),
      reason: 'missed'
    })
    t.match((await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).json(), {
      phase: 'missed',
      status: 'missed',
      missed_count: 3,
      last_ping_at: '2026-01-01T00:00:00.000Z'
    })
    const renamed = await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { name: 'Backup', max_run_seconds: null, grace_seconds: null })
    t.equal(renamed.statusCode, 200)
    t.equal(renamed.headers.etag, '"2"')
    t.match(renamed.json(), {
      name: 'Backup',
      slug: made.slug,
      tags: ['db'],
      labels: { team: 'data' },
      max_run_seconds: null,
      grace_seconds: 17_280,
      version: 2,
      phase: 'missed',
      status: 'missed'
    })
    const hourly = { kind: 'period', period_seconds: 3600 }
    const kept = (await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { schedule: hourly, keep_phase: true })).json()
    t.match(kept, { phase: 'missed', status: 'missed', schedule: hourly, grace_seconds: 17_280 })
    t.same(
      kept.next_expected.map((at: string) => Date.parse(at) - Date.parse(kept.updated_at)),
      [1, 2, 3, 4, 5].map((n) => n * 3_600_000)
    )
    await fold(s, s.acme, made.id, { phase: 'missed', status: 'missed' })
    const fresh = (await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { schedule: { kind: 'period', period_seconds: 60 } })).json()
    t.match(fresh, { phase: 'waiting', status: 'up', version: 4 }, 'as the fold will have it, although it has not read the change')
    t.same(
      (await controls(s, made.id)).map(({ version, keep_phase, period_seconds }) => [version, keep_phase, period_seconds]),
      [
        [1, false, 86_400],
        [2, false, 86_400],
        [3, true, 3600],
        [4, false, 60]
      ]
    )
    t.match((await audit(made.id))[1], {
      action: 'heartbeat.updated',
      diff: { name: ['Nightly backup', 'Backup'], max_run_seconds: [60, null] }
    })
    t.same(
      (await versions(made.id)).map(({ version }: { version: number }) => version),
      [1, 2, 3, 4]
    )
    t.equal(
      (await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { schedule: { kind: 'cron', expression: 'x', time_zone: 'UTC' } })).statusCode,
      422
    )
    t.equal((await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).json().version, 4, 'a refused change leaves no trace')
  })

  await t.test('a read-only token sees no ping URL and no ping token', async (t) => {
    const made = await make(daily)
    const reader = (await s.call(s.acme, 'POST', '/api/v1/workspace/tokens', { name: 'reader', scopes: ['read'] })).json().token
    const one = await s.call(reader, 'GET', `${PATH}/${made.id}`)
    t.match(one.json(), { ping_token: null, ping_url: null, ping_url_by_slug: null })
    const list = await s.call(reader, 'GET', PATH)
    t.ok(list.json().total > 0)
    const key = made.ping_url_by_slug.split('/').at(-2)
    for (const { body } of [one, list]) {
      t.notOk(body.includes(made.ping_token))
      t.notOk(body.includes(key))
    }
    t.equal((await s.call(reader, 'POST', `${PATH}/${made.id}/pause`)).json().code, 'READ_ONLY_TOKEN')
    t.equal((await s.call(reader, 'POST', PATH, daily)).json().code, 'READ_ONLY_TOKEN')
    const writer = (await s.call(s.acme, 'POST', '/api/v1/workspace/tokens', { name: 'writer', scopes: ['read', 'write'] })).json().token
    t.equal((await s.call(writer, 'GET', `${PATH}/${made.id}`)).json().ping_url, made.ping_url)
  })

  await t.test('a pause with unpause_on_ping holds notifications only until the fold ends it', async (t) => {
    const made = await make(daily)
    const { tenant_id } = s.acme
    const paused = (await s.call(s.acme, 'POST', `${PATH}/${made.id}/pause`, { unpause_on_ping: true })).json()
    t.match(paused, { phase: 'paused', pause_reason: 'user', unpause_on_ping: true, version: 2 })
    t.match((await controls(s, made.id)).at(-1), { version: 2, paused: true, unpause_on_ping: true })
    const holds = (): Promise<boolean> =>
      transaction(s.systemPool, async (tx) => {
        const watching = [record('Incident', { monitor_id: null, heartbeat_id: made.id })]
        return (await loadHoldFacts(tx, tenant_id, watching, Date.now())).paused.has(made.id)
      })
    t.ok(await holds(), 'before the fold has read of it')
    await fold(s, s.acme, made.id)
    t.ok(await holds())
    await fold(s, s.acme, made.id, { phase: 'failed', status: 'missed' })
    t.notOk(await holds(), 'people are told of the failure that ended it')
    t.match((await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).json(), { phase: 'failed', status: 'missed', unpause_on_ping: true })
    const resumed = (await s.call(s.acme, 'POST', `${PATH}/${made.id}/resume`)).json()
    t.match(resumed, { paused_at: null, unpause_on_ping: false, version: 3 })
    const again = (await s.call(s.acme, 'POST', `${PATH}/${made.id}/pause`)).json()
    t.match(again, { unpause_on_ping: false, version: 4 }, 'of one pause, not of all')
  })

  await t.test('a pause resolves the open incident, a repeat changes nothing, and resuming waits for a ping', async (t) => {
    const made = await make(daily)
    await fold(s, s.acme, made.id, { phase: 'missed', status: 'missed', expected_at: Date.now(), deadline_at: Date.now() })
    const incident_id = await miss(s, s.acme, made.id)
    t.equal((await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).json().open_incident_id, incident_id)
    const paused = await s.call(s.acme, 'POST', `${PATH}/${made.id}/pause`, { reason: 'migration', minutes: 90, colour: 'blue' })
    t.equal(paused.statusCode, 200)
    t.match(paused.json(), {
      phase: 'paused',
      pause_reason: 'user',
      pause_comment: 'migration',
      paused_by: `token:${s.acme.token_id}`,
      missed_since: null,
      open_incident_id: null,
      next_expected_at: null,
      deadline_at: null,
      version: 2
    })
    const { paused_at, resume_at } = paused.json()
    t.equal(Date.parse(resume_at) - Date.parse(paused_at), 90 * 60_000)
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), {
      status: 'resolved',
      resolution: { reason: 'api', note: 'It was paused.' },
      resolved_by: `token:${s.acme.token_id}`
    })
    t.match(await audit(incident_id), [{ action: 'incident.resolved' }])
    const again = await s.call(s.acme, 'POST', `${PATH}/${made.id}/pause`, { reason: 'other' })
    t.same(again.json(), paused.json(), 'a repeat changes nothing')
    const jobs = () =>
      s.systemPool.query("SELECT run_at, payload FROM jobs WHERE kind = 'heartbeat_resume' AND payload ->> 'heartbeat_id' = $1", [made.id])
    t.match((await jobs()).rows, [{ run_at: Date.parse(resume_at) }])

    await fold(s, s.acme, made.id, { phase: 'paused', status: 'missed' })
    const resumed = (await s.call(s.acme, 'POST', `${PATH}/${made.id}/resume`)).json()
    t.match(resumed, {
      phase: 'waiting',
      status: 'up',
      paused_at: null,
      paused_by: null,
      pause_reason: null,
      pause_comment: null,
      resume_at: null,
      version: 3
    })
    t.same((await s.call(s.acme, 'POST', `${PATH}/${made.id}/resume`)).json(), resumed, 'a repeat changes nothing')
    t.same((await jobs()).rows, [])
    t.same(
      (await controls(s, made.id)).map(({ version, paused, pause_reason }) => [version, paused, pause_reason]),
      [
        [1, false, null],
        [2, true, 'user'],
        [3, false, null]
      ]
    )
    t.same(
      (await audit(made.id)).map(({ action }: { action: string }) => action),
      ['heartbeat.created', 'heartbeat.paused', 'heartbeat.resumed']
    )
    const wrong: [object, string][] = [
      [{ minutes: 0 }, 'minutes min'],
      [{ minutes: 129_601 }, 'minutes max'],
      [{ minutes: 5, resume_at: '2027-01-01T00:00:00Z' }, 'minutes mutually_exclusive'],
      [{ resume_at: '2020-01-01T00:00:00Z' }, 'resume_at min'],
      [{ resume_at: new Date(Date.now() + 91 * 86_400_000).toISOString() }, 'resume_at max'],
      [{ resume_at: 'soon' }, 'resume_at pattern'],
      [{ reason: 'x'.repeat(501) }, 'reason length']
    ]
    for (const [body, rule] of wrong) {
      const { details } = (await s.call(s.acme, 'POST', `${PATH}/${made.id}/pause`, body)).json()
      t.equal(`${details[0].path} ${details[0].rule}`, rule)
    }
    const kept_open = await miss(s, s.acme, made.id, 2)
    t.equal((await s.call(s.acme, 'POST', `${PATH}/${made.id}/pause`, { resolve_open: false })).json().open_incident_id, kept_open)
  })

  await t.test('a deleted heartbeat answers 404, its incident is resolved and its ping token is unknown', async (t) => {
    const made = await make(daily)
    const incident_id = await miss(s, s.acme, made.id)
    const gone = await s.call(s.acme, 'DELETE', `${PATH}/${made.id}`)
    t.equal(gone.statusCode, 204)
    t.equal(gone.body, '')
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['GET', '/pings'],
      ['GET', '/runs']
    ] as const) {
      t.equal(
        (await s.call(s.acme, method, `${PATH}/${made.id}${path}`, method === 'PATCH' ? {} : undefined)).statusCode,
        404,
        `${method} ${path}`
      )
    }
    t.same((await s.tenantPool.query('SELECT * FROM find_pinged_by_token($1)', [made.ping_token])).rows, [])
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), {
      status: 'resolved',
      resolution: { reason: 'monitor_deleted' }
    })
    t.match((await controls(s, made.id)).at(-1), { version: 2, deleted: true })
    t.match((await versions(made.id)).at(-1), { version: 2, body: { deleted: true } })
    t.match((await audit(made.id)).at(-1), { action: 'heartbeat.deleted' })
  })

  await t.test('heartbeat lists can be filtered, sorted and paged', async (t) => {
    const who = await s.workspace('lists')
    const ids: Record<string, string> = {}
    for (const [name, tags] of [
      ['Alpha', ['db', 'eu']],
      ['bravo', ['db']],
      ['Charlie', []],
      ['delta', ['us']]
    ] as [string, string[]][]) {
      ids[name] = (await make({ ...daily, name, tags }, who)).id
    }
    await fold(s, who, ids.bravo ?? '', { phase: 'missed', status: 'missed', last_ping_at: 2000 })
    await fold(s, who, ids.Charlie ?? '', { phase: 'on_time', last_ping_at: 3000 })
    await s.call(who, 'POST', `${PATH}/${ids.delta}/pause`)
    const names = async (query: string) => {
      const answer = await s.call(who, 'GET', `${PATH}?${query}`)
      t.equal(answer.statusCode, 200, `${query}: ${answer.body}`)
      return answer.json().items.map(({ name }: { name: string }) => name)
    }
    t.same(await names(''), ['Alpha', 'bravo', 'Charlie', 'delta'])
    t.same(await names('sort=-name'), ['delta', 'Charlie', 'bravo', 'Alpha'])
    t.same(await names('sort=-last_ping_at,-name'), ['Charlie', 'bravo', 'delta', 'Alpha'])
    t.same(await names('sort=status,created_at'), ['bravo', 'Alpha', 'Charlie', 'delta'])
    t.same(await names('status=missed'), ['bravo'])
    t.same(await names('phase=waiting,paused'), ['Alpha', 'delta'])
    t.same(await names('phase=on_time&phase=missed'), ['bravo', 'Charlie'])
    t.same(await names('tag=eu,us'), ['Alpha', 'delta'])
    t.same(await names('tag=db&status=up'), ['Alpha'])
    t.same(await names('slug=charlie'), ['Charlie'])
    t.same(await names('q=ALP'), ['Alpha'])
    t.same(await names('q=%25%25'), [], 'wildcards are letters')
    t.match((await s.call(who, 'GET', `${PATH}?per_page=3&page=2`)).json(), {
      items: [{ name: 'delta' }],
      total: 4,
      page: 2,
      per_page: 3,
      total_pages: 2
    })
    for (const query of ['status=down', 'phase=x', 'sort=ping_token', 'q=x', 'colour=blue', 'per_page=201'])
      t.equal((await s.call(who, 'GET', `${PATH}?${query}`)).statusCode, 422, query)
    t.equal((await s.call(who, 'GET', `${PATH}?page=201&per_page=50`)).json().code, 'PAGE_TOO_DEEP')
  })

  await t.test('the plan limit holds for concurrent creates and for resuming a heartbeat paused by the plan', async (t) => {
    const free = await s.workspace('free-beats', 'free')
    const answers = await Promise.all(Array.from({ length: 13 }, (_, i) => s.call(free, 'POST', PATH, { ...daily, name: `n${i}` })))
    t.same(answers.map(({ statusCode }) => statusCode).sort(), [...Array(10).fill(201), ...Array(3).fill(403)])
    const refused = answers.find(({ statusCode }) => statusCode === 403)
    t.match(refused?.json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ rule: 'limit', limit_key: 'heartbeats', limit: 10, actual: 10, plan: 'free', upgrade_to: 'pro' }]
    })
    const { items, total } = (await s.call(free, 'GET', PATH)).json()
    t.equal(total, 10)
    t.match((await s.call(free, 'GET', '/api/v1/account')).json(), { usage: { heartbeats: 10 } })
    const { rows } = await s.systemPool.query('SELECT count(*) AS count FROM outbox WHERE tenant_id = $1 AND topic = $2', [
      free.tenant_id,
      'heartbeat.pings.v1'
    ])
    t.equal(rows[0]?.count, 10, 'a refused one leaves no trace')

    const surplus = items[0].id
    const entitle = () =>
      s.systemPool.query(
        "UPDATE heartbeats SET paused_at = now(), paused_by = 'system:plan', pause_reason = 'entitlement' WHERE heartbeat_id = $1",
        [surplus]
      )
    await entitle()
    t.equal((await s.call(free, 'POST', PATH, daily)).statusCode, 403, 'it still counts')
    t.equal((await s.call(free, 'POST', `${PATH}/${surplus}/resume`)).statusCode, 200, 'there is room for it')
    await entitle()
    await s.systemPool.query(
      `INSERT INTO heartbeats (tenant_id, heartbeat_id, name, schedule_kind, period_seconds, grace_seconds, severity, ping_token)
       VALUES ($1, gen_random_uuid(), 'of a larger plan', 'period', 60, 60, 'info', gen_random_uuid())`,
      [free.tenant_id]
    )
    const full = await s.call(free, 'POST', `${PATH}/${surplus}/resume`)
    t.equal(full.statusCode, 403)
    t.equal(full.json().code, 'TIER_LIMIT_EXCEEDED')
    t.equal((await s.call(free, 'DELETE', `${PATH}/${items[1].id}`)).statusCode, 204)
    t.equal((await s.call(free, 'POST', `${PATH}/${surplus}/resume`)).statusCode, 200, 'a deleted one makes room')
  })
})

t.test('re-emission sends the deletion of each heartbeat and monitor that only a fold has', async (t) => {
  const s = await stand(t)
  const create = async (name: string) => String((await s.call(s.acme, 'POST', PATH, { ...daily, name })).json().id)
  const [kept, deleted, lost] = [await create('kept'), await create('deleted'), await create('lost')]
  for (const id of [kept, deleted, lost]) await fold(s, s.acme, id)
  const monitor_id = uuidv5(deleted, 'a monitor')
  await s.systemPool.query("UPDATE partition_state SET state = state #- '{config,unpause_on_ping}' WHERE key = $1", [lost])
  await s.systemPool.query(
    `INSERT INTO partition_state (processor, partition, key, state)
     VALUES ('heartbeat', 0, 'partition:0', '{"kind": "partition", "last_tick": 1}'), ('heartbeat', 0, 'early:x', '{"kind": "early"}'),
            ('status', 0, $1, $2)`,
    [monitor_id, JSON.stringify({ tenant_id: s.acme.tenant_id, config: record('MonitorConfig', { monitor_id, version: 3 }) })]
  )
  t.equal((await s.call(s.acme, 'DELETE', `${PATH}/${deleted}`)).statusCode, 204)
  await s.systemPool.query('DELETE FROM heartbeats WHERE heartbeat_id = $1', [lost])
  await s.systemPool.query('DELETE FROM outbox')
  t.same(await reemitConfigs(s.systemPool, codec, { batch: 1 }), { monitors: 0, heartbeats: 1, budgets: 0, deleted: 3 })
  t.match(await controls(s, kept), [{ version: 1, deleted: false }])
  for (const id of [deleted, lost]) {
    const [control, ...more] = await controls(s, id)
    t.match([control, more], [{ version: 2, event_id: uuidv5(id, '2'), deleted: true, resolve_open: true }, []])
    const { rows } = await s.systemPool.query<{ state: HeartbeatRow }>('SELECT state FROM partition_state WHERE key = $1', [id])
    const state = rows[0]?.state ?? null
    if (control) t.equal(reduceHeartbeat(state, { input: 'config', config: control }, control.at).row, null)
  }
  const { rows } = await s.systemPool.query("SELECT ver, topic FROM outbox WHERE aggregate = 'monitor-config:' || $1", [monitor_id])
  t.same(rows, [{ ver: 4, topic: 'checks.results.v1' }])
})
