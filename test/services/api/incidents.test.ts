/** Tests of incidents over HTTP, on the real rules and tables, without Kafka. */
import t from 'tap'
import { as, person } from './people.ts'
import { addPerson, ask } from './private-team.ts'
import { login, ORIGIN, type Stand, stand, type Workspace } from './stand.ts'

const of = (id: string, action = ''): string => `/api/v1/incidents/${id}${action && `/${action}`}`

/** Returns the outbox rows of an incident, which the relay will send. */
const outbox = async (s: Stand, incident_id: string): Promise<{ topic: string; ver: number; event_type: string; src: string }[]> =>
  (
    await s.systemPool.query(
      "SELECT topic, ver, headers ->> 'event_type' AS event_type, headers ->> 'src' AS src FROM outbox WHERE aggregate = $1 ORDER BY id",
      [`incident:${incident_id}`]
    )
  ).rows

t.test('incidents', async (t) => {
  const s = await stand(t)
  const post = (who: Workspace | string, id: string, action: string, body?: unknown) => s.call(who, 'POST', of(id, action), body)
  const keysOf = async (query: string): Promise<string[]> =>
    (await s.call(s.acme, 'GET', `/api/v1/incidents?${query}`)).json().items.map(({ key }: { key: string }) => key)

  await t.test('an open incident is shown by its id or its key, in any case', async (t) => {
    const { incident_id, key } = await s.incident(s.acme, {
      description: 'Only 1 % left',
      labels: { host: 'db-7' },
      links: [{ title: 'Graph', url: 'https://x.example/' }]
    })
    const answer = await s.call(s.acme, 'GET', of(incident_id))
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers.etag, '"1"')
    const incident = answer.json()
    t.match(incident, {
      id: incident_id,
      tenant_id: s.acme.tenant_id,
      key,
      status: 'ongoing',
      dashboard_state: 'Triggered',
      severity: 'critical',
      title: 'Disk full on db-7',
      summary: 'Only 1 % left',
      source: { kind: 'inbound', type: 'alertmanager', integration_id: s.acme.integration_id },
      acknowledged_at: null,
      manually_closed_at: null,
      manually_closed_by: null,
      is_major: false,
      region: null,
      affected_regions: [],
      monitor_id: null,
      labels: { host: 'db-7' },
      links: [{ title: 'Graph', url: 'https://x.example/' }],
      ver: 1,
      version: 1,
      resolution: null,
      last_change: { actor_kind: 'integration', actor_id: s.acme.integration_id }
    })
    for (const field of ['created_at', 'updated_at', 'started_at', 'detected_at', 'opened_at', 'promoted_at']) {
      t.match(incident[field], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, field)
    }
    for (const reference of [key, key.toLowerCase(), incident_id.toUpperCase()])
      t.equal((await s.call(s.acme, 'GET', of(reference))).json().id, incident_id)
  })

  await t.test('a repeated acknowledgement changes nothing, and the first comment stays', async (t) => {
    const { incident_id, key } = await s.incident(s.acme)
    const first = await post(s.acme, key, 'acknowledge', { comment: 'On it', extra: { ignored: true } })
    t.equal(first.statusCode, 200)
    t.match(first.json(), {
      status: 'ongoing',
      dashboard_state: 'Acknowledged',
      acknowledged_at: String,
      acknowledged_by: `token:${s.acme.token_id}`,
      acknowledgement_comment: 'On it',
      ver: 2,
      last_change: { actor_kind: 'token', actor_id: s.acme.token_id, request_id: first.headers['x-request-id'] as string }
    })
    const second = await post(s.acme, incident_id, 'acknowledge')
    t.equal(second.statusCode, 200)
    t.same({ ...second.json(), duration_seconds: 0 }, { ...first.json(), duration_seconds: 0 })
    const { rows: audit } = await s.systemPool.query(
      'SELECT action, actor_kind, actor_id, via, request_id FROM audit WHERE object_id = $1',
      [incident_id]
    )
    t.same(audit, [
      {
        action: 'incident.acknowledged',
        actor_kind: 'token',
        actor_id: s.acme.token_id,
        via: 'api',
        request_id: first.headers['x-request-id']
      }
    ])
    const sent = await outbox(s, incident_id)
    t.same(
      sent.map(({ topic, ver }) => `${ver} ${topic}`),
      [
        '1 incident.events.v1',
        '1 realtime.frames.v1',
        '1 incident.state.v1',
        '2 incident.events.v1',
        '2 realtime.frames.v1',
        '2 incident.state.v1'
      ],
      'event, state and frame of each version, and nothing for the repeat'
    )
    t.equal(sent[3]?.event_type, 'incident.acknowledged')
    t.equal(sent[3]?.src, `token:${s.acme.token_id}`)
    const later = await post(s.acme, incident_id, 'acknowledge', { comment: 'Still on it' })
    t.match(
      later.json(),
      { ver: 3, acknowledged_at: first.json().acknowledged_at, acknowledgement_comment: 'On it' },
      'a comment more is a comment'
    )
  })

  await t.test('eight concurrent acknowledgements make one change', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(s.acme, incident_id, 'acknowledge')))
    t.same([...new Set(answers.map(({ statusCode }) => statusCode))], [200])
    t.same([...new Set(answers.map((answer) => answer.json().ver))], [2])
  })

  await t.test('resolving twice is one change, and a resolved incident cannot be acknowledged or silenced', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const resolved = await post(s.acme, incident_id, 'resolve', { note: 'Deleted old logs' })
    t.match(resolved.json(), {
      status: 'resolved',
      dashboard_state: 'Resolved',
      resolution: { reason: 'api', note: 'Deleted old logs' },
      time_to_resolve_seconds: Number
    })
    t.equal((await post(s.acme, incident_id, 'resolve')).json().ver, 2)
    for (const [action, body] of [
      ['acknowledge', {}],
      ['silence', { duration_minutes: 5 }]
    ] as const) {
      const answer = await post(s.acme, incident_id, action, body)
      t.equal(answer.statusCode, 409)
      t.equal(answer.json().code, 'INCIDENT_RESOLVED')
    }
    t.equal((await outbox(s, incident_id)).filter(({ event_type }) => event_type === 'incident.resolved').length, 3, 'event, state, frame')
  })

  await t.test('a silence accepts every name of the duration field and can be ended early', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    for (const body of [
      { duration_minutes: 30 },
      { minutes: 30 },
      { duration: 30 },
      { minutes: 30, duration: 30, duration_minutes: 30, reason: 'known' }
    ]) {
      const asked = Date.now()
      const { silenced_until, silenced_by } = (await post(s.acme, incident_id, 'silence', body)).json()
      t.ok(Math.abs(Date.parse(silenced_until) - asked - 30 * 60_000) < 60_000, JSON.stringify(body))
      t.equal(silenced_by, `token:${s.acme.token_id}`)
    }
    const cases: [object, string][] = [
      [{}, 'duration_minutes required'],
      [{ minutes: 5, duration: 6 }, 'duration_minutes mutually_exclusive'],
      [{ minutes: 0 }, 'minutes min'],
      [{ duration_minutes: 10_081 }, 'duration_minutes max'],
      [{ duration_minutes: '5' }, 'duration_minutes type'],
      [{ duration_minutes: 5, reason: 'x'.repeat(501) }, 'reason length']
    ]
    for (const [body, fault] of cases) {
      const answer = await post(s.acme, incident_id, 'silence', body)
      t.equal(answer.statusCode, 422, fault)
      const [detail] = answer.json().details
      t.equal(`${detail.path} ${detail.rule}`, fault)
    }
    const jobs = async () =>
      (await s.systemPool.query("SELECT kind FROM jobs WHERE payload ->> 'incident_id' = $1 AND kind <> 'incident_notify'", [incident_id]))
        .rows
    t.same(await jobs(), [{ kind: 'silence_end' }], 'one timer')
    const ended = await s.call(s.acme, 'DELETE', of(incident_id, 'silence'))
    t.match(ended.json(), { silenced_until: null, silenced_by: null })
    t.same(await jobs(), [], 'its timer went')
    t.equal((await s.call(s.acme, 'DELETE', of(incident_id, 'silence'))).json().ver, ended.json().ver, 'a repeat changes nothing')
  })

  await t.test('closing by hand is recorded for a person, and a token must name one', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const nobody = await post(s.acme, incident_id, 'close')
    t.match(nobody.json(), { code: 'VALIDATION_FAILED', details: [{ path: 'on_behalf_of', rule: 'person_required' }] })
    const { cookie } = await login(s, s.acme.email)
    const closed = await s.call(null, 'POST', of(incident_id, 'close'), { note: 'Not ours' }, { headers: { cookie, origin: ORIGIN } })
    t.match(closed.json(), {
      status: 'resolved',
      dashboard_state: 'Closed',
      manually_closed_at: String,
      manually_closed_by: s.acme.user_id,
      resolved_by: `user:${s.acme.user_id}`,
      resolution: { reason: 'closed', note: 'Not ours' }
    })
    const other = await s.incident(s.acme)
    await post(s.acme, other.incident_id, 'resolve')
    const after = await post(s.acme, other.incident_id, 'close', { on_behalf_of: s.acme.user_id })
    t.match(
      after.json(),
      { dashboard_state: 'Closed', manually_closed_by: s.acme.user_id, resolution: { reason: 'api' } },
      'on a resolved one only the fields are added'
    )
    const { rows } = await s.systemPool.query("SELECT via FROM audit WHERE object_id = $1 AND action = 'incident.closed'", [incident_id])
    t.same(rows, [{ via: 'ui' }])
  })

  await t.test('an incident is assigned to a member or to nobody, and the timeline shows it', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const { user_id } = s.acme
    await s.systemPool.query('DELETE FROM outbox')
    const assigned = await post(s.acme, incident_id, 'assign', {
      user_id: user_id.toUpperCase(),
      reason: 'an action ignores what it does not know'
    })
    t.equal(assigned.statusCode, 200)
    t.match(assigned.json(), { ver: 2, assignee_id: user_id, acknowledged_at: null, dashboard_state: 'Triggered' })
    const { rows } = await s.systemPool.query("SELECT payload FROM outbox WHERE topic = 'realtime.frames.v1'")
    t.match(JSON.parse(rows[0]?.payload.toString()), {
      channel: 'monitors.status',
      type: 'incident.assigned',
      data: { incident_id, monitor_id: '' },
      ver: 2
    })
    t.equal((await post(s.acme, incident_id, 'assign', { user_id })).json().ver, 2, 'a repeat changes nothing')
    t.same(await keysOf(`assignee_id=${user_id}`), [assigned.json().key])
    t.match((await post(s.acme, incident_id, 'assign', { user_id: null, schedule_id: null })).json(), { ver: 3, assignee_id: null })
    t.match((await s.call(s.acme, 'GET', of(incident_id, 'timeline'))).json().items.slice(1), [
      { type: 'assigned', actor: `token:${s.acme.token_id}`, data: { assignee_id: user_id } },
      { type: 'assigned', data: { assignee_id: null } }
    ])
    const refused: [string, object, string, string][] = [
      ['whom?', {}, 'user_id', 'required'],
      ['no id', { user_id: 'me' }, 'user_id', 'pattern'],
      ['a person of another workspace', { user_id: s.globex.user_id }, 'user_id', 'not_a_member'],
      ['nobody that there is', { user_id: incident_id }, 'user_id', 'not_a_member'],
      ['a schedule that there is not', { user_id: null, schedule_id: incident_id }, 'schedule_id', 'unknown_schedule']
    ]
    for (const [name, body, path, rule] of refused) {
      const answer = await post(s.acme, incident_id, 'assign', body)
      t.equal(answer.statusCode, 422, name)
      t.match(answer.json(), { code: 'VALIDATION_FAILED', details: [{ path, rule }] }, name)
    }
    t.equal((await s.call(s.acme, 'GET', of(incident_id))).json().ver, 3)
  })

  await t.test('an incident declared by hand behaves like any other', async (t) => {
    const declare = (body: object, who: Workspace | string = s.acme) => s.call(who, 'POST', '/api/v1/incidents', body)
    const answer = await declare({
      title: 'Checkout is slow',
      severity: 'warning',
      summary: '**Since** the deploy',
      labels: { service: 'shop', area: 'eu' },
      is_major: true,
      assignee_id: s.acme.user_id
    })
    t.equal(answer.statusCode, 201, answer.body)
    const incident = answer.json()
    t.match(incident, {
      ver: 1,
      status: 'ongoing',
      dashboard_state: 'Triggered',
      title: 'Checkout is slow',
      severity: 'warning',
      summary: '**Since** the deploy',
      labels: { service: 'shop', area: 'eu' },
      source: { kind: 'manual', type: null, id: null, integration_id: null },
      dedup_key: /^man:[0-9a-f-]{36}$/,
      monitor_id: null,
      is_major: true,
      assignee_id: s.acme.user_id,
      visibility: 'org',
      last_change: { actor_kind: 'token', actor_id: s.acme.token_id }
    })
    t.equal(incident.started_at, incident.opened_at)
    t.match(await outbox(s, incident.id), [
      { topic: 'incident.events.v1', ver: 1, event_type: 'incident.created' },
      { topic: 'realtime.frames.v1' },
      { topic: 'incident.state.v1' }
    ])
    t.match((await s.systemPool.query('SELECT action, diff FROM audit WHERE object_id = $1', [incident.id])).rows, [
      { action: 'incident.created', diff: { ver: [0, 1] } }
    ])
    t.match((await s.call(s.acme, 'GET', of(incident.key, 'timeline'))).json().items, [
      { type: 'opened', actor: `token:${s.acme.token_id}`, data: { title: 'Checkout is slow', severity: 'warning' } }
    ])
    t.match((await s.call(s.acme, 'GET', of(incident.key, 'alerts'))).json(), { items: [] })
    t.equal((await post(s.acme, incident.key, 'acknowledge')).statusCode, 200)
    t.match((await post(s.acme, incident.key, 'resolve')).json(), { status: 'resolved' })
    t.not((await declare({ title: 'Checkout is slow', severity: 'warning' })).json().id, incident.id, 'without a key each is its own')
  })

  await t.test('declaring an ongoing incident again under the same key returns that incident', async (t) => {
    const body = { title: 'Data centre lost power', severity: 'critical', dedup_key: 'dc-1 / power' }
    const declare = (who: Workspace, more: object = {}) => s.call(who, 'POST', '/api/v1/incidents', { ...body, ...more })
    const first = await declare(s.acme)
    const again = await declare(s.acme, { title: 'Another title' })
    t.same([first.statusCode, again.statusCode], [201, 200])
    t.match(again.json(), { id: first.json().id, ver: 1, title: body.title })
    t.equal((await outbox(s, first.json().id)).length, 3, 'and nobody is told twice')
    t.equal((await declare(s.globex)).statusCode, 201, 'another workspace has keys of its own')
    await post(s.acme, first.json().id, 'resolve')
    const next = await declare(s.acme)
    t.equal(next.statusCode, 201, 'a person’s word counts at once, however shortly after the end')
    t.not(next.json().id, first.json().id)
    t.equal(next.json().dedup_key, first.json().dedup_key)
  })

  await t.test('an invalid declaration opens no incident', async (t) => {
    const count = async () => (await s.call(s.acme, 'GET', '/api/v1/incidents')).json().total
    const before = await count()
    const good = { title: 'x', severity: 'info' }
    const refused: [string, object, string, string][] = [
      ['no title', { severity: 'info' }, 'title', 'required'],
      ['no severity', { title: 'x' }, 'severity', 'required'],
      ['a blank title', { ...good, title: '  ' }, 'title', 'pattern'],
      ['a title too long', { ...good, title: 'x'.repeat(301) }, 'title', 'length'],
      ['a severity of another scale', { ...good, severity: 'P1' }, 'severity', 'enum'],
      ['an empty key', { ...good, dedup_key: '' }, 'dedup_key', 'length'],
      ['a person of another workspace', { ...good, assignee_id: s.globex.user_id }, 'assignee_id', 'not_a_member'],
      ['a team of nobody', { ...good, team_id: s.acme.tenant_id }, 'team_id', 'unknown_team'],
      ['a policy of nobody', { ...good, escalation_policy_id: s.acme.tenant_id }, 'escalation_policy_id', 'unknown_policy']
    ]
    for (const [name, body, path, rule] of refused) {
      const answer = await s.call(s.acme, 'POST', '/api/v1/incidents', body)
      t.equal(answer.statusCode, 422, name)
      t.match(answer.json(), { code: 'VALIDATION_FAILED', details: [{ path, rule }] }, name)
    }
    t.equal(await count(), before)
    const viewer = (await s.call(s.acme, 'POST', '/api/v1/workspace/tokens', { name: 'reads', scopes: ['read'] })).json()
    t.equal((await s.call(viewer.token, 'POST', '/api/v1/incidents', good)).statusCode, 403)
  })

  await t.test('a refused action on an incident writes no event and no audit entry', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const before = await outbox(s, incident_id)
    await post(s.acme, incident_id, 'silence', { duration_minutes: 0 })
    await post(s.acme, incident_id, 'close')
    await post(s.globex, incident_id, 'acknowledge')
    t.same(await outbox(s, incident_id), before)
    t.same((await s.systemPool.query('SELECT * FROM audit WHERE object_id = $1', [incident_id])).rows, [])
  })

  await t.test('the timeline of an incident is read in pages', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    await post(s.acme, incident_id, 'acknowledge', { comment: 'On it' })
    await post(s.acme, incident_id, 'silence', { minutes: 5, reason: 'loud' })
    await s.call(s.acme, 'DELETE', of(incident_id, 'silence'))
    await post(s.acme, incident_id, 'resolve')
    const all = (await s.call(s.acme, 'GET', of(incident_id, 'timeline'))).json()
    t.same(
      all.items.map(({ type }: { type: string }) => type),
      ['opened', 'acknowledged', 'silenced', 'unsilenced', 'resolved']
    )
    t.match(all, { total: 5, page: 1, total_pages: 1, next_cursor: null })
    t.match(all.items[1], { ver: 2, actor: `token:${s.acme.token_id}`, data: { comment: 'On it' }, config_versions: { routing: 1 } })
    const types: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { items: { type: string }[]; next_cursor: string | null } = (
        await s.call(s.acme, 'GET', `${of(incident_id, 'timeline')}?per_page=2${cursor && `&cursor=${cursor}`}`)
      ).json()
      types.push(...page.items.map(({ type }) => type))
      cursor = page.next_cursor
    }
    t.same(types, ['opened', 'acknowledged', 'silenced', 'unsilenced', 'resolved'])
    t.equal((await s.call(s.acme, 'GET', `${of(incident_id, 'timeline')}?cursor=zzz`)).statusCode, 422)
  })
})

