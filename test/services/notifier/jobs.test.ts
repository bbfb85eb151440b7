/**
 * Tests of timers on a real Postgres: what people set to end by itself ends once, whichever worker
 * runs it and whatever fails on the way.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Codec } from '../../../schemas/codec.ts'
import { projectRoot } from '../../../schemas/files.ts'
import type { RuleActions } from '../../../schemas/http/routing-words.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { apiIntegrationId } from '../../../services/api/alerts/create.ts'
import { resolveQuiet } from '../../../services/notifier/auto-resolve.ts'
import type { RunJob } from '../../../services/notifier/job.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker, type Worker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { insertAudit } from '../../../services/store/audit.ts'
import { changeJobs, nextJobIn } from '../../../services/store/jobs.ts'
import { transaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { create, MONITORS } from '../api/monitoring.ts'
import { type Stand, stand } from '../api/stand.ts'

const HEARTBEATS = '/api/v1/heartbeats'
const codec: Codec = localCodec()
const quietLog = createLog('test', 'silent')
const allHeard = async () => ({ at: Date.now(), includes: () => true })

function worker(t: Test, s: Stand, options: { runs?: Record<string, RunJob>; leaseMs?: number } = {}): Worker {
  const one = startWorker({
    pool: s.systemPool,
    codec,
    log: createLog('test', 'silent'),
    metrics: createMetrics(),
    runs,
    pollMs: 20,
    ...options
  })
  t.teardown(() => one.close())
  return one
}

/** Their time has come. */
const due = (s: Stand) => s.systemPool.query("UPDATE jobs SET run_at = now() - interval '1 second'")
const jobs = async (s: Stand): Promise<{ kind: string; attempts: number }[]> =>
  (await s.systemPool.query("SELECT kind, attempts FROM jobs WHERE kind <> 'incident_notify' ORDER BY kind")).rows
const gone = (s: Stand) => until('no job to be left', async () => (await jobs(s)).length === 0)
const audit = async (s: Stand, id: string): Promise<{ action: string; actor_kind: string; actor_id: string }[]> =>
  (await s.systemPool.query('SELECT action, actor_kind, actor_id FROM audit WHERE object_id = $1 ORDER BY at, audit_id', [id])).rows

t.test('a ping ends a pause only if the heartbeat was not changed since', async (t) => {
  const s = await stand(t)
  const body = { name: 'backup', schedule: { kind: 'period', period_seconds: 3600 } }
  const { id } = (await s.call(s.acme, 'POST', HEARTBEATS, body)).json()
  const paused = await s.call(s.acme, 'POST', `${HEARTBEATS}/${id}/pause`, { unpause_on_ping: true, minutes: 30 })
  t.match(paused.json(), { unpause_on_ping: true, version: 2 })
  const ended = (version: number) =>
    transaction(s.systemPool, (tx) =>
      changeJobs(tx, [
        {
          start: 'heartbeat_unpause',
          idem_key: `heartbeat_unpause:${id}:${version}`,
          tenant_id: s.acme.tenant_id,
          run_at: Date.now(),
          payload: { heartbeat_id: id, version }
        }
      ])
    )
  const read = async () => (await s.call(s.acme, 'GET', `${HEARTBEATS}/${id}`)).json()
  t.equal((await s.call(s.acme, 'PATCH', `${HEARTBEATS}/${id}`, { description: 'x' })).json().version, 3)
  await ended(2)
  worker(t, s)
  await until('the job to be done', async () => (await jobs(s)).every(({ kind }) => kind !== 'heartbeat_unpause'))
  t.match(await read(), { unpause_on_ping: true, pause_reason: 'user', version: 3 }, 'it was changed since: the fold pauses it again')
  await ended(3)
  await gone(s)
  t.match(await read(), { paused_at: null, resume_at: null, unpause_on_ping: false, version: 4 })
  t.match((await audit(s, id)).at(-1), { action: 'heartbeat.resumed', actor_kind: 'system', actor_id: 'heartbeat_unpause' })
})

