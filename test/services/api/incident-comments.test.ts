/**
 * Tests of comments on incidents over HTTP, on the real rules and tables: who may write and delete
 * them, and what everybody else is shown.
 */
import t from 'tap'
import { hashPassword } from '../../../services/credentials/credentials.ts'
import { login, ORIGIN, PASSWORD, type Stand, stand, type Workspace } from './stand.ts'

const of = (id: string, more = ''): string => `/api/v1/incidents/${id}/comments${more}`

/**
 * Adds another member of the workspace and logs in. Returns a function that calls as that person.
 */
async function colleague(s: Stand, { tenant_id }: Workspace, name: string, role: string) {
  const email = `${name}@example.test`
  const { rows } = await s.systemPool.query<{ user_id: string }>(
    'INSERT INTO users (user_id, email, name, password_hash) VALUES (gen_random_uuid(), $1, $2, $3) RETURNING user_id',
    [email, name, await hashPassword(PASSWORD)]
  )
  const user_id = rows[0]?.user_id ?? ''
  await s.systemPool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
  const { cookie } = await login(s, email)
  return {
    user_id,
    call: (method: string, path: string, body?: unknown) =>
      s.call(null, method, path, body, { headers: { cookie, origin: ORIGIN, 'content-type': 'application/json' } })
  }
}