t.test('filters, order and pages of the incident list', async (t) => {
  const s = await stand(t)
  const day = Date.UTC(2026, 9, 1)
  const make = (title: string, over: object = {}, hours = 0) => s.incident(s.acme, { title, occurred_at: day + hours * 3_600_000, ...over })
  const [disk, cpu, net] = [
    await make('Disk full on db-7', { labels: { team: 'data', zone: 'a' } }),
    await make('CPU high', { severity: 'warning' }, 1),
    await make('100% packet_loss', { severity: 'info', labels: { team: 'net' } }, 2)
  ]
  await s.call(s.acme, 'POST', of(cpu.incident_id, 'acknowledge'))
  await s.call(s.acme, 'POST', of(net.incident_id, 'resolve'))
  const keys = async (query: string): Promise<string[]> => {
    const answer = await s.call(s.acme, 'GET', `/api/v1/incidents?${query}`)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json().items.map(({ key }: { key: string }) => key)
  }
  const cases: [string, string, { key: string }[]][] = [
    ['newest first', '', [net, cpu, disk]],
    ['oldest first', 'sort=started_at', [disk, cpu, net]],
    ['by number', 'sort=number', [disk, cpu, net]],
    ['ongoing', 'status=ongoing', [cpu, disk]],
    ['several values by comma', 'severity=info,warning', [net, cpu]],
    ['several values repeated', 'severity=info&severity=warning', [net, cpu]],
    ['several filters', 'status=ongoing&severity=warning', [cpu]],
    ['acknowledged', 'acknowledged=true', [cpu]],
    ['not acknowledged', 'acknowledged=false&status=ongoing', [disk]],
    ['as the dashboard says', 'dashboard_state=Triggered,Resolved', [net, disk]],
    ['major', 'is_major=true', []],
    ['of an integration', `integration_id=${s.acme.integration_id}`, [net, cpu, disk]],
    ['of a monitor', `monitor_id=${s.acme.tenant_id}`, []],
    ['part of the title', 'q=CPU', [cpu]],
    ['in any case', 'q=cpu', [cpu]],
    ['wildcards are text', `q=${encodeURIComponent('0%')}`, [net]],
    ['wildcards are text', `q=${encodeURIComponent('t_l')}`, [net]],
    ['quotes are text', `q=${encodeURIComponent("' OR 1=1 --")}`, []],
    ['from and to', `from=${new Date(day).toISOString()}&to=${new Date(day + 3_600_000).toISOString()}`, [disk]],
    ['a label', 'label.team=data', [disk]],
    ['a label with several values', 'label.team=data,net', [net, disk]],
    ['labels together', 'label.team=data&label.zone=b', []],
    ['a label that every object has', 'label.__proto__=data', []],
    ['and another', 'label.constructor=data', []],
    ['one a page', 'per_page=1&page=2', [cpu]],
    ['past the end', 'page=9', []]
  ]
  for (const [name, query, found] of cases) {
    t.same(
      await keys(query),
      found.map(({ key }) => key),
      name
    )
  }
  const page = (await s.call(s.acme, 'GET', '/api/v1/incidents?per_page=2')).json()
  t.match(page, { total: 3, page: 1, per_page: 2, total_pages: 2 })
  t.equal((await s.call(s.acme, 'GET', '/api/v1/incidents?from=2026-12-31T23:59:60Z')).statusCode, 422, 'a leap second is no instant')
  for (const [method, path, body] of [
    ['GET', '/api/v1/notifications/feed?from=2026-12-31T23:59:60Z', undefined],
    ['POST', '/api/v1/notifications/feed/read-all', { before: '2026-12-31T23:59:60Z' }],
    ['POST', '/api/v1/silences', { matchers: [{ field: 'title', op: 'eq', value: 'x' }], comment: 'x', ends_at: '2026-12-31T23:59:60Z' }]
  ] as const)
    t.equal((await s.call(s.acme, method, path, body)).statusCode, 422, path)
})