t.test('a pause ends at its time and makes a new version', async (t) => {
  const s = await stand(t)
  const monitor = await create(s, s.acme)
  const heartbeat = (
    await s.call(s.acme, 'POST', HEARTBEATS, { name: 'backup', schedule: { kind: 'period', period_seconds: 3600 } })
  ).json()
  for (const path of [`${MONITORS}/${monitor.id}`, `${HEARTBEATS}/${heartbeat.id}`])
    t.equal((await s.call(s.acme, 'POST', `${path}/pause`, { minutes: 30 })).statusCode, 200)
  t.same(await jobs(s), [
    { kind: 'heartbeat_resume', attempts: 0 },
    { kind: 'monitor_resume', attempts: 0 }
  ])
  worker(t, s)
  await due(s)
  await gone(s)
  for (const [path, kind] of [
    [`${MONITORS}/${monitor.id}`, 'monitor'],
    [`${HEARTBEATS}/${heartbeat.id}`, 'heartbeat']
  ] as const) {
    const read = (await s.call(s.acme, 'GET', path)).json()
    t.match(read, { paused_at: null, paused_by: null, pause_reason: null, resume_at: null, version: 3 }, kind)
    t.match((await audit(s, read.id)).at(-1), { action: `${kind}.resumed`, actor_kind: 'system', actor_id: `${kind}_resume` })
    const { rows } = await s.systemPool.query('SELECT ver FROM outbox WHERE aggregate = $1 ORDER BY id', [`${kind}-config:${read.id}`])
    t.same(
      rows.map(({ ver }: { ver: number }) => ver),
      [1, 2, 3],
      'the fold is told'
    )
  }
})

t.test('the timer of an earlier pause does not end the current one', async (t) => {
  const s = await stand(t)
  const monitor = await create(s, s.acme)
  const path = `${MONITORS}/${monitor.id}`
  await s.call(s.acme, 'POST', `${path}/pause`, { minutes: 30 })
  await s.call(s.acme, 'POST', `${path}/resume`)
  t.same(await jobs(s), [], 'resuming takes the timer away')
  await s.call(s.acme, 'POST', `${path}/pause`, { minutes: 60 })
  const { resume_at } = (await s.call(s.acme, 'GET', path)).json()
  // A timer of an earlier pause that a worker already held when it was cancelled.
  await transaction(s.systemPool, (tx) =>
    changeJobs(tx, [
      {
        start: 'monitor_resume',
        idem_key: 'old',
        tenant_id: s.acme.tenant_id,
        run_at: Date.now(),
        payload: { monitor_id: monitor.id, resume_at: 1 }
      }
    ])
  )
  worker(t, s)
  await until('the old timer to be gone', async () => (await jobs(s)).length === 1)
  t.match((await s.call(s.acme, 'GET', path)).json(), { resume_at })
})

t.test('a silence ends at its time', async (t) => {
  const s = await stand(t)
  const { incident_id: id } = await s.incident(s.acme)
  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${id}/silence`, { duration_minutes: 5 })).statusCode, 200)
  t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${id}`)).json(), { silenced_until: String })
  worker(t, s)
  await due(s)
  await gone(s)
  t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${id}`)).json(), {
    silenced_until: null,
    last_change: { actor_kind: 'system', actor_id: 'timer' }
  })
})

const RESOLVE = { note: 'Known.', until_recovered: true }
const incidents = async (s: Stand): Promise<{ status: string; reopened_from: string | null; number: number }[]> =>
  (await s.call(s.acme, 'GET', '/api/v1/incidents?sort=started_at')).json().items

t.test('an incident resolved until recovery reopens if its monitor or heartbeat still fails', async (t) => {
  const s = await stand(t)
  const monitor = await create(s, s.acme)
  const heartbeat = (
    await s.call(s.acme, 'POST', HEARTBEATS, { name: 'backup', schedule: { kind: 'period', period_seconds: 3600 } })
  ).json()
  worker(t, s)
  for (const dedup_key of [`mon:${monitor.id}`, `hb:${heartbeat.id}`]) {
    const { incident_id: id } = await s.incident(s.acme, { dedup_key })
    t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${id}/resolve`, RESOLVE)).statusCode, 200)
    t.match(await jobs(s), [{ kind: 'incident_reopen' }])
    await due(s)
    await gone(s)
    const [before, after] = (await incidents(s)).slice(-2)
    t.match([before, after], [{ status: 'resolved' }, { status: 'ongoing', reopened_from: id, title: 'Disk full on db-7' }])
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/INC-${after?.number}`)).json(), {
      last_change: { actor_kind: 'system', actor_id: 'timer' }
    })
  }
  const again = (await incidents(s)).at(-1)
  t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/INC-${again?.number}/timeline`)).json().items, [
    { type: 'reopened', data: { reopened_from: again?.reopened_from } }
  ])
  const { rows } = await s.systemPool.query(
    "SELECT 1 FROM outbox WHERE topic = 'incident.events.v1' AND headers->>'event_type' = 'incident.created'"
  )
  t.equal(rows.length, 4, 'the log is told')
})

