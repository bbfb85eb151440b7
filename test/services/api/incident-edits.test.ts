/**
 * Tests of editing an incident, of taking an acknowledgement back, and of one action on many
 * incidents.
 */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { as, audited, person } from './people.ts'
import { stand } from './stand.ts'

const of = (id: string, action = ''): string => `/api/v1/incidents/${id}${action && `/${action}`}`
const BULK = '/api/v1/incidents/bulk'

t.test('edits and bulk actions of incidents', async (t) => {
  const s = await stand(t)
  const frames = async (incident_id: string) =>
    (
      await s.systemPool.query<{ json: string; audience: string }>(
        `SELECT convert_from(payload, 'UTF8') AS json, headers ->> 'audience' AS audience FROM outbox
          WHERE topic = 'realtime.frames.v1' AND payload LIKE convert_to('%' || $1 || '%', 'UTF8') ORDER BY id`,
        [incident_id]
      )
    ).rows.map(({ json, audience }) => ({ ...JSON.parse(json), audience }))

  await t.test('an edit changes only the fields that are sent and keeps the original title', async (t) => {
    const { incident_id, key } = await s.incident(s.acme, { labels: { host: 'db-7' } })
    const edit = (body: object) => s.call(s.acme, 'PATCH', of(key), body)
    const answer = await edit({ title: 'Payments are slow', severity: 'info', labels: { b: '2', a: '1' } })
    t.equal(answer.statusCode, 200, answer.body)
    t.equal(answer.headers.etag, '"2"')
    t.match(answer.json(), {
      title: 'Payments are slow',
      original_title: 'Disk full on db-7',
      severity: 'info',
      labels: { a: '1', b: '2' },
      version: 2,
      last_change: { actor_kind: 'token', actor_id: s.acme.token_id }
    })
    t.equal((await edit({ labels: { a: '1', b: '2' }, severity: 'info' })).json().version, 2, 'what changes nothing is no version')
    t.match((await edit({ title: 'Once more', summary: 'By hand.', priority: 'P2', is_major: true })).json(), {
      title: 'Once more',
      original_title: 'Disk full on db-7',
      summary: 'By hand.',
      priority: 'P2',
      is_major: true
    })
    const links = [{ title: 'Runbook', url: 'https://wiki.example/db' }]
    t.match((await edit({ links, summary: null, priority: null })).json(), { links, summary: null, priority: null, is_major: true })
    const timeline = (await s.call(s.acme, 'GET', of(key, 'timeline'))).json().items
    t.match(timeline.slice(1), [
      { type: 'updated', data: { title: 'Payments are slow', severity: 'info' } },
      { type: 'updated', data: { title: 'Once more', is_major: true } },
      { type: 'updated', data: { links } }
    ])
    t.match((await edit({ severity: 'warning' })).json(), { severity: 'warning' })
    t.match((await s.call(s.acme, 'GET', of(key, 'timeline'))).json().items.at(-1), {
      type: 'severity_changed',
      data: { severity: 'warning' }
    })
    t.match(await frames(incident_id), [
      { type: 'incident.created' },
      { type: 'incident.updated', data: { change: 'updated' } },
      {},
      {},
      {}
    ])
    t.same((await audited(s, s.acme.tenant_id, incident_id)).length, 4)

    t.equal((await s.call(s.acme, 'POST', of(key, 'resolve'))).statusCode, 200)
    t.match((await edit({ title: 'After it' })).json(), { status: 'resolved', title: 'After it' }, 'a resolved one can be edited')
  })

  await t.test('the title that a person gave stays when the source sends another one', async (t) => {
    const { key } = await s.incident(s.acme, { dedup_key: 'int:renamed' })
    t.equal((await s.call(s.acme, 'PATCH', of(key), { title: 'Payments are slow' })).statusCode, 200)
    await s.signal(s.acme, { dedup_key: 'int:renamed', action: 'update', title: 'Disk 99 % full', description: null })
    t.match((await s.call(s.acme, 'GET', of(key))).json(), { title: 'Payments are slow', original_title: 'Disk 99 % full', version: 3 })
    t.match((await s.call(s.acme, 'GET', of(key, 'alerts'))).json().items, [{ title: 'Disk 99 % full' }])
    const { type, data } = (await s.call(s.acme, 'GET', of(key, 'timeline'))).json().items.at(-1)
    t.same({ type, data }, { type: 'updated', data: { original_title: 'Disk 99 % full' } })
  })

  await t.test('an edit that is refused changes nothing', async (t) => {
    const { key } = await s.incident(s.acme)
    const bad: [string, object, string][] = [
      ['an empty title', { title: ' ' }, 'title'],
      ['an unknown severity', { severity: 'bad' }, 'severity'],
      ['an unknown priority', { priority: 'P9' }, 'priority'],
      ['a link that is none', { links: [{ title: 'x', url: 'javascript:alert(1)' }] }, 'links[0].url'],
      ['too many links', { links: Array.from({ length: 21 }, () => ({ title: 'x', url: 'https://x.example/' })) }, 'links'],
      ['a status', { status: 'resolved' }, 'status'],
      ['a team of nobody', { team_id: s.globex.tenant_id }, 'team_id']
    ]
    for (const [name, body, path] of bad) {
      const answer = await s.call(s.acme, 'PATCH', of(key), body)
      t.match([answer.statusCode, answer.json().code, answer.json().details[0].path], [422, 'VALIDATION_FAILED', path], name)
    }
    t.equal((await s.call(s.acme, 'GET', of(key))).json().version, 1)
    t.equal((await s.call(s.globex, 'PATCH', of(key), { title: 'x' })).statusCode, 404)
    t.equal((await s.call(s.acme, 'PATCH', of('INC-4040'), { title: 'x' })).statusCode, 404)
  })

  await t.test('an incident moved to a private team is hidden, and dashboards get a removal frame', async (t) => {
    const home = await s.workspace('moved')
    const outsider = await person(s, home, 'moved-outsider', 'responder')
    const make = async (body: object) => (await s.call(home, 'POST', '/api/v1/teams', body)).json().id
    const [open, hidden] = [await make({ name: 'Open' }), await make({ name: 'Hidden', visibility: 'private' })]
    const { incident_id, key } = await s.incident(home)
    t.match((await as(s, outsider, 'PATCH', of(key), { team_id: open })).json(), { team_id: open })
    t.match((await as(s, outsider, 'PATCH', of(key), { team_id: hidden })).json(), { details: [{ path: 'team_id', rule: 'unknown_team' }] })
    t.match((await s.call(home, 'PATCH', of(key), { team_id: hidden })).json(), { team_id: hidden })
    t.equal((await as(s, outsider, 'GET', of(key))).statusCode, 404)
    t.match(
      (await frames(incident_id)).map(({ type, audience }: { type: string; audience: string }) => [type, audience]),
      [
        ['incident.created', 'tenant'],
        ['incident.updated', `org-team:${open}`],
        ['incident.updated', `org-team:${hidden}`],
        ['incident.removed', `org-team:${open}`]
      ]
    )

    const other = await make({ name: 'Other', visibility: 'private' })
    t.match((await s.call(home, 'PATCH', of(key), { team_id: other })).json(), { team_id: other })
    t.match(
      (await frames(incident_id)).at(-1),
      { type: 'incident.removed', audience: `org-team:${hidden}` },
      'whoever never saw it is not told its id'
    )
    await s.systemPool.query("UPDATE incidents SET visibility = 'private' WHERE incident_id = $1", [incident_id])
    t.equal((await s.call(home, 'PATCH', of(key), { team_id: hidden })).statusCode, 200)
    t.match(
      (await frames(incident_id)).at(-1),
      { type: 'incident.removed', audience: `team:${other}` },
      'nor of one that is private by itself'
    )
    for (const [team_id, from] of [
      [open, hidden],
      [null, open]
    ] as const) {
      t.equal((await s.call(home, 'PATCH', of(key), { team_id })).statusCode, 200)
      t.match((await frames(incident_id)).at(-1), { type: 'incident.removed', audience: `team:${from}` }, 'it stays private in any team')
    }
  })

  await t.test('deliveries and feed items follow an incident that is moved to a private team, and back', async (t) => {
    const home = await s.workspace('told')
    const outsider = await person(s, home, 'told-outsider', 'editor')
    const team = { name: 'Hidden', visibility: 'private' }
    const hidden = (await s.call(home, 'POST', '/api/v1/teams', team)).json().id
    const { incident_id, key } = await s.incident(home)
    const [delivery_id, item_id] = [uuidv7(), uuidv7()]
    await s.systemPool.query(
      `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, event, lane, kind, channel_id, target_id, state, next_at, queued_at,
                               expires_at, facts, request, visibility)
       VALUES ($1, $2, $2, $3, 'down', 0, 'webhook', $2, $2, 'sent', now(), now(), now(), '{}', $4, 'org')`,
      [
        home.tenant_id,
        delivery_id,
        incident_id,
        JSON.stringify({ method: 'POST', url: 'https://x.example/', headers: {}, body: 'Disk full' })
      ]
    )
    await s.systemPool.query(
      `INSERT INTO intents (tenant_id, intent_id, incident_id, event, user_id, why, visibility, at, due_at, expires_at)
       VALUES ($1, $2, $3, 'down', $4, '{}', 'org', now(), now(), now())`,
      [home.tenant_id, delivery_id, incident_id, outsider.user_id]
    )
    await s.systemPool.query(
      `INSERT INTO feed (tenant_id, user_id, item_id, type, category, severity, title, body, incident_id, visibility)
       VALUES ($1, $2, $3, 'incident', 'incident', 'critical', 'Disk full', '', $4, 'org')`,
      [home.tenant_id, outsider.user_id, item_id, incident_id]
    )
    const viewer = { tenant_id: home.tenant_id, seen_by: outsider.user_id }
    const seen = async (): Promise<unknown[]> => {
      const ledger = '/api/v1/notifications/deliveries'
      const get = async (path: string) => (await as(s, outsider, 'GET', path)).json()
      const intents = await tenantTransaction(s.tenantPool, viewer, (tx) => tx.query('SELECT FROM intents'))
      return [
        (await get(`${ledger}?incident_id=${incident_id}`)).items.length,
        (await as(s, outsider, 'GET', `${ledger}/${delivery_id}`)).statusCode,
        (await as(s, outsider, 'POST', `${ledger}/${delivery_id}/redeliver`, {})).statusCode,
        (await get('/api/v1/notifications/feed')).items.length,
        (await get('/api/v1/notifications/feed/unread-count')).total,
        (await as(s, outsider, 'POST', `/api/v1/notifications/feed/${item_id}/read`)).statusCode,
        (await as(s, outsider, 'POST', `/api/v1/notifications/feed/${item_id}/unread`)).statusCode,
        intents.rowCount
      ]
    }
    t.same(await seen(), [1, 200, 202, 1, 1, 200, 200, 1])
    await s.systemPool.query("UPDATE deliveries SET state = 'sent' WHERE delivery_id = $1", [delivery_id])
    t.equal((await s.call(home, 'PATCH', of(key), { team_id: hidden })).statusCode, 200)
    t.same(await seen(), [0, 404, 404, 0, 0, 404, 404, 0])
    await s.systemPool.query(`UPDATE deliveries SET team_id = $2 WHERE delivery_id = $1`, [delivery_id, hidden])
    t.equal((await s.call(home, 'PATCH', of(key), { team_id: null })).statusCode, 200)
    t.same(await seen(), [1, 200, 202, 1, 1, 200, 200, 1], 'the team that a row was written with no longer counts')
  })

  await t.test('an acknowledgement can be withdrawn while the incident is ongoing', async (t) => {
    const { key } = await s.incident(s.acme)
    const back = (body: object = {}) => s.call(s.acme, 'POST', of(key, 'unacknowledge'), body)
    t.equal((await back()).json().version, 1, 'there is none: nothing happens')
    await s.call(s.acme, 'POST', of(key, 'acknowledge'), { comment: 'On it' })
    const answer = await back({ reason: 'End of my shift', extra: true })
    t.match(answer.json(), {
      dashboard_state: 'Triggered',
      acknowledged_at: null,
      acknowledged_by: null,
      acknowledgement_comment: null,
      time_to_ack_seconds: null,
      version: 3
    })
    t.match((await s.call(s.acme, 'GET', of(key, 'timeline'))).json().items[2], {
      type: 'unacknowledged',
      data: { reason: 'End of my shift' }
    })
    t.match((await s.call(s.acme, 'POST', of(key, 'acknowledge'))).json(), {
      dashboard_state: 'Acknowledged',
      acknowledgement_comment: null
    })
    await s.call(s.acme, 'POST', of(key, 'resolve'))
    t.equal((await back()).json().code, 'INCIDENT_RESOLVED')
    t.equal((await back({ reason: 'x'.repeat(2001) })).json().code, 'VALIDATION_FAILED')
  })

  await t.test('a bulk action treats each incident alone and lists those that failed', async (t) => {
    const [first, second, third] = [await s.incident(s.acme), await s.incident(s.acme), await s.incident(s.acme)]
    const theirs = await s.incident(s.globex)
    await s.call(s.acme, 'POST', of(second.key, 'resolve'))
    const answer = await s.call(s.acme, 'POST', BULK, {
      ids: [first.key, second.incident_id, third.key, third.key, theirs.incident_id],
      action: 'acknowledge',
      comment: 'All of these'
    })
    t.equal(answer.statusCode, 200, answer.body)
    t.same(answer.json(), {
      changed: [first.incident_id, third.incident_id],
      failed: [
        { id: second.incident_id, code: 'INCIDENT_RESOLVED', error: 'The incident is resolved' },
        { id: theirs.incident_id, code: 'NOT_FOUND', error: 'No such object exists in this workspace' }
      ]
    })
    t.match((await s.call(s.acme, 'GET', of(first.key))).json(), { acknowledgement_comment: 'All of these', version: 2 })
    t.equal((await s.call(s.globex, 'GET', of(theirs.key))).json().version, 1)
    for (const [action, fields, after] of [
      ['unacknowledge', {}, { dashboard_state: 'Triggered' }],
      ['silence', { duration_minutes: 5 }, { silenced_until: String }],
      ['assign', { user_id: s.acme.user_id }, { assignee_id: s.acme.user_id }],
      ['resolve', { note: 'Done' }, { status: 'resolved', resolution: { note: 'Done' } }],
      ['close', { on_behalf_of: s.acme.user_id }, { dashboard_state: 'Closed' }]
    ] as const) {
      const done = await s.call(s.acme, 'POST', BULK, { ids: [first.key], action, ...fields })
      t.same(done.json(), { changed: [first.incident_id], failed: [] }, `${action}: ${done.body}`)
      t.match((await s.call(s.acme, 'GET', of(first.key))).json(), after, action)
    }
  })

  await t.test('an invalid bulk action is refused and changes nothing', async (t) => {
    const { key } = await s.incident(s.acme)
    const bad: [string, object, string][] = [
      ['no ids', { ids: [], action: 'resolve' }, 'ids'],
      ['too many', { ids: Array.from({ length: 201 }, (_, n) => `INC-${n + 1}`), action: 'resolve' }, 'ids'],
      ['no id', { ids: ['x'], action: 'resolve' }, 'ids[0]'],
      ['an unknown action', { ids: [key], action: 'explode' }, 'action'],
      ['a silence without an end', { ids: [key], action: 'silence' }, 'duration_minutes'],
      ['nobody named', { ids: [key], action: 'assign' }, 'user_id'],
      ['closed by nobody', { ids: [key], action: 'close' }, 'on_behalf_of']
    ]
    for (const [name, body, path] of bad) {
      const answer = await s.call(s.acme, 'POST', BULK, body)
      t.match([answer.statusCode, answer.json().details?.[0]?.path], [422, path], `${name}: ${answer.body}`)
    }
    t.equal((await s.call(s.acme, 'GET', of(key))).json().version, 1)
  })
})