t.test('the incident list as a responder uses it', async (t) => {
  const s = await stand(t)
  const kim = await person(s, s.acme, 'kim', 'responder')
  const act = (key: string, action: string, body: object = {}) => as(s, kim, 'POST', of(key, action), body)
  const keysOf = async (query: string): Promise<string[]> =>
    (await as(s, kim, 'GET', `/api/v1/incidents?${query}`)).json().items.map(({ key }: { key: string }) => key)
  let sequence = 0
  const opened = async (severity: 'critical' | 'warning' | 'info', minutesAgo: number): Promise<string> => {
    const started = Date.now() - minutesAgo * 60_000
    return (await s.incident(s.acme, { severity, occurred_at: started, title: `condition ${++sequence}` })).key
  }
  const info = await opened('info', 90)
  const newer = await opened('critical', 5)
  const older = await opened('critical', 50)
  const taken = await opened('critical', 70)
  const warning = await opened('warning', 10)
  await act(taken, 'acknowledge')
  await act(warning, 'assign', { user_id: kim.user_id })

  await t.test('the severity sort lists the worst first, then incidents that nobody has, then the oldest', async (t) => {
    t.same(await keysOf('sort=-severity'), [older, newer, taken, warning, info])
  })

  await t.test('mine=true lists incidents assigned to me, or acknowledged by me and unassigned', async (t) => {
    t.same(await keysOf('mine=true&sort=number'), [taken, warning])
    await act(taken, 'assign', { user_id: s.acme.user_id })
    t.same(await keysOf('mine=true'), [warning], 'what somebody else has is theirs')
    t.same(await keysOf('assigned=false&sort=number'), [info, newer, older])
    t.same(await keysOf(`assigned=true&assignee_id=${s.acme.user_id}`), [taken])
  })

  await t.test('mine=true lists what my own token acknowledged', async (t) => {
    const [session, token] = await addPerson(s, s.acme, 'lee', 'responder')
    t.equal((await ask(s, token, 'POST', of(older, 'acknowledge'))).statusCode, 200)
    for (const who of [session, token]) {
      const { items } = (await ask(s, who, 'GET', '/api/v1/incidents?mine=true')).json()
      t.same(
        items.map(({ key }: { key: string }) => key),
        [older],
        who.name
      )
    }
    t.same(await keysOf('mine=true'), [warning], 'it is of nobody else')
    t.equal((await ask(s, token, 'POST', of(older, 'unacknowledge'))).statusCode, 200)
  })

  await t.test('the list can be filtered by kind of source', async (t) => {
    t.same(await keysOf('source_kind=monitor,manual'), [])
    t.same((await keysOf('source_kind=inbound')).length, 5)
  })

  await t.test('people and revoked tokens that acted on an incident are shown by name', async (t) => {
    const token = (await s.call(s.acme, 'POST', '/api/v1/workspace/tokens', { name: 'Deploys' })).json()
    await s.call(token.token, 'POST', of(older, 'acknowledge'), {})
    await s.call(s.acme, 'DELETE', `/api/v1/workspace/tokens/${token.id}`)
    t.match((await as(s, kim, 'GET', of(older))).json(), { acknowledged_by: `token:${token.id}`, acknowledged_by_name: 'Deploys' })
    t.match((await as(s, kim, 'GET', of(taken))).json(), { acknowledged_by_name: 'kim', resolved_by_name: null })
    const { items } = (await as(s, kim, 'GET', of(older, 'timeline'))).json()
    t.match(items.at(-1), { type: 'acknowledged', actor: `token:${token.id}`, actor_name: 'Deploys', via: 'api', app: null })
    t.match(items[0], { type: 'opened', actor: `integration:${s.acme.integration_id}`, actor_name: String, via: null, app: null })
    const byKim = (await as(s, kim, 'GET', of(taken, 'timeline'))).json().items
    t.match(byKim[1], { type: 'acknowledged', actor_name: 'kim', via: 'ui', app: null })
  })

  await t.test('the CSV export ignores pages, shows names and turns formulas into text', async (t) => {
    await s.incident(s.acme, { title: '=HYPERLINK("x")', severity: 'info' })
    const answer = await as(s, kim, 'GET', '/api/v1/incidents?format=csv&sort=number&per_page=2')
    t.match(answer.headers, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="incidents.csv"',
      'x-total': '6'
    })
    const lines = answer.body.trim().split('\r\n')
    t.equal(lines.length, 7, 'pages do not count')
    t.match(lines[0], /^key,title,state,severity,/)
    t.match(lines[5], /^INC-\d+,condition 5,Triggered,warning,.*,kim,/)
    t.match(lines[6], /"'=HYPERLINK\(""x""\)"/)
  })

  await t.test('a bulk action ends the silences of several incidents', async (t) => {
    const bulk = (body: object) => as(s, kim, 'POST', '/api/v1/incidents/bulk', body)
    await bulk({ ids: [newer, warning], action: 'silence', duration_minutes: 30 })
    t.match((await as(s, kim, 'GET', of(newer))).json(), { silenced_until: String, silenced_by_name: 'kim' })
    t.match((await bulk({ ids: [newer, warning], action: 'unsilence' })).json(), { failed: [] })
    t.match((await as(s, kim, 'GET', of(newer))).json(), { silenced_until: null })
  })
})