t.test('an incident of a paused or deleted monitor is not reopened', async (t) => {
  const s = await stand(t)
  worker(t, s)
  const quiet = async (): Promise<string> => {
    const { id } = await create(s, s.acme)
    const { incident_id } = await s.incident(s.acme, { dedup_key: `mon:${id}` })
    await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, RESOLVE)
    return id
  }
  const suppressed = async (): Promise<number> =>
    (await s.systemPool.query('SELECT 1 FROM signals WHERE suppressed_until IS NOT NULL')).rows.length
  for (const [method, path, body] of [
    ['POST', '/pause', {}],
    ['POST', '/pause', { resolve_open: false }],
    ['DELETE', '', undefined]
  ] as const) {
    const id = await quiet()
    t.equal(await suppressed(), 1)
    t.ok((await s.call(s.acme, method, `${MONITORS}/${id}${path}`, body)).statusCode < 300)
    t.same(await jobs(s), [], 'its timer is gone')
    t.equal(await suppressed(), 0)
  }

  // Resolved by hand during the pause: the timer reads the monitor when it is due.
  const { id } = await create(s, s.acme)
  const { incident_id } = await s.incident(s.acme, { dedup_key: `mon:${id}` })
  await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, { resolve_open: false })
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, RESOLVE)
  t.match(await jobs(s), [{ kind: 'incident_reopen' }])
  await due(s)
  await gone(s)
  t.same([...new Set((await incidents(s)).map(({ status }) => status))], ['resolved'])
})

t.test('the migration adds a reopen timer for an incident resolved before timers existed', async (t) => {
  const s = await stand(t)
  const made = []
  for (let nth = 0; nth < 3; nth++) {
    const { id } = await create(s, s.acme)
    const { incident_id } = await s.incident(s.acme, { dedup_key: `mon:${id}` })
    if (nth === 2) await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, { resolve_open: false })
    if (nth > 0) await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, RESOLVE)
    made.push(incident_id)
  }
  const all = "SELECT kind, run_at, idem_key, payload FROM jobs WHERE kind = 'incident_reopen' ORDER BY idem_key = $1 DESC"
  const ofSecond = `incident_reopen:${made[1]}`
  const [wanted] = (await s.systemPool.query(all, [ofSecond])).rows
  await s.systemPool.query('DELETE FROM jobs')
  await s.ownerPool.query(readFileSync(join(projectRoot, 'schemas/postgres/0022_incident_reopen.sql'), 'utf8'))
  const { rows } = await s.systemPool.query(all, [ofSecond])
  t.same(rows, [wanted], 'the one that is quiet and not paused, as its resolve made it')
  const { rows: forced } = await s.ownerPool.query(
    "SELECT relname FROM pg_class WHERE relname IN ('signals', 'monitors', 'heartbeats', 'jobs') AND relforcerowsecurity"
  )
  t.equal(forced.length, 4, 'the policies hold again')
})

