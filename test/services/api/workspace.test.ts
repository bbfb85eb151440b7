/**
 * Tests of workspace settings: which may be changed, by whom, and their effects; and of the limits
 * in force with their origin.
 */
import t from 'tap'
import { capabilities, limitKeys, plans } from '../../../schemas/plans.ts'
import { setCeiling } from '../../../services/operator/budget.ts'
import { as, person } from './people.ts'
import { stand } from './stand.ts'

const WORKSPACE = '/api/v1/workspace'

t.test('settings of a workspace', async (t) => {
  const s = await stand(t)

  await t.test('a change of settings makes a new version and an audit record', async (t) => {
    const home = await s.workspace('settled')
    const before = (await s.call(home, 'GET', WORKSPACE)).json()
    const wanted = { name: 'Settled & Sons', slug: 'settled-sons', time_zone: 'Asia/Tokyo', reopen_after_seconds: 0, storm_threshold: 2 }
    const changed = await s.call(home, 'PATCH', WORKSPACE, wanted)
    t.equal(changed.statusCode, 200)
    t.equal(changed.headers.etag, '"2"')
    const { updated_at } = changed.json()
    t.same(changed.json(), { ...before, ...wanted, version: 2, updated_at })
    t.same((await s.call(home, 'GET', WORKSPACE)).json(), changed.json())
    for (const repeat of [wanted, {}, { name: wanted.name }])
      t.same((await s.call(home, 'PATCH', WORKSPACE, repeat)).json(), changed.json())
    const { rows: audit } = await s.systemPool.query("SELECT diff FROM audit WHERE tenant_id = $1 AND action = 'workspace.updated'", [
      home.tenant_id
    ])
    t.same(audit, [
      {
        diff: {
          name: ['settled', wanted.name],
          slug: ['settled', wanted.slug],
          time_zone: ['UTC', wanted.time_zone],
          reopen_after_seconds: [1800, 0],
          storm_threshold: [30, 2]
        }
      }
    ])
    const { rows: versions } = await s.systemPool.query(
      "SELECT version, body FROM config_versions WHERE tenant_id = $1 AND kind = 'workspace' ORDER BY version",
      [home.tenant_id]
    )
    t.match(versions, [{ version: 1 }, { version: 2, body: { ...wanted, plan: 'enterprise' } }])
    t.equal(versions.length, 2)
    t.match((await s.call(home, 'GET', '/api/v1/auth/session')).json(), { workspace: { name: wanted.name, slug: wanted.slug } })
  })

  await t.test('a new storm threshold applies from the next incident on', async (t) => {
    const home = await s.workspace('stormy')
    t.equal((await s.call(home, 'PATCH', WORKSPACE, { storm_threshold: 1 })).statusCode, 200)
    const [first, second] = [await s.incident(home), await s.incident(home)]
    const read = async (id: string) => (await s.call(home, 'GET', `/api/v1/incidents/${id}`)).json()
    t.match(await read(first.incident_id), { storm_until: null, flapping: false, held_by: [] })
    const held = await read(second.incident_id)
    t.match(held, { held_by: [{ kind: 'storm', id: second.incident_id, until: held.storm_until }] })
    const timeline = (await s.call(home, 'GET', `/api/v1/incidents/${second.incident_id}/timeline`)).json()
    t.match(timeline.items, [{ type: 'opened', data: { storm: { until: held.storm_until, count: 2, threshold: 1 } } }])
  })

  await t.test('a resolve uses the reopening time of the workspace', async (t) => {
    const suppressedFor = async (reopen_after_seconds: number) => {
      const home = await s.workspace(`reopen-${reopen_after_seconds}`)
      t.equal((await s.call(home, 'PATCH', WORKSPACE, { reopen_after_seconds })).statusCode, 200)
      const { incident_id } = await s.incident(home)
      t.equal((await s.call(home, 'POST', `/api/v1/incidents/${incident_id}/resolve`)).statusCode, 200)
      const { rows } = await s.systemPool.query<{ seconds: number }>(
        `SELECT extract(epoch FROM g.suppressed_until - i.resolved_at)::float8 AS seconds
           FROM signals g JOIN incidents i ON i.tenant_id = g.tenant_id AND i.dedup_key = g.dedup_key WHERE g.tenant_id = $1`,
        [home.tenant_id]
      )
      return rows[0]?.seconds
    }
    t.equal(await suppressedFor(60), 60)
    t.equal(await suppressedFor(7200), 7200)
  })

  await t.test('an invalid workspace setting is refused with its path and rule', async (t) => {
    const cases: [object, string][] = [
      [{ name: '' }, 'name length'],
      [{ name: 'x'.repeat(81) }, 'name length'],
      [{ name: ' \t ' }, 'name pattern'],
      [{ slug: 'Acme' }, 'slug pattern'],
      [{ slug: 'a--b' }, 'slug pattern'],
      [{ slug: '-a' }, 'slug pattern'],
      [{ slug: 'x'.repeat(64) }, 'slug length'],
      [{ time_zone: 'Mars/Olympus' }, 'time_zone unknown_zone'],
      [{ reopen_after_seconds: -1 }, 'reopen_after_seconds min'],
      [{ reopen_after_seconds: 604_801 }, 'reopen_after_seconds max'],
      [{ reopen_after_seconds: 1.5 }, 'reopen_after_seconds type'],
      [{ reopen_after_seconds: null }, 'reopen_after_seconds type'],
      [{ storm_threshold: 0 }, 'storm_threshold min'],
      [{ storm_threshold: 10_001 }, 'storm_threshold max'],
      [{ storm_threshold: 2.5 }, 'storm_threshold type'],
      [{ plan: 'enterprise' }, 'plan unknown_field'],
      [{ require_mfa: true }, 'require_mfa unknown_field'],
      [{ session_hours: 1 }, 'session_hours unknown_field'],
      [{ redaction_patterns: [] }, 'redaction_patterns unknown_field'],
      [{ default_escalation_policy_id: s.globex.tenant_id }, 'default_escalation_policy_id unknown_policy']
    ]
    const before = (await s.call(s.acme, 'GET', WORKSPACE)).json()
    for (const [body, wanted] of cases) {
      const answer = await s.call(s.acme, 'PATCH', WORKSPACE, body)
      t.equal(answer.statusCode, 422, JSON.stringify(body))
      const [detail] = answer.json().details
      t.equal(`${detail.path} ${detail.rule}`, wanted)
    }
    const taken = await s.call(s.acme, 'PATCH', WORKSPACE, { name: 'Half', slug: 'globex' })
    t.equal(taken.statusCode, 409)
    t.match(taken.json(), { code: 'SLUG_TAKEN', details: [{ path: 'slug' }] })
    t.same((await s.call(s.acme, 'GET', WORKSPACE)).json(), before, 'nothing changed')
  })

  await t.test('of the roles below owner, only an admin may change workspace settings', async (t) => {
    const home = await s.workspace('ruled')
    for (const [role, status] of [
      ['admin', 200],
      ['editor', 403],
      ['responder', 403],
      ['viewer', 403],
      ['billing', 403]
    ] as const) {
      const who = await person(s, home, `ruled-${role}`, role)
      t.equal((await as(s, who, 'PATCH', WORKSPACE, { name: `by ${role}` })).statusCode, status, role)
    }
    t.equal((await s.call(home, 'GET', WORKSPACE)).json().name, 'by admin')
  })

  await t.test('the limits view shows each limit with its origin', async (t) => {
    const free = await s.workspace('limited', 'free')
    const limits = async (who = free) => (await s.call(who, 'GET', '/api/v1/workspace/limits')).json()
    const one = (answer: { limits: { key: string }[] }, key: string) => answer.limits.find((limit) => limit.key === key)
    const answer = await limits()
    t.match(answer, { tenant_id: free.tenant_id, plan: 'free', at: /Z$/ })
    t.same(
      answer.limits.map(({ key }: { key: string }) => key),
      Object.keys(limitKeys)
    )
    for (const { key, limit, plan_limit, origin } of answer.limits) {
      t.equal(limit, plans.free.limits[key as 'members'], key)
      t.same([plan_limit, origin], [limit, 'plan'])
    }
    t.same(one(answer, 'members'), {
      key: 'members',
      description: 'Members of the workspace',
      unit: 'count',
      limit: 3,
      plan_limit: 3,
      origin: 'plan',
      available: true
    })
    t.match(one(answer, 'status_pages'), { limit: 1, available: false }, 'what is not there yet is no promise')
    t.same(
      answer.capabilities.map(({ key, included }: { key: string; included: boolean }) => [key, included]),
      Object.keys(capabilities).map((key) => [key, key === 'explain' || key === 'postmortems'])
    )
    t.match(
      answer.capabilities.filter(({ key }: { key: string }) => key === 'sso' || key === 'backtest'),
      [
        { key: 'sso', available: false },
        { key: 'backtest', available: true }
      ]
    )
    t.match(one(await limits(s.acme), 'members'), { limit: null, plan_limit: null, origin: 'plan' }, 'null: unlimited')
    await setCeiling(s.systemPool, s.services.codec, { workspace: free.tenant_id, ceiling: 5000 })
    t.match(one(await limits(), 'ingest_alerts_per_minute'), { limit: 5000, plan_limit: 1000, origin: 'override' })
  })
})

t.test('an ingest floor above the plan is shown as the origin of the limit', async (t) => {
  const s = await stand(t, { config: { ingestFloorPerMinute: 1500 } })
  const free = await s.workspace('floored', 'free')
  const { limits } = (await s.call(free, 'GET', '/api/v1/workspace/limits')).json()
  const ingest = limits.find(({ key }: { key: string }) => key === 'ingest_alerts_per_minute')
  t.match(ingest, { limit: 1500, plan_limit: 1000, origin: 'floor' })
})
