/** Tests of merging incidents, of tags, and of related incidents. */
import t from 'tap'
import { reopenIncident } from '../../../services/store/incident-commands.ts'
import { transaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { as, audited, person } from './people.ts'
import { stand } from './stand.ts'

const of = (id: string, action = ''): string => `/api/v1/incidents/${id}${action && `/${action}`}`

t.test('merging incidents', async (t) => {
  const s = await stand(t)
  const ask = (method: string, path: string, body?: object) => s.call(s.acme, method, path, body)

  await t.test('a merge moves the alerts with their ids, and both timelines show it', async (t) => {
    const [from, into] = [await s.incident(s.acme, { title: 'Queue grows' }), await s.incident(s.acme, { title: 'Broker is down' })]
    const answer = await ask('POST', of(from.key, 'merge'), { into_id: into.key })
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json(), { id: into.incident_id, status: 'ongoing', alert_count: 2, ongoing_alerts: 2, merged_into: null, version: 2 })
    t.equal(answer.headers.etag, '"2"')
    t.match((await ask('GET', of(from.key))).json(), {
      status: 'resolved',
      dashboard_state: 'Resolved',
      resolution: { reason: 'merged', note: null },
      resolved_by: `token:${s.acme.token_id}`,
      merged_into: into.incident_id,
      alert_count: 0,
      related_ids: [into.incident_id],
      alerts_preview: []
    })
    t.match((await ask('GET', of(into.key))).json(), {
      related_ids: [from.incident_id],
      alerts_preview: [{ title: String }, { title: String }],
      postmortem_status: 'none'
    })
    const timeline = async (key: string) => (await ask('GET', of(key, 'timeline'))).json().items.at(-1)
    t.match(await timeline(from.key), { type: 'merged', data: { into_id: into.incident_id, key: into.key } })
    t.match(await timeline(into.key), { type: 'merged', data: { from_id: from.incident_id, key: from.key, alerts: 1 } })
    const alerts = (await ask('GET', of(into.key, 'alerts'))).json().items
    t.same(alerts.map(({ id }: { id: string }) => id).sort(), [from.incident_id, into.incident_id].sort())
    t.same((await ask('GET', of(from.key, 'alerts'))).json().items, [])
    t.match((await ask('GET', `/api/v1/alerts/${from.incident_id}`)).json(), {
      title: 'Queue grows',
      incident_id: into.incident_id,
      status: 'ongoing'
    })
    t.match((await ask('GET', `/api/v1/alerts/${from.incident_id}/explain`)).json(), { steps: [{ rule: 'signal' }] })
    for (const { incident_id } of [from, into]) t.same(await audited(s, s.acme.tenant_id, incident_id), ['incident.merged'])

    const ended = await ask('POST', `/api/v1/alerts/${from.incident_id}/resolve`, {})
    t.match(ended.json(), { status: 'resolved' })
    t.match((await ask('GET', of(into.key))).json(), { status: 'ongoing', ongoing_alerts: 1 }, 'one alert ends alone')
    t.equal((await ask('POST', of(from.key, 'merge'), { into_id: into.key })).statusCode, 200, 'once more it is as asked')
  })

  await t.test('a merge sends a resolved frame for the source and an updated frame for the target', async (t) => {
    const [from, into] = [await s.incident(s.acme), await s.incident(s.acme)]
    await ask('POST', of(from.key, 'merge'), { into_id: into.incident_id })
    const { rows } = await s.systemPool.query<{ json: string }>(
      `SELECT convert_from(payload, 'UTF8') AS json FROM outbox WHERE topic = 'realtime.frames.v1' AND ver = 2
          AND aggregate = ANY ($1) ORDER BY id`,
      [[`incident:${from.incident_id}`, `incident:${into.incident_id}`]]
    )
    t.match(
      rows.map(({ json }) => JSON.parse(json)),
      [
        { type: 'incident.resolved', data: { incident_id: from.incident_id } },
        { type: 'incident.updated', data: { change: 'merged' } }
      ]
    )
  })

  await t.test('a refused merge names its reason and changes nothing', async (t) => {
    const [one, other, third] = [await s.incident(s.acme), await s.incident(s.acme), await s.incident(s.acme)]
    const theirs = await s.incident(s.globex)
    const team_id = (await ask('POST', '/api/v1/teams', { name: 'Shop', slug: 'shop' })).json().id
    await ask('PATCH', of(third.key), { team_id })
    const merge = async (from: string, into_id: unknown) => {
      const answer = await ask('POST', of(from, 'merge'), { into_id } as object)
      const { code, details = [] } = answer.json()
      return [answer.statusCode, code, details[0]?.path, details[0]?.rule].filter((part) => part !== undefined)
    }
    t.same(await merge(one.key, one.incident_id), [422, 'VALIDATION_FAILED', 'into_id', 'same_incident'])
    t.same(await merge(one.key, 'INC-999999'), [422, 'VALIDATION_FAILED', 'into_id', 'unknown_incident'])
    t.same(await merge(one.key, theirs.incident_id), [422, 'VALIDATION_FAILED', 'into_id', 'unknown_incident'])
    t.same(await merge(one.key, 'nonsense'), [422, 'VALIDATION_FAILED', 'into_id', 'pattern'])
    t.same(await merge(one.key, undefined), [422, 'VALIDATION_FAILED', 'into_id', 'required'])
    t.same(await merge('INC-999999', one.key), [404, 'NOT_FOUND'])
    t.same(await merge(one.key, third.key), [409, 'CONFLICT'], 'another team')
    await ask('POST', of(other.key, 'resolve'), {})
    t.same(await merge(one.key, other.key), [409, 'INCIDENT_RESOLVED'])
    t.match((await ask('GET', of(one.key))).json(), { version: 1, status: 'ongoing', merged_into: null })
    t.same(await merge(other.key, one.key), [200])
    t.same(await merge(one.key, other.key), [409, 'CONFLICT'], 'into what is merged itself')
    const viewer = await person(s, s.acme, 'vera', 'viewer')
    t.equal((await as(s, viewer, 'POST', of(one.key, 'merge'), { into_id: third.key })).statusCode, 403)
  })

  await t.test('merged incidents and those of the same signal are shown as related', async (t) => {
    const dedup_key = `int:${s.acme.integration_id}:again`
    const first = await s.incident(s.acme, { dedup_key, title: 'Disk is full' })
    await s.signal(s.acme, { dedup_key, action: 'resolve', occurred_at: Date.now() + 1000 })
    const second = await s.incident(s.acme, { dedup_key, title: 'Disk is full again', occurred_at: Date.now() + 2000 })
    const declared = (await ask('POST', '/api/v1/incidents', { title: 'Storage trouble', severity: 'critical' })).json()
    await ask('POST', of(second.key, 'merge'), { into_id: declared.key })
    const page = (await ask('GET', `${of(declared.key)}?include=related,timeline,alerts`)).json()
    t.match(page, {
      timeline: { items: [{ type: 'opened' }, { type: 'merged' }], next_cursor: null },
      alerts: { items: [{ id: second.incident_id }] },
      related: [
        { id: second.incident_id, key: second.key, title: 'Disk is full again', status: 'resolved', relation: 'merged' },
        { id: first.incident_id, relation: 'same_signal' }
      ]
    })
    t.same(page.related_ids, [second.incident_id, first.incident_id])
    t.notOk('timeline' in (await ask('GET', of(declared.key))).json(), 'only what is asked for')
    t.equal((await ask('GET', `${of(declared.key)}?include=nothing`)).statusCode, 422)
  })

  await t.test('an incident and the one that it was reopened as are related as that', async (t) => {
    const dedup_key = `int:${s.acme.integration_id}:reopened`
    const before = await s.incident(s.acme, { dedup_key })
    await ask('POST', of(before.key, 'resolve'), {})
    const { tenant_id } = s.acme
    const { rows } = await s.systemPool.query<{ suppressed_until: number }>(
      'SELECT suppressed_until FROM signals WHERE tenant_id = $1 AND dedup_key = $2',
      [tenant_id, dedup_key]
    )
    const cause = { kind: 'job', src: 'job:1', request_id: null, by: 'system:job' } as const
    await transaction(s.systemPool, (tx) =>
      reopenIncident(tx, localCodec(), { tenant_id, dedup_key }, rows[0]?.suppressed_until ?? 0, cause)
    )
    const related = async (id: string) => (await ask('GET', `${of(id)}?include=related`)).json().related
    const [after, ...others] = await related(before.key)
    t.match(after, { status: 'ongoing', relation: 'reopened_as' })
    t.same(others, [])
    t.match(await related(after.key), [{ id: before.incident_id, status: 'resolved', relation: 'reopened_from' }])
  })

  await t.test('tags are stored sorted and unique, and lists can be filtered by them', async (t) => {
    const { key, incident_id } = await s.incident(s.acme)
    const edited = await ask('PATCH', of(key), { tags: ['red wine', 'db', 'db'] })
    t.same(edited.json().tags, ['db', 'red wine'])
    t.equal((await ask('PATCH', of(key), { tags: ['red wine', 'db'] })).json().version, 2, 'the same in another order is no change')
    const found = async (query: string) => (await ask('GET', `/api/v1/incidents?${query}`)).json().items.map(({ id }: { id: string }) => id)
    t.same(await found('tag=db'), [incident_id])
    t.same(await found('tag=red%20wine,other'), [incident_id])
    t.same(await found('tag=DB'), [])
    for (const tags of [['a,b'], [' a'], [''], ['x'.repeat(65)], Array.from({ length: 21 }, (_, n) => `t${n}`)]) {
      const answer = await ask('PATCH', of(key), { tags })
      t.equal(answer.statusCode, 422, JSON.stringify(tags))
      t.match(answer.json().details[0].path, /^tags/)
    }
    t.same((await ask('PATCH', of(key), { tags: [] })).json().tags, [])
  })
})