t.test('the migration ends what a monitor opened that was degraded, where that opens none any more', async (t) => {
  const s = await stand(t)
  const made: { id: string; incident_id: string }[] = []
  for (let nth = 0; nth < 5; nth++) {
    const { id } = await create(s, s.acme, { open_on_degraded: nth === 2 })
    const { incident_id } = await s.incident(s.acme, { dedup_key: `mon:${id}` })
    const state = { tenant_id: s.acme.tenant_id, monitor_id: id, status: nth === 3 ? 'down' : 'up', phase: 'ok', flapping: nth === 4 }
    await s.systemPool.query("INSERT INTO partition_state (processor, partition, key, state) VALUES ('status', 0, $1, $2)", [id, state])
    made.push({ id, incident_id })
  }
  await s.call(s.acme, 'POST', `/api/v1/incidents/${made[1]?.incident_id}/resolve`, RESOLVE)
  await s.ownerPool.query(readFileSync(join(projectRoot, 'schemas/postgres/0205_incidents_of_degraded_monitors.sql'), 'utf8'))
  t.same(
    (await jobs(s)).map(({ kind }) => kind),
    ['degraded_end', 'degraded_end', 'degraded_end', 'incident_reopen']
  )
  worker(t, s)
  await s.systemPool.query("UPDATE jobs SET run_at = now() - interval '1 second' WHERE kind = 'degraded_end'")
  await gone(s)
  for (const [nth, status, comment] of [
    [0, 'resolved', 'A degraded state no longer opens an incident.'],
    [1, 'resolved', 'Known.'],
    [2, 'ongoing', null],
    [3, 'ongoing', null],
    [4, 'ongoing', null]
  ] as const) {
    const { incident_id } = made[nth] ?? { incident_id: '' }
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), { status }, `${nth}`)
    const { rows } = await s.systemPool.query("SELECT comment FROM incident_events WHERE incident_id = $1 AND change = 'resolved'", [
      incident_id
    ])
    t.same(rows, status === 'resolved' ? [{ comment }] : [], `${nth}: why`)
  }
  t.equal((await incidents(s)).length, 5, 'none opened again')
  const { rows: forced } = await s.ownerPool.query(
    "SELECT relname FROM pg_class WHERE relname IN ('signals', 'monitors', 'partition_state', 'jobs') AND relforcerowsecurity"
  )
  t.equal(forced.length, 4, 'the policies hold again')
})

t.test('several workers run each job once, and a cancelled job changes nothing', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const run: RunJob = async (tx, { payload }, { actor }) => {
    await insertAudit(tx, tenant_id, actor, { action: 'test.ran', object_type: 'test', object_id: String(payload.nth) })
    // Somebody cancels it.
    if (payload.nth === 7) await s.systemPool.query("DELETE FROM jobs WHERE idem_key = 'nth-7'")
  }
  await transaction(s.systemPool, (tx) =>
    changeJobs(
      tx,
      Array.from({ length: 60 }, (_, nth) => ({ start: 'test', idem_key: `nth-${nth}`, tenant_id, run_at: Date.now(), payload: { nth } }))
    )
  )
  for (let index = 0; index < 3; index++) worker(t, s, { runs: { test: run } })
  await gone(s)
  const { rows } = await s.systemPool.query<{ nth: number }>(
    "SELECT object_id::integer AS nth FROM audit WHERE action = 'test.ran' ORDER BY nth"
  )
  t.same(
    rows.map(({ nth }) => nth),
    Array.from({ length: 60 }, (_, nth) => nth).filter((nth) => nth !== 7)
  )
})

t.test('a failed job is retried, an expired lease is taken over, and an unknown kind is left', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const start = (kind: string) =>
    transaction(s.systemPool, (tx) => changeJobs(tx, [{ start: kind, idem_key: kind, tenant_id, run_at: Date.now(), payload: {} }]))
  await start('failing')
  await start('unknown')
  let tries = 0
  const failing: RunJob = async () => {
    tries += 1
    if (tries === 1) throw new Error('not today')
  }
  worker(t, s, { runs: { failing } })
  await until('the first try', () => tries === 1)
  await until('its next to be later', async () => {
    const { rows } = await s.systemPool.query(
      "SELECT 1 FROM jobs WHERE kind = 'failing' AND lease_until > now() + interval '1 second' AND attempts = 1"
    )
    return rows.length === 1
  })
  await s.systemPool.query("UPDATE jobs SET lease_until = now() WHERE kind = 'failing'")
  await until('the second try', async () => (await jobs(s)).length === 1)
  t.equal(tries, 2)
  t.same(await jobs(s), [{ kind: 'unknown', attempts: 0 }])

  await start('held')
  await s.systemPool.query("UPDATE jobs SET attempts = 1, lease_until = now() + interval '300 milliseconds' WHERE kind = 'held'")
  let ran = 0
  const held: RunJob = async () => {
    ran += 1
  }
  worker(t, s, { runs: { held } })
  await until('the lease to run out', async () => (await jobs(s)).length === 1)
  t.equal(ran, 1)
})

