/** Why incidents and alerts are there, by the rules that decided at the time. */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { stand } from './stand.ts'

t.test('why it is there', async (t) => {
  const s = await stand(t)
  const { acme } = s
  const read = async (path: string) => (await s.call(acme, 'GET', `/api/v1/${path}/explain`)).json()
  const kinds = ({ steps }: { steps: { rule: string }[] }) => steps.map(({ rule }) => rule)

  await t.test('by a signal, without rules', async (t) => {
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

  await t.test('by rules, which of them matched and why the others did not', async (t) => {
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

  await t.test('declared by hand, and what is not there', async (t) => {
    const { key } = (await s.call(acme, 'POST', '/api/v1/incidents', { title: 'x', severity: 'info' })).json()
    t.same(kinds(await read(`incidents/${key}`)), ['declaration', 'dedup', 'routing', 'policy'])
    t.equal((await s.call(acme, 'GET', `/api/v1/alerts/${uuidv4()}/explain`)).statusCode, 404)
    t.equal((await s.call(s.globex, 'GET', `/api/v1/incidents/${key}/explain`)).statusCode, 404)
  })
})
