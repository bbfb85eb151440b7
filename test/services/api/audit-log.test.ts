/** Tests of the audit log over HTTP: the admins of a workspace read who did what. */
import t from 'tap'
import { forgetAudit } from '../../../services/store/audit.ts'
import { as, person } from './people.ts'
import { stand, type Workspace } from './stand.ts'

const LOG = '/api/v1/workspace/audit-log'

interface Entry {
  id: string
  action: string
}

t.test('the audit log', async (t) => {
  const s = await stand(t)
  const read = async (query = '') => (await s.call(s.acme, 'GET', `${LOG}?${query}`)).json()
  const kim = await person(s, s.acme, 'kim', 'responder')
  const { incident_id, key } = await s.incident(s.acme)
  await as(s, kim, 'POST', `/api/v1/incidents/${key}/acknowledge`)
  const made = (
    await s.call(s.acme, 'POST', '/api/v1/heartbeats', { name: 'Backup', schedule: { kind: 'period', period_seconds: 600 } })
  ).json()
  const path = `/api/v1/heartbeats/${made.id}`
  await s.call(s.acme, 'PATCH', path, { name: 'Nightly backup' })

  await t.test('an entry names who acted, on what, and what changed', async (t) => {
    t.match((await read(`object_id=${incident_id}`)).items, [
      {
        action: 'incident.acknowledged',
        actor: { kind: 'user', id: kim.user_id, name: 'kim' },
        object: { type: 'incident', id: incident_id, name: key },
        via: 'ui'
      }
    ])
    const [changed] = (await read(`object_id=${made.id}&action=heartbeat.updated`)).items
    t.match(changed, {
      actor: { kind: 'token', id: s.acme.token_id, name: String },
      object: { type: 'heartbeat', name: 'Nightly backup' },
      via: 'api',
      diff: { name: ['Backup', 'Nightly backup'] },
      request_id: String
    })
  })

  await t.test('filters are combined with AND, and an action prefix ends with a dot', async (t) => {
    const actionsOf = async (query: string): Promise<string[]> => (await read(query)).items.map(({ action }: Entry) => action)
    t.same(await actionsOf('action=heartbeat.'), ['heartbeat.updated', 'heartbeat.created'])
    t.same(await actionsOf('action=heartbeat'), [])
    t.same(await actionsOf(`actor_id=${kim.user_id}&object_type=incident`), ['incident.acknowledged'])
    t.same(await actionsOf('object_type=heartbeat&via=ui'), [])
    t.same(await actionsOf(`object_type=heartbeat&to=${new Date(0).toISOString()}`), [])
    t.same(await actionsOf(`object_type=heartbeat&from=${new Date(0).toISOString()}`), ['heartbeat.updated', 'heartbeat.created'])
  })

  await t.test('all pages together equal the whole log', async (t) => {
    const whole: Entry[] = (await read('per_page=200')).items
    const found: Entry[] = []
    let cursor: string | null = null
    do {
      const page: { items: Entry[]; next_cursor: string | null } = await read(`per_page=2${cursor === null ? '' : `&cursor=${cursor}`}`)
      found.push(...page.items)
      cursor = page.next_cursor
    } while (cursor !== null)
    t.ok(whole.length > 4)
    t.same(
      found.map(({ id }) => id),
      whole.map(({ id }) => id)
    )
    const other = await s.call(s.acme, 'GET', `${LOG}?cursor=${(await read('per_page=1')).next_cursor}&action=heartbeat.`)
    t.equal(other.statusCode, 400, 'a cursor belongs to its filters')
  })

  await t.test('only admins read the audit log, and only of their own workspace', async (t) => {
    t.equal((await as(s, kim, 'GET', LOG)).statusCode, 403)
    t.same((await s.call(s.globex, 'GET', `${LOG}?object_id=${incident_id}`)).json().items, [])
  })

  await t.test('the log reaches back as the plan says, and is deleted a month later', async (t) => {
    const homes = { free: await s.workspace('audited-free', 'free'), pro: await s.workspace('audited-pro', 'pro') }
    const insert = (of: Workspace, object_type: string, days: number) =>
      s.systemPool.query(
        `INSERT INTO audit (tenant_id, audit_id, at, actor_kind, actor_id, action, object_type, object_id, via)
         VALUES ($1, gen_random_uuid(), now() - make_interval(days => $2), 'system', 'x', 'old.' || $2, $3, 'x', 'api')`,
        [of.tenant_id, days, object_type]
      )
    for (const home of Object.values(homes))
      for (const days of [6, 8, 36, 38, 89, 91, 119, 121]) {
        await insert(home, 'monitor', days)
        await insert(home, 'incident', days)
      }
    const shown = async (home: Workspace) => {
      const { items, kept_days } = (await s.call(home, 'GET', `${LOG}?action=old.&object_type=monitor&per_page=200`)).json()
      return { kept_days, actions: items.map(({ action }: Entry) => action).sort() }
    }
    const sent = ['alert.sent', 'alert.resolved'] as const
    for (const action of sent)
      for (const days of [36, 38])
        await s.systemPool.query(
          `INSERT INTO audit (tenant_id, audit_id, at, actor_kind, actor_id, action, object_type, object_id, via)
           VALUES ($1, gen_random_uuid(), now() - make_interval(days => $2), 'token', 'x', $3, 'alert', 'of ' || $2, 'api')`,
          [homes.free.tenant_id, days, action]
        )
    t.same(await shown(homes.free), { kept_days: 7, actions: ['old.6'] })
    t.same(await shown(homes.pro), { kept_days: 90, actions: ['old.36', 'old.38', 'old.6', 'old.8', 'old.89'] })

    t.equal(await forgetAudit(s.systemPool), 7)
    const left = async (home: Workspace, object_type: string): Promise<string[]> =>
      (
        await s.systemPool.query(
          "SELECT action FROM audit WHERE tenant_id = $1 AND object_type = $2 AND action LIKE 'old.%' ORDER BY at DESC",
          [home.tenant_id, object_type]
        )
      ).rows.map(({ action }) => action)
    t.same(await left(homes.free, 'monitor'), ['old.6', 'old.8', 'old.36'])
    t.same(await left(homes.pro, 'monitor'), ['old.6', 'old.8', 'old.36', 'old.38', 'old.89', 'old.91', 'old.119'])
    t.equal((await left(homes.free, 'incident')).length, 8, 'timelines use those of incidents')
    const alerts = await s.systemPool.query(
      "SELECT action || ' ' || object_id AS entry FROM audit WHERE tenant_id = $1 AND object_type = 'alert' ORDER BY 1",
      [homes.free.tenant_id]
    )
    t.same(
      alerts.rows.map(({ entry }) => entry),
      ['alert.resolved of 36', 'alert.resolved of 38', 'alert.sent of 36'],
      'what programs send is no act of people'
    )
  })
})