t.test('a worker knows when its next job is due', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  t.equal(await nextJobIn(s.systemPool, ['test']), null, 'nothing is to come')
  const start = (kind: string, at: number) =>
    transaction(s.systemPool, (tx) => changeJobs(tx, [{ start: kind, idem_key: `${kind} ${at}`, tenant_id, run_at: at, payload: {} }]))
  await start('other', Date.now())
  t.equal(await nextJobIn(s.systemPool, ['test']), null, 'nothing that it runs')
  await start('test', Date.now() + 600_000)
  const ms = (await nextJobIn(s.systemPool, ['test'])) ?? 0
  t.ok(ms > 500_000 && ms <= 600_000, `${ms}`)
  await start('test', Date.now() - 1000)
  t.equal(await nextJobIn(s.systemPool, ['test']), 0)
  await s.systemPool.query("UPDATE jobs SET lease_until = now() + interval '1 minute' WHERE run_at < now()")
  t.ok(((await nextJobIn(s.systemPool, ['test'])) ?? 0) > 30_000, 'a leased one is not due')
  for (let at = 1; at <= 100; at++) await start('test', at)
  await s.systemPool.query("UPDATE jobs SET lease_until = now() + interval '1 minute' WHERE run_at < now()")
  await start('test', Date.now() - 1000)
  t.equal(await nextJobIn(s.systemPool, ['test']), 0, 'due after a hundred that are leased')
})

t.test('a worker that only polls finds a job', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const start = (idem_key: string) =>
    transaction(s.systemPool, (tx) => changeJobs(tx, [{ start: 'polled', idem_key, tenant_id, run_at: Date.now(), payload: {} }]))
  const ran: string[] = []
  const polled: RunJob = async (_tx, job) => {
    ran.push(job.idem_key)
  }
  const one = worker(t, s, { runs: { polled } })
  await until('the first look', () => one.ready())
  for (const key of ['first', 'second']) {
    await start(key)
    await until(`the ${key} job to be done`, () => ran.at(-1) === key)
  }
  t.same(ran, ['first', 'second'])
})

