/**
 * Tests of back-tests of routing rules over the API. A back-test says what the rules would have
 * done with past alerts, limited to the alerts that the caller can see.
 */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { forgetBacktests } from '../../../services/store/backtests.ts'
import { until } from '../../harness/until.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { as, person } from './people.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

const START = '/api/v1/routing-rules/backtest'
const ONE = '/api/v1/routing-rules/backtests'

type Ask = (method: string, path: string, body?: unknown) => ReturnType<Stand['call']>

const by =
  (s: Stand, who: Workspace): Ask =>
  (method, path, body) =>
    s.call(who, method, path, body)

const lately = () => ({ from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 3_600_000).toISOString() })

/** Returns the answer of a back-test once it has ended. */
async function finished(ask: Ask, body: object) {
  const started = await ask('POST', START, { ...lately(), ...body })
  if (started.statusCode !== 202) throw new Error(started.body)
  const { id } = started.json()
  return until('the back-test ends', async () => {
    const found = (await ask('GET', `${ONE}/${id}`)).json()
    return found.state === 'running' ? null : found
  })
}

t.test('back-tests of routing rules', async (t) => {
  const s = await stand(t)

  await t.test('a draft of rules is tested on past alerts', async (t) => {
    const home = await s.workspace('draft')
    const ask = by(s, home)
    const was = uuidv4()
    await s.rules(home, [ruleOf(was, { match: { all: [{ field: 'label.env', op: 'eq', value: 'prod' }] }, actions: { severity: 'info' } })])
    const prod = await s.signal(home, { title: 'prod fails', severity: 'critical', labels: { env: 'prod' } })
    await s.signal(home, { title: 'test fails', severity: 'critical', labels: { env: 'test' } })
    await s.call(home, 'POST', '/api/v1/incidents', { title: 'by hand', severity: 'info' })

    const same = await finished(ask, {})
    t.match(same, {
      state: 'done',
      looked_at: 2,
      result: {
        complete: true,
        passed_over: 0,
        changed: 0,
        by_default: 1,
        changes: {},
        samples: [],
        rules: [{ rule_id: was, matched: 1, not_matched: 1, skipped: 0 }]
      }
    })

    const [never, other] = [uuidv4(), uuidv4()]
    const rules = [
      {
        id: never,
        name: 'never',
        match: { all: [{ field: 'label.env', op: 'eq', value: 'prod' }] },
        actions: { promote: 'never', suppress: true }
      },
      { id: other, name: 'others', actions: { group: { by: ['label.env'], window_seconds: 300, max_alerts: 5 } } }
    ]
    const { result } = await finished(ask, { rules })
    t.match(result, { changed: 2, by_default: 0, changes: { promote: 1, suppress: 1, severity: 1, group: 1 } })
    t.same(
      result.rules.map(({ name, matched, skipped }: { name: string; matched: number; skipped: number }) => [name, matched, skipped]),
      [
        ['never', 1, 0],
        ['others', 1, 1]
      ]
    )
    const alerts = (await ask('GET', '/api/v1/alerts?label.env=prod')).json().items
    const sample = result.samples.find((one: { title: string }) => one.title === 'prod fails')
    t.match(sample, {
      alert_id: alerts[0].id,
      incident_id: alerts[0].incident_id,
      changes: ['promote', 'suppress', 'severity'],
      was: { matched: [was], outcome: { severity: 'info', promote: true, suppressed_by: null } },
      would: { matched: [never], outcome: { severity: 'critical', promote: false, suppressed_by: never } }
    })
    t.equal(alerts[0].dedup_key, prod.dedup_key)
    t.match((await ask('GET', `/api/v1/alerts/${alerts[0].id}`)).json(), { severity: 'info' }, 'nothing has changed')
    t.match((await ask('GET', '/api/v1/routing-rules')).json(), { items: [{ id: was }, { is_default: true }] })
  })

  await t.test('rules in shadow mode can be tested as if they were live', async (t) => {
    const home = await s.workspace('shadow')
    const [shadow, live] = [uuidv4(), uuidv4()]
    await s.rules(home, [ruleOf(shadow, { mode: 'shadow', actions: { priority: 'P1' } }), ruleOf(live, { actions: { priority: 'P3' } })])
    await s.signal(home)
    t.match(await finished(by(s, home), {}), { result: { changed: 0, rules: [{ matched: 1 }, { matched: 1 }] } })
    t.match(await finished(by(s, home), { mode: 'shadow' }), {
      mode: 'shadow',
      result: {
        changed: 1,
        changes: { priority: 1 },
        rules: [
          { rule_id: shadow, mode: 'shadow', matched: 1 },
          { rule_id: live, mode: 'live', matched: 0, skipped: 1 }
        ]
      }
    })
  })

  await t.test('a back-test counts only visible alerts, and only the caller reads its result', async (t) => {
    const home = await s.workspace('seen')
    const { id: team_id } = (await s.call(home, 'POST', '/api/v1/teams', { name: 'Closed', visibility: 'private' })).json()
    const member = await person(s, home, 'backtest-member', 'editor')
    const outsider = await person(s, home, 'backtest-outsider', 'editor')
    await s.call(home, 'PUT', `/api/v1/teams/${team_id}/members/${member.user_id}`, {})
    await s.signal(home, { title: 'hidden fails', team_id })
    await s.signal(home, { title: 'open fails' })
    const rules = [{ name: 'all', actions: { priority: 'P1' } }]
    const asOne =
      (who: typeof member): Ask =>
      (method, path, body) =>
        as(s, who, method, path, body)
    const [inside, outside] = [await finished(asOne(member), { rules }), await finished(asOne(outsider), { rules })]
    t.match(inside, { looked_at: 2, result: { changed: 2, rules: [{ matched: 2 }] } })
    t.match(outside, { looked_at: 1, result: { changed: 1, rules: [{ matched: 1 }], samples: [{ title: 'open fails' }] } })
    t.notMatch(JSON.stringify(outside), /hidden fails/)

    t.equal((await as(s, outsider, 'GET', `${ONE}/${inside.id}`)).statusCode, 404, 'of somebody else')
    t.equal((await as(s, outsider, 'DELETE', `${ONE}/${inside.id}`)).statusCode, 404)
    t.equal((await s.call(s.acme, 'GET', `${ONE}/${inside.id}`)).statusCode, 404, 'of another workspace')
    t.equal((await as(s, member, 'GET', `${ONE}/${inside.id}`)).statusCode, 200)
    await as(s, member, 'DELETE', `/api/v1/teams/${team_id}/members/me`)
    t.equal((await as(s, member, 'GET', `${ONE}/${inside.id}`)).statusCode, 404, 'once they see less than it tells')
    t.equal((await as(s, outsider, 'GET', `${ONE}/${outside.id}`)).statusCode, 200)
  })

  await t.test('one back-test runs at a time, can be cancelled, and is deleted after a week', async (t) => {
    const home = await s.workspace('turns')
    const ask = by(s, home)
    const first = await finished(ask, {})
    const set = (assignments: string) =>
      s.systemPool.query(`UPDATE routing_backtests SET ${assignments} WHERE backtest_id = $1`, [first.id])
    await set("state = 'running', ended_at = NULL, alive_until = now() + interval '1 minute'")
    const second = await ask('POST', START, lately())
    t.equal(second.statusCode, 409, second.body)
    t.equal(second.json().code, 'CONFLICT')
    t.equal((await ask('DELETE', `${ONE}/${first.id}`)).statusCode, 204)
    t.match((await ask('GET', `${ONE}/${first.id}`)).json(), { state: 'cancelled', failure: null })
    t.equal((await ask('DELETE', `${ONE}/${first.id}`)).statusCode, 204, 'twice is no harm')
    t.match((await ask('GET', `${ONE}/${first.id}`)).json(), { state: 'cancelled' })
    t.equal((await ask('DELETE', `${ONE}/${uuidv4()}`)).statusCode, 404)

    await set("state = 'running', ended_at = NULL, alive_until = now() - interval '1 second'")
    t.match((await ask('GET', `${ONE}/${first.id}`)).json(), { state: 'failed', failure: /has ended/ }, 'its process is gone')
    t.match(await finished(ask, {}), { state: 'done' })
    await set("created_at = now() - interval '8 days'")
    t.equal(await forgetBacktests(s.systemPool), 1)
    t.equal((await ask('GET', `${ONE}/${first.id}`)).statusCode, 404)
  })

  await t.test('invalid back-tests are refused', async (t) => {
    const ask = by(s, s.acme)
    const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const cases: [object, string][] = [
      [{}, 'from required'],
      [{ from: 'yesterday' }, 'from pattern'],
      [{ from: at(40) }, 'from max'],
      [{ from: at(1), to: at(2) }, 'from empty_interval'],
      [{ from: at(1), mode: 'dry' }, 'mode enum'],
      [{ from: at(1), rules: [{ actions: { team_id: uuidv4() } }] }, 'rules[0].actions.team_id unknown_team'],
      [
        { from: at(1), rules: [{ match: { all: [{ field: 'title', op: 'matches', value: '(' }] } }] },
        'rules[0].match.all[0].value unsafe_regex'
      ],
      [{ from: at(1), rules: Array(5001).fill({}) }, 'rules length']
    ]
    for (const [body, wanted] of cases) {
      const answer = await ask('POST', START, body)
      t.equal(answer.statusCode, 422, `${wanted}: ${answer.body}`)
      const [detail] = answer.json().details ?? []
      t.equal(`${detail?.path} ${detail?.rule}`, wanted)
    }
    const free = await s.workspace('free-backtest', 'free')
    const limited = await s.call(free, 'POST', START, { from: at(1) })
    t.equal(limited.statusCode, 403)
    t.match(limited.json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'backtest', upgrade_to: 'pro' }] })
    const { rows } = await s.systemPool.query('SELECT FROM routing_backtests WHERE tenant_id = $1', [s.acme.tenant_id])
    t.same(rows, [], 'nothing began')
  })
})