t.test('comments', async (t) => {
  const s = await stand(t)
  const write = (id: string, body: unknown, who: Workspace | string = s.acme) => s.call(who, 'POST', of(id), { body })

  await t.test('a comment keeps its exact text and its author', async (t) => {
    const { incident_id, key } = await s.incident(s.acme)
    const ann = await colleague(s, s.acme, 'Ann', 'responder')
    const answer = await ann.call('POST', of(key.toLowerCase()), { body: '  **Disk** is full\n\n- `db-7` 🚨' })
    t.equal(answer.statusCode, 201, answer.body)
    t.match(answer.json(), {
      tenant_id: s.acme.tenant_id,
      incident_id,
      ver: 2,
      body: '  **Disk** is full\n\n- `db-7` 🚨',
      author: `user:${ann.user_id}`,
      author_id: ann.user_id,
      author_name: 'Ann',
      created_at: /Z$/
    })
    const byToken = (await write(incident_id, 'From a script')).json()
    t.match(byToken, { ver: 3, author: `token:${s.acme.token_id}`, author_id: s.acme.user_id, author_name: 'acme' })
    const list = (await s.call(s.acme, 'GET', of(incident_id))).json()
    t.same(list, { items: [answer.json(), byToken], total: 2, page: 1, per_page: 50, total_pages: 1, next_cursor: null })

    await s.systemPool.query('DELETE FROM members WHERE user_id = $1', [ann.user_id])
    t.match((await s.call(s.acme, 'GET', of(incident_id))).json().items[0], { author_id: ann.user_id, author_name: null })
  })

  await t.test('a comment updates the incident, but its text is in no event, frame or log', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    await s.systemPool.query('DELETE FROM outbox')
    await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`)
    const comment = (await write(incident_id, 'Password was hunter2')).json()
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), {
      ver: 3,
      status: 'resolved',
      last_change: { actor_kind: 'token', at: comment.created_at }
    })
    const { rows } = await s.systemPool.query<{ topic: string; event_type: string; payload: Buffer | null }>(
      "SELECT topic, headers ->> 'event_type' AS event_type, payload FROM outbox WHERE ver = 3 ORDER BY id"
    )
    t.same(
      rows.map(({ topic, event_type }) => [topic, event_type]),
      [
        ['incident.events.v1', 'incident.comment'],
        ['realtime.frames.v1', 'incident.comment'],
        ['incident.state.v1', 'incident.comment']
      ]
    )
    t.match(JSON.parse(rows[1]?.payload?.toString() ?? ''), {
      channel: 'monitors.status',
      type: 'incident.updated',
      data: { incident_id, change: 'comment' },
      ver: 3
    })
    for (const { payload } of rows) t.notMatch(payload?.toString('latin1') ?? '', /hunter2/)
    t.notMatch(JSON.stringify((await s.systemPool.query('SELECT * FROM incident_events')).rows), /hunter2/)
    t.notMatch(s.logged(), /hunter2/)
    const audit = await s.systemPool.query("SELECT diff FROM audit WHERE object_id = $1 AND action = 'incident.comment'", [incident_id])
    t.same(audit.rows, [{ diff: { ver: [2, 3] } }])
  })

  await t.test('the timeline shows a comment and its deletion', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const comment = (await write(incident_id, 'Look at the disk')).json()
    await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/acknowledge`, { comment: 'on it' })
    const timeline = async () => (await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}/timeline`)).json()
    t.match((await timeline()).items, [
      { type: 'opened' },
      { ver: 2, type: 'comment', actor: `token:${s.acme.token_id}`, data: { comment_id: comment.id, comment: 'Look at the disk' } },
      { type: 'acknowledged', data: { comment: 'on it' } }
    ])
    t.equal((await s.call(s.acme, 'DELETE', of(incident_id, `/${comment.id.toUpperCase()}`))).statusCode, 204)
    const after = await timeline()
    t.same(after.items.map(({ type, data }: { type: string; data: object }) => [type, data]).slice(1), [
      ['comment', { comment_id: comment.id, deleted: true }],
      ['acknowledged', { comment: 'on it' }],
      ['comment_deleted', { comment_id: comment.id }]
    ])
    t.match((await s.call(s.acme, 'GET', of(incident_id))).json(), { items: [], total: 0 })
    t.equal((await s.call(s.acme, 'DELETE', of(incident_id, `/${comment.id}`))).statusCode, 404, 'it is gone')
    t.equal((await timeline()).total, 4, 'and that changed nothing')
  })

  await t.test('only the author or an admin can delete a comment', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const bea = await colleague(s, s.acme, 'Bea', 'responder')
    const cem = await colleague(s, s.acme, 'Cem', 'responder')
    const admin = await colleague(s, s.acme, 'Dee', 'admin')
    const viewer = await colleague(s, s.acme, 'Eli', 'viewer')
    const comment = async () => (await bea.call('POST', of(incident_id), { body: 'x' })).json().id
    const narrow = (await s.call(s.acme, 'POST', '/api/v1/workspace/tokens', { name: 'acts', scopes: ['read', 'incidents:act'] })).json()
    const [first, second, third] = [await comment(), await comment(), await comment()]
    t.match((await cem.call('DELETE', of(incident_id, `/${first}`))).json(), { code: 'FORBIDDEN' })
    t.equal((await s.call(narrow.token, 'DELETE', of(incident_id, `/${first}`))).statusCode, 403, 'an owner’s token without the scope')
    t.equal((await viewer.call('DELETE', of(incident_id, `/${first}`))).statusCode, 403)
    t.equal((await viewer.call('POST', of(incident_id), { body: 'x' })).statusCode, 403)
    t.equal((await viewer.call('GET', of(incident_id))).json().total, 3)
    t.equal((await bea.call('DELETE', of(incident_id, `/${first}`))).statusCode, 204)
    t.equal((await admin.call('DELETE', of(incident_id, `/${second}`))).statusCode, 204)
    t.equal((await s.call(s.acme, 'DELETE', of(incident_id, `/${third}`))).statusCode, 204, 'a token with every scope')
  })

  await t.test('a comment cannot be deleted or listed under another incident', async (t) => {
    const [one, other] = [await s.incident(s.acme), await s.incident(s.acme)]
    const { id } = (await write(one.incident_id, 'x')).json()
    t.equal((await s.call(s.acme, 'DELETE', of(other.incident_id, `/${id}`))).statusCode, 404)
    t.equal((await s.call(s.acme, 'GET', of(one.incident_id))).json().total, 1)
    t.equal((await s.call(s.acme, 'GET', of(other.incident_id))).json().total, 0)
  })

  await t.test('invalid comment texts are refused, and valid ones are stored unchanged', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const refused: [string, unknown, string, string][] = [
      ['none', {}, 'body', 'required'],
      ['empty', { body: '' }, 'body', 'length'],
      ['blank', { body: ' \n\t' }, 'body', 'pattern'],
      ['too long', { body: 'x'.repeat(10_001) }, 'body', 'length'],
      ['too long by its characters, though few are seen', { body: '👩‍👩‍👧‍👦'.repeat(1429) }, 'body', 'length'],
      ['no text', { body: 7 }, 'body', 'type'],
      ['a field too many', { body: 'x', author_id: s.globex.user_id }, 'author_id', 'unknown_field']
    ]
    for (const [name, body, path, rule] of refused) {
      const answer = await s.call(s.acme, 'POST', of(incident_id), body)
      t.equal(answer.statusCode, 422, name)
      t.match(answer.json(), { code: 'VALIDATION_FAILED', details: [{ path, rule }] }, name)
    }
    const before = (await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json()
    t.equal(before.ver, 1, 'nothing was changed')
    for (const body of ['x'.repeat(10_000), '😀'.repeat(10_000), 'x']) t.equal((await write(incident_id, body)).json().body, body)
    t.match((await write(incident_id, 'a\0b')).json(), { details: [{ path: 'body', rule: 'ill_formed' }] }, 'Postgres takes no NUL')
  })

  await t.test('comment pages stay stable while comments are added and deleted', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push((await write(incident_id, `comment ${n}`)).json().id)
    const first = (await s.call(s.acme, 'GET', of(incident_id, '?per_page=2'))).json()
    t.match(first, { items: [{ body: 'comment 0' }, { body: 'comment 1' }], total: 5, page: 1, total_pages: 3 })
    await s.call(s.acme, 'DELETE', of(incident_id, `/${ids[0]}`))
    await write(incident_id, 'comment 5')
    const second = (await s.call(s.acme, 'GET', of(incident_id, `?per_page=2&cursor=${first.next_cursor}`))).json()
    t.match(second.items, [{ body: 'comment 2' }, { body: 'comment 3' }])
    const third = (await s.call(s.acme, 'GET', of(incident_id, `?per_page=2&cursor=${second.next_cursor}`))).json()
    t.match(third, { items: [{ body: 'comment 4' }, { body: 'comment 5' }], next_cursor: null })
    t.equal((await s.call(s.acme, 'GET', of(incident_id, '?cursor=zzz'))).statusCode, 422)
  })
})
