/**
 * Tests of pausing, resuming, deleting and checking monitors, and of the state from the status fold
 * that is shown with them.
 */
import t from 'tap'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { type Body, configsOf, create, MONITORS, openIncident, rowsOf, setState } from './monitoring.ts'
import { makeProber, makeRegions } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(120_000)

t.test('actions on monitors', async (t) => {
  const s = await stand(t)
  await makeRegions(s)

  await t.test('a pause shows at once and resolves the open incident, and a repeat changes nothing', async (t) => {
    const { id } = await create(s, s.acme)
    const { incident_id } = await openIncident(s, s.acme, id)
    await setState(s, s.acme, id, { status: 'down', phase: 'down' })
    t.match((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json(), { status: 'down', phase: 'down', open_incident_id: incident_id })
    const answer = await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, { reason: 'works', minutes: 30, extra: 1 })
    t.equal(answer.statusCode, 200, answer.body)
    const paused = answer.json()
    t.match(paused, {
      status: 'paused',
      phase: 'paused',
      version: 2,
      pause_reason: 'user',
      pause_comment: 'works',
      paused_by: `token:${s.acme.token_id}`,
      paused_at: /Z$/,
      open_incident_id: null
    })
    t.equal(Date.parse(paused.resume_at) - Date.parse(paused.paused_at), 30 * 60_000)
    const jobs = () => rowsOf(s.systemPool, "SELECT kind, payload FROM jobs WHERE payload ->> 'monitor_id' = $1", [id])
    t.match(await jobs(), [{ kind: 'monitor_resume', payload: { resume_at: Date.parse(paused.resume_at) } }])
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), { status: 'resolved' })
    t.match((await configsOf(s, id)).at(-1), { version: 2, paused: true, pause_reason: 'user' })
    t.equal((await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`)).json().version, 2, 'again: nothing changes')

    const resumed = (await s.call(s.acme, 'POST', `${MONITORS}/${id}/resume`)).json()
    t.match(resumed, { version: 3, paused_at: null, pause_reason: null, resume_at: null })
    await setState(s, s.acme, id, { status: 'paused', phase: 'paused' })
    t.match((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json(), { status: 'up', phase: 'pending' }, 'whatever the fold still thinks')
    t.same(await jobs(), [], 'the timer is gone')
    t.match((await configsOf(s, id)).at(-1), { version: 3, paused: false })
    t.equal((await s.call(s.acme, 'POST', `${MONITORS}/${id}/resume`)).json().version, 3)
    const actions = await rowsOf(s.systemPool, 'SELECT action FROM audit WHERE object_id = $1 ORDER BY at', [id])
    t.same(
      actions.map(({ action }) => action),
      ['monitor.created', 'monitor.paused', 'monitor.resumed']
    )

    const kept = await openIncident(s, s.acme, id)
    await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, { resolve_open: false })
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${kept.incident_id}`)).json(), { status: 'ongoing' })
    for (const body of [
      { minutes: 0 },
      { resume_at: '2020-01-01T00:00:00Z' },
      { resume_at: '2090-01-01T00:00:00Z' },
      { minutes: 5, resume_at: '2026-11-22T00:00:00Z' }
    ]) {
      t.equal((await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, body)).statusCode, 422, JSON.stringify(body))
    }
  })

  await t.test('a deleted monitor answers 404, its incident is resolved and its versions stay', async (t) => {
    const { id } = await create(s, s.acme)
    const { incident_id } = await openIncident(s, s.acme, id)
    await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, { minutes: 5, resolve_open: false })
    t.equal((await s.call(s.acme, 'DELETE', `${MONITORS}/${id}`)).statusCode, 204)
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/check']
    ] as const) {
      t.equal(
        (await s.call(s.acme, method, `${MONITORS}/${id}${path}`, method === 'PATCH' || method === 'POST' ? {} : undefined)).statusCode,
        404,
        method + path
      )
    }
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), {
      status: 'resolved',
      resolution: { reason: 'monitor_deleted' }
    })
    t.match((await configsOf(s, id)).at(-1), { version: 3, deleted: true })
    t.same(await rowsOf(s.systemPool, "SELECT kind FROM jobs WHERE payload ->> 'monitor_id' = $1", [id]), [])
    t.equal((await rowsOf(s.systemPool, 'SELECT version FROM config_versions WHERE id = $1', [id])).length, 3)
    t.equal((await s.call(s.acme, 'GET', `${MONITORS}?ids=${id}`)).json().total, 0)
  })

  await t.test('a monitor shows the state that the status fold stored', async (t) => {
    const { id } = await create(s, s.acme, { regions: ['eu-west', 'us-east', 'ap-south'] })
    const now = Date.now()
    const region = (code: string, over: Body) => ({
      region: code,
      vote: 'up',
      last: 'success',
      stale: false,
      since: now - 5000,
      down_from: null,
      response_time_ms: 12.5,
      ...over
    })
    await setState(s, s.acme, id, {
      status: 'up',
      phase: 'degraded',
      since: now - 60_000,
      regions: [
        region('eu-west', { vote: 'down', last: 'failure', down_from: now - 1_000_000, advisory: true }),
        region('us-east', { last: 'degraded' }),
        region('ap-south', { stale: true }),
        region('sa-east', { vote: null, last: null }),
        region('ca-west', { vote: null, last: 'failure' })
      ],
      last_checked_at: now - 1000,
      last_response_time_ms: 33,
      last_failure: { region: 'eu-west', reason: 'http_status', message: 'status 503', at: now - 2000, status_code: 503 },
      certificate_not_after: now + 20.5 * 86_400_000,
      certificate_issuer: 'CN=Test CA',
      certificate_chain_ok: true
    })
    const shown = (await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json()
    t.strictSame(shown.last_failure?.http_status, 503)
    t.strictSame(shown.certificate?.chain_ok, true)
    t.strictSame(shown.region_states[0].response_time_ms, 12.5)
    t.match(shown, {
      status: 'up',
      phase: 'degraded',
      region_states: [
        { region: 'eu-west', state: 'down', advisory: true, response_time_ms: 12.5 },
        { region: 'us-east', state: 'degraded', advisory: false },
        { region: 'ap-south', state: 'stale' },
        { region: 'sa-east', state: 'pending' },
        { region: 'ca-west', state: 'pending' }
      ],
      last_checked_at: new Date(now - 1000).toISOString(),
      last_response_time_ms: 33,
      last_status_change_at: new Date(now - 60_000).toISOString(),
      last_failure: {
        region: 'eu-west',
        reason: 'http_status',
        message: 'status 503',
        at: new Date(now - 2000).toISOString(),
        http_status: 503
      },
      certificate: { issuer: 'CN=Test CA', subject: null, days_left: 20, chain_ok: true },
      prober_region_labels: { 'eu-west': 'Europe West', 'us-east': 'US East', 'ap-south': 'Asia South' },
      effective_regions: []
    })
  })

  await t.test('a check on demand needs an online prober that knows the type', async (t) => {
    const { id } = await create(s, s.acme, { regions: ['eu-west', 'us-east'] })
    const check = (body: Body = {}) => s.call(s.acme, 'POST', `${MONITORS}/${id}/check`, body)
    const nobody = await check()
    t.equal(nobody.statusCode, 503, nobody.body)
    t.equal(nobody.json().code, 'NO_PROBER_ONLINE')
    t.ok(nobody.headers['retry-after'])
    const prober = await makeProber(s, 'eu-west')
    await prober.hello()
    t.same((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json().effective_regions, ['eu-west'])
    const started = await check({ count: true, unknown: 1 })
    t.equal(started.statusCode, 202, started.body)
    t.match(started.json(), { check_ids: [String], poll_url: `/api/v1/monitors/${id}/checks` })
    const [row] = await rowsOf(s.systemPool, 'SELECT * FROM on_demand_checks WHERE monitor_id = $1', [id])
    t.match(row, { region: 'eu-west', count: true, check_id: uuidv5(id, `eu-west\n${row?.scheduled_at}`) })
    t.equal((await check({ regions: ['us-east'] })).json().code, 'NO_PROBER_ONLINE')
    t.match((await check({ regions: ['sa-east'] })).json().details[0], { path: 'regions[0]', rule: 'unknown_region' })
    await prober.hello({ kinds: ['icmp'] })
    t.equal((await check()).json().code, 'NO_PROBER_ONLINE', 'the prober must know the type')
    await prober.hello({ leaving: true })
    t.same((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json().effective_regions, [])
    await prober.hello()
    t.same((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json().effective_regions, ['eu-west'])
    await s.systemPool.query("UPDATE probers SET last_hello_at = now() - interval '91 seconds'")
    t.equal((await check()).json().code, 'NO_PROBER_ONLINE', 'no hello for 90 s')
    await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`)
    t.equal((await check()).json().code, 'MONITOR_PAUSED')
  })
})

t.test('a new or resumed monitor is checked at once where a prober is online', async (t) => {
  const s = await stand(t, { now: () => 0 })
  await makeRegions(s)
  const regions = ['eu-west', 'us-east']
  const asked = (id: string) =>
    rowsOf(s.systemPool, 'SELECT check_id, region, count, scheduled_at FROM on_demand_checks WHERE monitor_id = $1 ORDER BY scheduled_at', [
      id
    ])
  const early = await create(s, s.acme, { regions })
  t.same(await asked(early.id), [], 'nobody could do it')

  const prober = await makeProber(s, 'eu-west')
  await prober.hello()
  const { id } = await create(s, s.acme, { regions })
  const [first, ...others] = await asked(id)
  t.match(first, { region: 'eu-west', count: true, check_id: uuidv5(id, `eu-west\n${first?.scheduled_at}`) })
  t.same(others, [])
  const told = (await prober.config()).json()
  t.ok(
    told.monitors.some(({ monitor_id }: Body) => monitor_id === id),
    'the monitor'
  )
  t.match(told.once, [{ check_id: first?.check_id, monitor_id: id, count: true }], 'and its check, in one answer')

  const act = async (path: string) => t.equal((await s.call(s.acme, 'POST', `${MONITORS}/${id}/${path}`)).statusCode, 200)
  await act('resume')
  t.equal((await asked(id)).length, 1, 'it was not paused')
  for (let n = 0; n < 8; n++) {
    await act('pause')
    await act('resume')
  }
  t.equal((await asked(id)).length, 7, 'not more often than by hand')
})

t.test('a monitor is checked on demand at most six times a minute', async (t) => {
  let now = 0
  const s = await stand(t, { now: () => now })
  await makeRegions(s)
  await (await makeProber(s, 'eu-west')).hello()
  const [a, b] = [await create(s, s.acme, { regions: ['eu-west'] }), await create(s, s.acme, { regions: ['eu-west'] })]
  const check = ({ id }: { id: string }) => s.call(s.acme, 'POST', `${MONITORS}/${id}/check`)
  for (let n = 0; n < 6; n++) t.equal((await check(a)).statusCode, 202)
  const refused = await check(a)
  t.equal(refused.statusCode, 429)
  t.match(refused.json(), { code: 'RATE_LIMITED', name: 'on_demand', limit: 6, retry_after: 10 })
  t.equal((await check(b)).statusCode, 202, 'each monitor has its own')
  now += 10_000
  t.equal((await check(a)).statusCode, 202)
})
