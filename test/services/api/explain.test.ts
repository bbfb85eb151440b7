/** Tests of the explanation of an incident or alert: it uses the rules that decided at the time. */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { as, person } from './people.ts'
import { privateTeam, tellsOf } from './private-team.ts'
import { onlineEverywhere } from './probing.ts'
import { stand } from './stand.ts'

t.test('explanations of incidents and alerts', async (t) => {
  const s = await stand(t)
  const { acme } = s
  const read = async (path: string) => (await s.call(acme, 'GET', `/api/v1/${path}/explain`)).json()
  const kinds = ({ steps }: { steps: { rule: string }[] }) => steps.map(({ rule }) => rule)

  await t.test('an incident without rules is explained by its signal', async (t) => {
    const { incident_id, key } = await s.incident(acme)
    const found = await read(`incidents/${key}`)
    t.same(kinds(found), ['signal', 'dedup', 'routing', 'policy'])
    t.match(found, {
      question: `Why is ${key} there?`,
      steps: [
        {
          n: 1,
          inputs: [{ topic: 'alerts.inbound.v1', partition: 0, offset: String, summary: 'Disk full on db-7' }],
          values: { severity: 'critical' }
        },
        { n: 2, values: { reopened_from: null } },
        { n: 3, config_refs: [{ type: 'routing', version: 1 }] }
      ],
      suppressions: [],
      trace_hash: /^[0-9a-f]{64}$/
    })
    t.same((await read(`incidents/${key}`)).trace_hash, found.trace_hash, 'asked again it is the same')
    t.match(await read(`alerts/${incident_id}`), { question: 'Why is this alert there?', trace_hash: found.trace_hash })
    await s.call(acme, 'POST', `/api/v1/incidents/${key}/silence`, { minutes: 5 })
    t.match(await read(`incidents/${key}`), { suppressions: [{ kind: 'silence', id: `token:${acme.token_id}`, until: String }] })
  })

  await t.test('an explanation says which rules matched and why others did not', async (t) => {
    const [calm, group, later] = [uuidv4(), uuidv4(), uuidv4()]
    await s.rules(acme, [
      ruleOf(calm, { match: { all: [{ field: 'label.env', op: 'eq', value: 'test' }] }, actions: { severity: 'info' } }),
      ruleOf(group, { actions: { suppress: true, group: { by: ['label.env'], window_seconds: 300, max_alerts: 5 } } }),
      ruleOf(later)
    ])
    const labels = { env: 'prod' }
    const [one, other] = [await s.signal(acme, { labels }), await s.signal(acme, { labels })]
    await s.rules(acme, [])
    const alerts = (await s.call(acme, 'GET', '/api/v1/alerts?label.env=prod')).json().items
    const first = alerts.find((alert: { dedup_key: string }) => alert.dedup_key === one.dedup_key)
    const second = alerts.find((alert: { dedup_key: string }) => alert.dedup_key === other.dedup_key)
    const found = await read(`incidents/${first.incident_id}`)
    t.same(kinds(found), ['signal', 'dedup', 'routing', 'grouping', 'promotion', 'policy'])
    t.match(found.steps[2], {
      verdict: 'One rule matched.',
      values: { matched_rule_ids: [group], suppressed_by: group },
      trace: [
        { rule_id: calm, outcome: 'not_matched', conditions: [{ group: 'all', index: 0, field: 'label.env', seen: 'prod' }] },
        { rule_id: group, outcome: 'matched' },
        { rule_id: later, outcome: 'skipped', reason: 'after_stop' }
      ]
    })
    t.match(found.steps[3], { verdict: 'It is the first of its group.', values: { values: ['prod'] } })
    t.match(found.suppressions, [{ kind: 'rule', id: group }])
    t.match((await read(`alerts/${second.id}`)).steps[3], { verdict: 'It joined the incident of its group.' })
    const kept = await s.keptAlert(acme)
    t.match((await read(`alerts/${kept}`)).steps.at(-2), { rule: 'promotion', verdict: 'A rule keeps it from becoming an incident.' })
  })

  await t.test('an explanation names the tz database if a time window was judged', async (t) => {
    const home = await s.workspace('zones')
    const time_window = { time_zone: 'Europe/Berlin', days: [], from: '00:00', to: '00:00' } as const
    await s.rules(home, [ruleOf(uuidv4(), { time_window })])
    const by = async (over: object) => {
      const { dedup_key } = await s.signal(home, over)
      const [alert] = (await s.call(home, 'GET', `/api/v1/alerts?dedup_key=${encodeURIComponent(dedup_key)}`)).json().items
      return (await s.call(home, 'GET', `/api/v1/alerts/${alert.id}/explain`)).json()
    }
    t.equal((await by({})).tzdb_version, process.versions.tz)
    await s.rules(home, [ruleOf(uuidv4())])
    t.equal((await by({})).tzdb_version, null)
  })

  await t.test('an explanation names a silence that matches by pattern', async (t) => {
    const { key } = await s.incident(acme, { title: 'held by a pattern' })
    const ends_at = new Date(Date.now() + 3_600_000).toISOString()
    const matchers = [{ field: 'title', op: 'eq', value: 'held by a pattern' }]
    const { id } = (await s.call(acme, 'POST', '/api/v1/silences', { matchers, comment: 'planned', ends_at })).json()
    t.match((await read(`incidents/${key}`)).suppressions, [{ kind: 'matcher_silence', id, until: ends_at }])
  })

  await t.test('rules hidden from the caller are named nowhere', async (t) => {
    const home = await s.workspace('unseen')
    const team = async (name: string, visibility: string) =>
      (await s.call(home, 'POST', '/api/v1/teams', { name, visibility })).json().id as string
    const [closed, open] = [await team('Closed', 'private'), await team('Open', 'org')]
    const viewer = await person(s, home, 'unseen-viewer', 'editor')
    const [take, away, seen] = [uuidv4(), uuidv4(), uuidv4()]
    await s.rules(home, [
      ruleOf(take, { actions: { team_id: closed, suppress: true }, continue: true }),
      ruleOf(seen, { actions: { priority: 'P2' }, continue: true }),
      ruleOf(away, {
        match: { none: [{ field: 'team_id', op: 'eq', value: closed }] },
        actions: { group: { by: ['title'], window_seconds: 60, max_alerts: 5 } }
      })
    ])
    const { dedup_key } = await s.signal(home)
    const [mine] = (await s.call(home, 'GET', `/api/v1/alerts?dedup_key=${encodeURIComponent(dedup_key)}`)).json().items
    // A person moved it to the open team. Everybody who sees that team sees what a hidden rule
    // decided.
    const moved = await s.call(home, 'PATCH', `/api/v1/incidents/${mine.incident_id}`, { team_id: open })
    t.equal(moved.statusCode, 200, moved.body)
    t.match(moved.json(), { matched_rule_ids: [take, seen, away], suppressed_by_rule_id: take, held_by: [{ kind: 'rule', id: take }] })
    const paths = [
      `/api/v1/incidents/${mine.incident_id}`,
      '/api/v1/incidents',
      `/api/v1/incidents/${mine.incident_id}/alerts`,
      `/api/v1/alerts/${mine.id}`,
      '/api/v1/alerts',
      `/api/v1/incidents/${mine.incident_id}/explain`,
      `/api/v1/alerts/${mine.id}/explain`,
      `/api/v1/incidents/${mine.incident_id}/timeline`
    ]
    for (const path of paths) {
      const answer = await as(s, viewer, 'GET', path)
      t.equal(answer.statusCode, 200, `${path}: ${answer.body}`)
      for (const id of [take, away, closed]) t.notOk(answer.body.includes(id), `${path} names ${id}`)
    }
    t.match((await as(s, viewer, 'GET', `/api/v1/incidents/${mine.incident_id}`)).json(), {
      matched_rule_ids: [seen],
      suppressed_by_rule_id: null,
      held_by: []
    })
    const found = (await as(s, viewer, 'GET', `/api/v1/alerts/${mine.id}/explain`)).json()
    const step = found.steps.find(({ rule }: { rule: string }) => rule === 'routing')
    t.match(step, { verdict: 'One rule matched.', values: { matched_rule_ids: [seen] } })
  })

  await t.test('an explanation names nothing of a private team to people outside it', async (t) => {
    await onlineEverywhere(s)
    const all = await privateTeam(s, 'explained')
    const { home, hidden, open } = all
    const { incident_id } = await s.incident(home)
    const behind = await person(s, home, 'explained-duty', 'responder')
    const beside = await person(s, home, 'explained-beside', 'responder')
    // What decided is stored as it was: it may name anything of the workspace.
    const rewrite = (id: string, over: (signal: Record<string, unknown>) => object) =>
      s.systemPool
        .query<{ input: string }>("SELECT cause ->> 'input' AS input FROM incident_events WHERE incident_id = $1 AND ver = 1", [id])
        .then(({ rows }) =>
          s.systemPool.query(
            "UPDATE incident_events SET cause = cause || jsonb_build_object('input', $2::text) WHERE incident_id = $1 AND ver = 1",
            [id, JSON.stringify(over(JSON.parse(rows[0]?.input ?? '')))]
          )
        )
    const decision = { routing_version: 1, matched_rule_ids: [], suppressed_by: null, promote: true, policy_by: 'signal' }
    await rewrite(incident_id, (signal) => ({
      ...signal,
      reopened_from: hidden.ended.incident_id,
      bundled_into: hidden.declared.incident_id,
      decision: {
        ...decision,
        escalation_policy_id: hidden.policy_id,
        maintenance: { window_id: hidden.window_id, version: 1, until: Date.now() }
      }
    }))
    const run = [home.tenant_id, incident_id, hidden.policy_id]
    await s.systemPool.query(
      `INSERT INTO escalation_runs (tenant_id, incident_id, run, policy_id, policy_version, state, cycle, step, part, started_at)
       VALUES ($1, $2, 1, $3, 1, 'running', 0, 1, 0, now())`,
      run
    )
    const target = (type: string, id: string, user_ids: string[]) => ({ type, id, urgency: 'default', user_ids })
    const facts = {
      targets: [
        target('schedule', hidden.rota.schedule_id, [behind.user_id, all.insiders[0]?.user_id ?? '']),
        target('schedule', open.rota.schedule_id, [beside.user_id]),
        target('webhook', hidden.channel_id, [])
      ],
      asked: [behind.user_id, beside.user_id],
      not_asked: [{ user_id: all.insiders[0]?.user_id, why: 'no_method' }],
      channels: [
        { channel_id: hidden.channel_id, why: null },
        { channel_id: open.channel_id, why: null }
      ],
      fallback: false,
      intent_ids: []
    }
    await s.systemPool.query(
      `INSERT INTO escalation_steps (tenant_id, incident_id, run, cycle, step, part, outcome, due_at, at, facts)
       VALUES ($1, $2, 1, 0, 0, 0, 'fired', now(), now(), $3)`,
      [home.tenant_id, incident_id, JSON.stringify(facts)]
    )
    const promoted = (await s.incident(home)).incident_id
    await rewrite(promoted, (signal) => ({ command: 'promote', by: 'job:x', signal, window: { window_id: hidden.window_id } }))

    const whole = await s.call(home, 'GET', `/api/v1/incidents/${incident_id}/explain`)
    const its = [
      hidden.ended.incident_id,
      hidden.declared.incident_id,
      hidden.window_id,
      hidden.policy_id,
      hidden.rota.schedule_id,
      hidden.channel_id
    ]
    for (const id of [...its, behind.user_id]) t.ok(whole.body.includes(id), 'an owner reads it')
    const viewer = await person(s, home, 'explained-viewer', 'viewer')
    for (const path of [`incidents/${incident_id}`, `alerts/${incident_id}`, `incidents/${promoted}`]) {
      const answer = await as(s, viewer, 'GET', `/api/v1/${path}/explain`)
      t.equal(answer.statusCode, 200, answer.body)
      t.same(tellsOf(all)(answer), [], path)
      for (const { user_id } of [behind, all.insiders[0] ?? behind]) t.notOk(answer.body.includes(user_id), path)
    }
    const { steps } = (await as(s, viewer, 'GET', `/api/v1/incidents/${incident_id}/explain`)).json()
    const of = (rule: string) => steps.find((step: { rule: string }) => step.rule === rule)
    t.match(of('dedup'), { values: { reopened_from: null } })
    t.match(of('mass_outage'), { values: { incident_id: null } })
    t.match(of('maintenance'), { config_refs: [{ type: 'maintenance_window', id: null }], values: { window_id: null } })
    t.match(of('escalation_run'), { config_refs: [{ type: 'escalation_policy', id: null }], verdict: 'A policy began.' })
    t.match(of('escalation_step').values, {
      targets: [{ id: open.rota.schedule_id, user_ids: [beside.user_id] }],
      asked: [beside.user_id],
      not_asked: [],
      channels: [{ channel_id: open.channel_id }]
    })
  })

  await t.test('an explanation shows what rules in shadow mode would have done', async (t) => {
    const home = await s.workspace('shadowed')
    const [shadow, live] = [uuidv4(), uuidv4()]
    await s.rules(home, [ruleOf(shadow, { mode: 'shadow', actions: { promote: 'never' } }), ruleOf(live, { actions: { priority: 'P3' } })])
    const { dedup_key } = await s.signal(home)
    const [alert] = (await s.call(home, 'GET', `/api/v1/alerts?dedup_key=${encodeURIComponent(dedup_key)}`)).json().items
    const { steps } = (await s.call(home, 'GET', `/api/v1/alerts/${alert.id}/explain`)).json()
    t.match(steps.find(({ rule }: { rule: string }) => rule === 'routing').shadow, {
      matched: [shadow],
      changes: ['promote', 'priority'],
      outcome: { promote: false, priority: null }
    })
  })

  await t.test('a declared incident is explained, and an unknown one gets 404', async (t) => {
    const { key } = (await s.call(acme, 'POST', '/api/v1/incidents', { title: 'x', severity: 'info' })).json()
    t.same(kinds(await read(`incidents/${key}`)), ['declaration', 'dedup', 'routing', 'policy'])
    t.equal((await s.call(acme, 'GET', `/api/v1/alerts/${uuidv4()}/explain`)).statusCode, 404)
    t.equal((await s.call(s.globex, 'GET', `/api/v1/incidents/${key}/explain`)).statusCode, 404)
  })
})