t.test('an integration can resolve its incident after a quiet time', async (t) => {
  const s = await stand(t)
  const { incident_id: id } = await s.incident(s.acme)
  const { integration_id } = s.acme
  await s.systemPool.query("UPDATE signals SET last_seen_at = now() - interval '2 hours'")
  t.equal(await resolveQuiet(s.systemPool, codec, quietLog, allHeard), 0, 'only where it is set')
  await s.systemPool.query('UPDATE integrations SET auto_resolve_minutes = 90 WHERE integration_id = $1', [integration_id])
  await s.systemPool.query("UPDATE signals SET last_seen_at = now() - interval '1 hour'")
  t.equal(await resolveQuiet(s.systemPool, codec, quietLog, allHeard), 0, 'heard of an hour ago')
  await s.systemPool.query("UPDATE signals SET last_seen_at = now() - interval '2 hours'")
  t.equal(await resolveQuiet(s.systemPool, codec, quietLog, allHeard), 1)
  t.equal(await resolveQuiet(s.systemPool, codec, quietLog, allHeard), 0)
  t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${id}`)).json(), {
    status: 'resolved',
    resolved_by: 'system:auto_resolve',
    resolution: { reason: 'auto_timeout', note: 'Nothing was heard of it for 90 minutes.' }
  })
  t.match(await audit(s, id), [{ action: 'incident.resolved', actor_kind: 'system', actor_id: 'auto_resolve' }])
})

t.test('an alert that still fires opens again after a quiet time has resolved it', async (t) => {
  const s = await stand(t)
  const since = Date.now() - 3_600_000
  const firing = { sequence: since, sequence_kind: 'occurrence', occurred_at: since, time_source: 'sender' } as const
  const minutes = { by: ['label.of'], window_seconds: 300, max_alerts: 10 }
  const grouped = ruleOf(uuidv4(), { match: { all: [{ field: 'label.of', op: 'eq', value: 'group' }] }, actions: { group: minutes } })
  await s.rules(s.acme, [grouped])
  await s.systemPool.query('UPDATE integrations SET auto_resolve_minutes = 90 WHERE integration_id = $1', [s.acme.integration_id])
  for (const of of ['alone', 'group']) {
    const { dedup_key } = await s.signal(s.acme, { ...firing, labels: { of } })
    await s.systemPool.query("UPDATE signals SET last_seen_at = now() - interval '2 hours'")
    t.equal(await resolveQuiet(s.systemPool, codec, quietLog, allHeard), 1, of)
    const ongoing = async (): Promise<unknown[]> =>
      (await s.systemPool.query("SELECT reopened_from IS NOT NULL AS again FROM incidents WHERE status = 'ongoing'")).rows
    t.same(await ongoing(), [], of)
    await s.signal(s.acme, { ...firing, dedup_key, labels: { of } })
    t.same(await ongoing(), [{ again: true }], of)
    await s.signal(s.acme, { ...firing, dedup_key, labels: { of } })
    t.equal((await ongoing()).length, 1, `${of}: a repeat opens nothing more`)
    await s.signal(s.acme, { ...firing, dedup_key, action: 'resolve', labels: { of } })
    t.same(await ongoing(), [], `${of}: its recovery ends it`)
  }
})

t.test('a rule resolves alerts of the api and of a deleted integration after a quiet time', async (t) => {
  const s = await stand(t)
  const by = (of: string, group: RuleActions['group'] = null) =>
    ruleOf(uuidv4(), {
      match: { all: [{ field: 'label.of', op: 'eq', value: of }] },
      actions: { auto_resolve_minutes: 30, ...(group && { group }) }
    })
  const minutes = { by: ['label.of'], window_seconds: 300, max_alerts: 10 }
  await s.rules(s.acme, [by('api'), by('group', minutes), by('deleted'), by('monitor')])
  const ofApi = apiIntegrationId(s.acme.tenant_id)
  const { incident_id: alone } = await s.incident(s.acme, { integration_id: ofApi, source: 'api', labels: { of: 'api' } })
  await s.signal(s.acme, { integration_id: ofApi, source: 'api', labels: { of: 'group' } })
  const { incident_id: deleted } = await s.incident(s.acme, { labels: { of: 'deleted' } })
  const { incident_id: other } = await s.incident(s.acme, { labels: { of: 'no rule' } })
  const { incident_id: watched } = await s.incident(s.acme, { labels: { of: 'monitor' } })
  await s.systemPool.query("UPDATE incidents SET source_kind = 'monitor' WHERE incident_id = $1", [watched])
  const gone = await s.call(s.acme, 'DELETE', `/api/v1/integrations/inbound/${s.acme.integration_id}`)
  t.equal(gone.statusCode, 204)
  t.equal(await resolveQuiet(s.systemPool, codec, quietLog, allHeard), 0, 'heard of just now')
  await s.systemPool.query("UPDATE signals SET last_seen_at = now() - interval '31 minutes'")
  t.equal(await resolveQuiet(s.systemPool, codec, quietLog, allHeard), 3)
  const { rows } = await s.systemPool.query<{ incident_id: string }>("SELECT incident_id FROM incidents WHERE status = 'ongoing'")
  t.same(rows.map(({ incident_id }) => incident_id).sort(), [other, watched].sort(), 'no rule ends what we still see fail')
  for (const id of [alone, deleted])
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${id}`)).json(), { status: 'resolved', resolution: { reason: 'auto_timeout' } })
})

t.test('an incident that cannot be resolved does not block other incidents or workspaces', async (t) => {
  const s = await stand(t)
  const ids: string[] = []
  for (let nth = 0; nth < 120; nth++) ids.push((await s.incident(s.acme)).incident_id)
  const { incident_id: theirs } = await s.incident(s.globex)
  await s.systemPool.query("UPDATE signals SET last_seen_at = now() - interval '2 hours'")
  await s.systemPool.query('UPDATE integrations SET auto_resolve_minutes = 90')
  const bad = ids.toSorted()[3]
  await s.ownerPool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON incidents FOR EACH ROW WHEN (OLD.incident_id = '${bad}') EXECUTE FUNCTION refuse()`)
  t.equal(await resolveQuiet(s.systemPool, codec, quietLog, allHeard), 120, 'all but one, in one sweep')
  const { rows } = await s.systemPool.query("SELECT incident_id FROM incidents WHERE status = 'ongoing'")
  t.same(rows, [{ incident_id: bad }])
  t.match((await s.call(s.globex, 'GET', `/api/v1/incidents/${theirs}`)).json(), { status: 'resolved' })
  await s.ownerPool.query('DROP TRIGGER refuse ON incidents')
  const swept = await Promise.all([1, 2].map(() => resolveQuiet(s.systemPool, codec, quietLog, allHeard)))
  t.equal(
    swept.reduce((sum, one) => sum + one, 0),
    1,
    'once, however many sweep'
  )
})
