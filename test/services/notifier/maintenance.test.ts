/**
 * Tests of the effects of maintenance windows, on a real Postgres: nobody is notified during a
 * window, what still fails is notified after the window has settled, and recoveries pass.
 */
import t, { type Test } from 'tap'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { configsOf, create, MONITORS } from '../api/monitoring.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { heartbeat } from '../api/watched.ts'
import { age } from '../api/windows.ts'
import { channel } from './channels.ts'

const WINDOWS = '/api/v1/maintenance-windows'
const DEPLOYMENTS = '/api/v1/deployments/maintenance'
const HOUR = 3_600_000
const codec = localCodec()

function worker(t: Test, s: Stand): void {
  const one = startWorker({ pool: s.systemPool, codec, log: createLog('test', 'silent'), metrics: createMetrics(), runs, pollMs: 20 })
  t.teardown(() => one.close())
}

const later = (ms: number): string => new Date(Date.now() + ms).toISOString()
const once = (from = 0, to = HOUR) => ({ kind: 'once', starts_at: later(from), ends_at: later(to) })

async function window(s: Stand, who: Workspace, body: object = {}): Promise<{ id: string; ends_at: string }> {
  const answer = await s.call(who, 'POST', WINDOWS, { name: 'Work', scope: { all: true }, schedule: once(), ...body })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

/** Returns the decisions to notify about an incident: `down`, or the reason for suppression. */
const told = async (s: Stand, incident_id: string): Promise<string[]> => {
  const { rows } = await s.systemPool.query<{ event: string; suppressed_by: string | null }>(
    'SELECT event, suppressed_by FROM intents WHERE incident_id = $1 ORDER BY at, suppressed_by',
    [incident_id]
  )
  return rows.map(({ event, suppressed_by }) => (suppressed_by === null ? event : `${event} held by ${suppressed_by}`))
}

/** Waits until every due job has run. */
const quiet = (s: Stand) =>
  until('no job to be due', async () => (await s.systemPool.query('SELECT FROM jobs WHERE run_at <= now()')).rowCount === 0)
const jobsOf = async (s: Stand, who: Workspace): Promise<string[]> =>
  (
    await s.systemPool.query<{ kind: string }>("SELECT kind FROM jobs WHERE tenant_id = $1 AND kind LIKE 'maintenance%' ORDER BY kind", [
      who.tenant_id
    ])
  ).rows.map(({ kind }) => kind)

t.test('effects of maintenance windows', async (t) => {
  const s = await stand(t, { jobs: true })
  worker(t, s)
  const incidents = async (who: Workspace, query = '') => (await s.call(who, 'GET', `/api/v1/incidents${query}`)).json().items
  /** A release is done in pages: once the first page has opened an incident, another may follow. */
  const isDone = (who: Workspace): Promise<true> => until('no job to be left', async () => (await jobsOf(s, who)).length === 0)
  const resolve = (who: Workspace, dedup_key: string) => s.signal(who, { dedup_key, action: 'resolve' })

  await t.test('a failure that outlasts its window is notified once the window has settled', async (t) => {
    const home = await s.workspace('outlasts')
    await channel(s, home, { config: { url: 'https://127.0.0.1/' } })
    const { id } = await window(s, home)
    const { incident_id } = await s.incident(home, { dedup_key: 'int:x:outlasts' })
    await until('it to be held', async () => (await told(s, incident_id)).length === 1)
    t.same(await told(s, incident_id), ['down held by maintenance'])

    await age(s, id, HOUR + 1000)
    await quiet(s)
    t.same(await told(s, incident_id), ['down held by maintenance'], 'the end alone is not enough')
    t.match(await incidents(home), [{ held_by: [{ kind: 'maintenance', id }] }])

    await age(s, id, 120_000)
    await until('it to be told of', async () => (await told(s, incident_id)).includes('down'))
    t.match(await incidents(home), [{ held_by: [] }])
    t.ok(await isDone(home), 'nothing is left to do')
    await resolve(home, 'int:x:outlasts')
    await until('its end to be told of', async () => (await told(s, incident_id)).includes('up'))
  })

  await t.test('a recovery in a window is notified only if its failure was notified before', async (t) => {
    const home = await s.workspace('recovers')
    await channel(s, home, { config: { url: 'https://127.0.0.1/' } })
    const { incident_id } = await s.incident(home, { dedup_key: 'int:x:before' })
    await until('it to be told of', async () => (await told(s, incident_id)).length === 1)
    await window(s, home)
    const { incident_id: within } = await s.incident(home, { dedup_key: 'int:x:within' })
    await until('the second to be held', async () => (await told(s, within)).length === 1)
    await resolve(home, 'int:x:before')
    await resolve(home, 'int:x:within')
    await until('the end of the first to be told of', async () => (await told(s, incident_id)).length === 2)
    await quiet(s)
    t.same(await told(s, incident_id), ['down', 'up'])
    t.same(await told(s, within), ['down held by maintenance'], 'who was not told hears no end')
  })

  await t.test('a held failure is notified when its window ends early, changes or is deleted', async (t) => {
    const home = await s.workspace('early')
    await channel(s, home, { config: { url: 'https://127.0.0.1/' } })
    const { id } = await window(s, home, { settle_seconds: 60 })
    const { incident_id } = await s.incident(home)
    await until('it to be held', async () => (await told(s, incident_id)).length === 1)
    await s.call(home, 'POST', `${WINDOWS}/${id}/end-now`, {})
    await quiet(s)
    t.same(await told(s, incident_id), ['down held by maintenance'], 'it settles')
    await age(s, id, 61_000)
    await until('it to be told of', async () => (await told(s, incident_id)).includes('down'))

    const other = await window(s, home)
    const { incident_id: second } = await s.incident(home)
    await until('the second to be held', async () => (await told(s, second)).length === 1)
    await s.call(home, 'PATCH', `${WINDOWS}/${other.id}`, { scope: { tags: ['nothing'] } })
    await until('the second to be told of', async () => (await told(s, second)).includes('down'))

    const third = await window(s, home)
    const { incident_id: last } = await s.incident(home)
    await until('the third to be held', async () => (await told(s, last)).length === 1)
    t.equal((await s.call(home, 'DELETE', `${WINDOWS}/${third.id}`)).statusCode, 204)
    await until('the third to be told of', async () => (await told(s, last)).includes('down'))
  })

  await t.test('a window that suppresses incidents opens one afterwards for what still fails', async (t) => {
    const home = await s.workspace('keeps')
    const { id } = await window(s, home, { effect: 'suppress_incidents' })
    await s.signal(home, { dedup_key: 'int:x:kept', title: 'Disk full' })
    await s.signal(home, { dedup_key: 'int:x:recovers', title: 'Disk slow' })
    t.same(await incidents(home), [])
    const alerts = (await s.call(home, 'GET', '/api/v1/alerts')).json().items
    t.match(alerts, [
      { title: 'Disk slow', incident_id: null, suppressed_by: { kind: 'maintenance', id } },
      { title: 'Disk full', incident_id: null }
    ])
    const why = (await s.call(home, 'GET', `/api/v1/alerts/${alerts[0].id}/explain`)).json()
    t.match(
      why.steps.find(({ rule }: { rule: string }) => rule === 'maintenance'),
      { config_refs: [{ type: 'maintenance_window', id, version: 1 }], values: { window_id: id }, verdict: /keeps it/ }
    )
    await resolve(home, 'int:x:recovers')

    await s.systemPool.query("UPDATE alerts SET started_at = started_at - interval '3 hours' WHERE tenant_id = $1", [home.tenant_id])
    // The window gets longer: the check at its old end waits for the new end.
    await s.call(home, 'PATCH', `${WINDOWS}/${id}`, { schedule: once(0, 2 * HOUR) })
    await age(s, id, HOUR + 121_000)
    await quiet(s)
    t.same(await incidents(home), [])

    await age(s, id, HOUR)
    await until('the incident to open', async () => (await incidents(home)).length === 1)
    const [incident] = await incidents(home)
    const ended = (await s.call(home, 'GET', `${WINDOWS}/${id}`)).json().ends_at
    t.match(incident, { title: 'Disk full', status: 'ongoing', started_at: ended })
    const opened = (await s.call(home, 'GET', `/api/v1/incidents/${incident.id}/explain`)).json()
    t.match(opened.steps[0], { rule: 'maintenance', verdict: /still failed when the window had settled/ })
    t.ok(await isDone(home))
    t.equal((await incidents(home)).length, 1, 'what had recovered stays an alert')
  })

  await t.test('an alert that was just being kept when its window was deleted does not wait for its former end', async (t) => {
    const home = await s.workspace('meanwhile')
    const { id } = await window(s, home, { effect: 'suppress_incidents' })
    await s.signal(home, { dedup_key: 'int:x:meanwhile' }, async () => {
      t.equal((await s.call(home, 'DELETE', `${WINDOWS}/${id}`)).statusCode, 204)
      await quiet(s)
    })
    t.same(await incidents(home), [])
    t.ok((await jobsOf(s, home)).includes('maintenance_release'), 'it is looked at again')
    await s.systemPool.query("UPDATE jobs SET run_at = now() WHERE tenant_id = $1 AND kind = 'maintenance_release'", [home.tenant_id])
    await until('the incident', async () => (await incidents(home)).length === 1)
    t.notOk((await jobsOf(s, home)).includes('maintenance_release'))
  })

  await t.test('what somebody acknowledged in a window opens as acknowledged', async (t) => {
    const home = await s.workspace('acknowledges')
    const { id } = await window(s, home, { effect: 'suppress_incidents' })
    for (const title of ['Known', 'New']) await s.signal(home, { dedup_key: `int:x:${title}`, title })
    const alerts: { id: string; title: string }[] = (await s.call(home, 'GET', '/api/v1/alerts')).json().items
    const known = alerts.find(({ title }) => title === 'Known')
    t.equal((await s.call(home, 'POST', `/api/v1/alerts/${known?.id}/acknowledge`, {})).statusCode, 200)
    await age(s, id, HOUR + 121_000)
    await until('the incidents to open', async () => (await incidents(home)).length === 2)
    const { rows } = await s.systemPool.query(
      'SELECT title, acknowledged_by, acknowledged_at = opened_at AS since_it_opened FROM incidents WHERE tenant_id = $1 ORDER BY title',
      [home.tenant_id]
    )
    t.match(rows, [
      { title: 'Known', acknowledged_by: /^token:/, since_it_opened: true },
      { title: 'New', acknowledged_by: null }
    ])
  })

  await t.test('a failure in two windows opens an incident only when both are over', async (t) => {
    const home = await s.workspace('hands-over')
    const effect = 'suppress_incidents'
    const first = await window(s, home, { effect })
    const second = await window(s, home, { effect, schedule: once(0, 3 * HOUR) })
    await s.signal(home, { dedup_key: 'int:x:both', title: 'Disk full' })
    await age(s, first.id, HOUR + 121_000)
    await quiet(s)
    t.same(await incidents(home), [], 'the second keeps it')
    t.equal((await s.call(home, 'DELETE', `${WINDOWS}/${second.id}`)).statusCode, 204)
    await until('the incident to open once that is gone', async () => (await incidents(home)).length === 1)
  })

  await t.test('an alert that a person resolved in a window comes back if it still fails', async (t) => {
    const home = await s.workspace('comes-back')
    const { id } = await window(s, home, { effect: 'suppress_incidents' })
    const shop = await create(s, home)
    const cart = await create(s, home)
    for (const one of [shop, cart]) await s.signal(home, { dedup_key: `mon:${one.id}` })
    const ongoing = async () => (await s.call(home, 'GET', '/api/v1/alerts?status=ongoing')).json().items
    const end = async (alert_id: string) =>
      t.equal((await s.call(home, 'POST', `/api/v1/alerts/${alert_id}/resolve`, { note: 'Later' })).statusCode, 200)
    const back = (monitor_id: string) =>
      s.systemPool.query("UPDATE jobs SET run_at = now() WHERE kind = 'incident_reopen' AND payload ->> 'dedup_key' = $1", [
        `mon:${monitor_id}`
      ])
    const before = await ongoing()
    t.equal(before.length, 2)
    for (const alert of before) await end(alert.id)
    t.same(await ongoing(), [])

    await back(shop.id)
    await until('it to fail again', async () => (await ongoing()).length === 1)
    t.match(await ongoing(), [{ dedup_key: `mon:${shop.id}`, incident_id: null }], 'within, as an alert')
    t.same(await incidents(home), [])
    await age(s, id, HOUR + 121_000)
    await until('its incident to open', async () => (await incidents(home)).length === 1)
    await back(cart.id)
    await until('the other to open as an incident', async () => (await incidents(home)).length === 2)
  })

  await t.test('a window that pauses checks pauses its monitors and heartbeats, then resumes them', async (t) => {
    const home = await s.workspace('pauses')
    const shop = await create(s, home, { tags: ['shop'] })
    const byHand = await create(s, home, { tags: ['shop'] })
    const other = await create(s, home)
    const nightly = await heartbeat(s, home, 'nightly')
    const read = async (id: string) => (await s.call(home, 'GET', `${MONITORS}/${id}`)).json()
    await s.call(home, 'POST', `${MONITORS}/${byHand.id}/pause`, { reason: 'mine' })
    const { incident_id } = await s.incident(home, { dedup_key: `mon:${shop.id}` })
    const { id, ends_at } = await window(s, home, {
      effect: 'pause_checks',
      scope: { tags: ['shop'], heartbeat_ids: [nightly] },
      schedule: once(HOUR, 2 * HOUR)
    })
    await quiet(s)
    t.match(await read(shop.id), { paused_at: null })
    await age(s, id, HOUR)
    await until('it to be paused', async () => (await read(shop.id)).paused_at !== null)
    await quiet(s)
    t.match(await read(shop.id), { status: 'paused', pause_reason: 'maintenance', paused_by: `maintenance:${id}` })
    t.ok(Math.abs(Date.parse((await read(shop.id)).resume_at) - (Date.parse(ends_at) - HOUR)) < 5, 'until the end of the window')
    t.match((await s.call(home, 'GET', `/api/v1/heartbeats/${nightly}`)).json(), { pause_reason: 'maintenance' })
    t.match(await read(other.id), { paused_at: null })
    t.match((await s.call(home, 'GET', `/api/v1/incidents/${incident_id}`)).json(), { status: 'resolved' }, 'what is open is resolved')
    t.match((await configsOf(s, shop.id)).at(-1), { paused: true, resolve_open: true }, 'and the fold is told')

    await s.call(home, 'PATCH', `${WINDOWS}/${id}`, { scope: { tags: ['shop'] } })
    await until(
      'the heartbeat to go on',
      async () => (await s.call(home, 'GET', `/api/v1/heartbeats/${nightly}`)).json().paused_at === null
    )
    t.match(await read(shop.id), { pause_reason: 'maintenance' })

    await s.call(home, 'POST', `${WINDOWS}/${id}/end-now`, {})
    await until('it to go on', async () => (await read(shop.id)).paused_at === null)
    t.match(await read(byHand.id), { pause_reason: 'user', pause_comment: 'mine' }, 'what somebody paused stays so')
  })

  await t.test('what two windows pause goes on after the later one', async (t) => {
    const home = await s.workspace('overlap')
    const shop = await create(s, home, { tags: ['shop'] })
    const nightly = await heartbeat(s, home, 'nightly')
    const paths = [`${MONITORS}/${shop.id}`, `/api/v1/heartbeats/${nightly}`]
    const pausers = async (): Promise<(string | null)[]> =>
      Promise.all(paths.map(async (path) => (await s.call(home, 'GET', path)).json().paused_by))
    const pausing = (to: number) => window(s, home, { effect: 'pause_checks', schedule: once(0, to) })
    const first = await pausing(HOUR)
    await until('both to be paused', async () => (await pausers()).every((by) => by === `maintenance:${first.id}`))
    const second = await pausing(2 * HOUR)
    const elsewhere = { effect: 'pause_checks', scope: { tags: ['other'] }, schedule: once(0, 3 * HOUR) }
    await window(s, home, elsewhere)
    await quiet(s)
    await s.call(home, 'POST', `${WINDOWS}/${first.id}/end-now`, {})
    await until('the second to take over', async () => (await pausers()).every((by) => by === `maintenance:${second.id}`))
    t.equal((await s.call(home, 'GET', paths[0] ?? '')).json().resume_at, second.ends_at)
    await s.call(home, 'POST', `${WINDOWS}/${second.id}/end-now`, {})
    await until('both to go on', async () => (await pausers()).every((by) => by === null))

    for (const path of paths) await s.call(home, 'POST', `${path}/pause`, { resume_at: later(2000) })
    const third = await pausing(HOUR)
    await until('the window to go on with the pause', async () => (await pausers()).every((by) => by === `maintenance:${third.id}`))
  })

  await t.test('a recurring window is planned ahead, day by day', async (t) => {
    const home = await s.workspace('recurs')
    const schedule = {
      kind: 'recurring',
      rrule: 'FREQ=DAILY',
      time_zone: 'UTC',
      starts_on: '2026-01-01',
      // Half a day from now: a window that runs now would add one.
      at: `${new Date(Date.now() + 12 * HOUR).toISOString().slice(11, 13)}:00`,
      duration_minutes: 60
    }
    const { id } = await window(s, home, { schedule })
    const row = async () =>
      (
        await s.systemPool.query<{ spans: [number, number][]; ver: number }>(
          'SELECT spans, ver FROM maintenance_windows WHERE window_id = $1',
          [id]
        )
      ).rows[0]
    const before = await row()
    t.equal(before?.spans.length, 31)
    const { rows } = await s.systemPool.query<{ ms: number }>(
      "SELECT (extract(epoch FROM run_at - now()) * 1000)::float8 AS ms FROM jobs WHERE kind = 'maintenance_turn' AND tenant_id = $1",
      [home.tenant_id]
    )
    t.ok((rows[0]?.ms ?? Infinity) <= 24 * HOUR, 'looked at within a day')
    // As if it was looked at three days ago.
    await age(s, id, 3 * 24 * HOUR)
    await until('it to be worked out anew', async () => ((await row())?.ver ?? 0) > (before?.ver ?? 0))
    const after = await row()
    t.ok((after?.spans.at(-1)?.[0] ?? 0) > Date.now() + 29 * 24 * HOUR)
    await quiet(s)
    t.same(await jobsOf(s, home), ['maintenance_turn'], 'and it goes on')
  })

  await t.test('a deployment window is opened, extended once and ended with its token', async (t) => {
    const home = await s.workspace('deploys')
    const body = {
      name: 'Shop 1.4.2',
      service: 'shop',
      environment: 'production',
      version: '1.4.2',
      scope: { all: true },
      confirm_all: true
    }
    const opened = await s.call(home, 'POST', DEPLOYMENTS, { ...body, git: { sha: 'abc' }, run_url: 'https://ci.example/1' })
    t.equal(opened.statusCode, 201, opened.body)
    const made = opened.json()
    t.match(made, {
      state: 'active',
      end_token: /^mwe_[0-9a-f]{64}$/,
      end_url: 'http://127.0.0.1:8080/api/v1/deployments/maintenance/end',
      matched: { monitors: 0, heartbeats: 0 },
      deployed_version: '1.4.2',
      git: { sha: 'abc', ref: null },
      on_expire: 'alert',
      outcome: null
    })
    t.equal(Date.parse(made.ends_at) - Date.parse(made.starts_at), 30 * 60_000)
    t.notMatch(s.logged(), made.end_token, 'it is not logged')
    const { incident_id } = await s.incident(home)
    const page = (await s.call(home, 'GET', `/api/v1/incidents/${incident_id}`)).json()
    t.match(page, {
      held_by: [{ kind: 'maintenance', id: made.id }],
      changes: [{ id: made.id, origin: 'deployment', name: 'Shop 1.4.2', service: 'shop', run_url: 'https://ci.example/1' }]
    })
    t.match((await s.call(home, 'GET', `${WINDOWS}/${made.id}`)).json(), { origin: 'deployment' }, 'found by its id alone')
    t.equal((await s.call(home, 'GET', WINDOWS)).json().total, 0, 'and is no planned one')
    t.equal((await s.call(home, 'PATCH', `${WINDOWS}/${made.id}`, { name: 'x' })).statusCode, 404)
    const read = (await s.call(home, 'GET', `${DEPLOYMENTS}/${made.id}`)).json()
    t.notOk('end_token' in read, 'the token is shown once')

    const longer = await s.call(home, 'POST', `${DEPLOYMENTS}/${made.id}/extend`, { minutes: 10 })
    t.equal(Date.parse(longer.json().ends_at) - Date.parse(made.ends_at), 10 * 60_000)
    t.match((await s.call(home, 'POST', `${DEPLOYMENTS}/${made.id}/extend`, { minutes: 10 })).json(), { code: 'WINDOW_LIMIT' })

    const end = (token: string, more: object = {}) =>
      s.call(null, 'POST', `${DEPLOYMENTS}/end`, more, { headers: { authorization: `Bearer ${token}` } })
    t.match((await end(`mwe_${'0'.repeat(64)}`)).json(), { code: 'INVALID_END_TOKEN' })
    t.match((await end(home.token)).json(), { code: 'INVALID_END_TOKEN' }, 'no other token ends it')
    t.equal((await s.call(made.end_token, 'GET', '/api/v1/incidents')).statusCode, 401, 'and it can do nothing else')
    const ended = await end(made.end_token, { outcome: 'rolled_back', note: 'No' })
    t.match(ended.json(), { id: made.id, failing_now: [] })
    t.match((await end(made.end_token)).json(), { code: 'END_TOKEN_USED' })
    t.match(
      (await s.call(null, 'POST', `${DEPLOYMENTS}/end`, { end_token: made.end_token })).json(),
      { code: 'END_TOKEN_USED' },
      'in the body, too'
    )
    t.match((await s.call(home, 'GET', `${DEPLOYMENTS}?service=shop`)).json().items, [
      { state: 'ended', outcome: 'rolled_back', note: 'No' }
    ])
    t.same((await s.call(home, 'GET', `${DEPLOYMENTS}?environment=test`)).json().items, [])

    t.match((await s.call(home, 'POST', DEPLOYMENTS, { ...body, confirm_all: false })).json().details, [
      { path: 'confirm_all', rule: 'required' }
    ])
    t.match((await s.call(home, 'POST', DEPLOYMENTS, { ...body, scope: {} })).json().details, [{ path: 'scope', rule: 'empty_scope' }])
    t.match((await s.call(home, 'POST', DEPLOYMENTS, { ...body, duration_minutes: 241 })).json().details, [
      { path: 'duration_minutes', rule: 'max' }
    ])
  })

  await t.test('a deployment window expires with or without a notice, or is cancelled', async (t) => {
    const home = await s.workspace('bound')
    const start = async (more: object = {}) =>
      (await s.call(home, 'POST', DEPLOYMENTS, { name: 'Deploy', scope: { all: true }, confirm_all: true, ...more })).json()
    const end = (token: string) => s.call(null, 'POST', `${DEPLOYMENTS}/end`, { end_token: token })
    const noticed = async () =>
      (await s.systemPool.query("SELECT FROM feed WHERE tenant_id = $1 AND title LIKE 'A deployment has not ended%'", [home.tenant_id]))
        .rowCount ?? 0
    const quietly = await start({ on_expire: 'end' })
    await age(s, quietly.id, 31 * 60_000)
    await quiet(s)
    t.equal(await noticed(), 0)
    t.match((await end(quietly.end_token)).json(), { code: 'WINDOW_EXPIRED' })
    const loudly = await start()
    await age(s, loudly.id, 31 * 60_000)
    await until('people to be told', async () => (await noticed()) > 0)
    t.match((await s.call(home, 'GET', `${DEPLOYMENTS}/${loudly.id}`)).json(), { state: 'ended', outcome: null })

    const cancelled = await start()
    t.match((await s.call(home, 'POST', `${DEPLOYMENTS}/${cancelled.id}/cancel`, { note: 'Not today' })).json(), {
      state: 'cancelled',
      outcome: 'cancelled',
      note: 'Not today'
    })
    t.match((await s.call(home, 'POST', `${DEPLOYMENTS}/${cancelled.id}/cancel`, {})).json(), { code: 'CONFLICT' })
    t.match((await end(cancelled.end_token)).json(), { code: 'END_TOKEN_USED' })

    const free = await s.workspace('bound-free', 'free')
    const ask = () => s.call(free, 'POST', DEPLOYMENTS, { name: 'Deploy', scope: { all: true }, confirm_all: true })
    t.equal((await ask()).statusCode, 201)
    t.match((await ask()).json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'deployment_windows' }] })
  })
})
