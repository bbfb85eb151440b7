/**
 * Tests of the messages about on-call for dashboards, as they are in the outbox. Every change is
 * sent once, to the people who see the schedule or policy, and names only its id. The gateway
 * decides which sockets an audience means (test/services/gateway/teams.test.ts).
 */
import t from 'tap'
import { sweepSchedules } from '../../../services/store/schedule-history.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'
import { agedBy, ask, DAY, daily, done, HOUR, iso, later, ROOT, schedule } from './on-calling.ts'
import { person } from './people.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

interface News {
  audience: string
  data: { schedule_id: string | null; policy_id: string | null; change: string }
  text: string
}

/** Returns the messages since the last call, and removes them from the outbox. */
async function news(s: Stand, { tenant_id }: Workspace): Promise<News[]> {
  const { rows } = await s.systemPool.query<{ id: number; audience: string; text: string; aggregate: string }>(
    `DELETE FROM outbox WHERE tenant_id = $1 AND headers ->> 'event_type' = 'oncall.changed'
     RETURNING id, headers ->> 'audience' AS audience, convert_from(payload, 'UTF8') AS text, aggregate`,
    [tenant_id]
  )
  if (new Set(rows.map(({ aggregate }) => aggregate)).size < rows.length) throw new Error('one would be taken for a repeat of another')
  return rows
    .sort((one, other) => one.id - other.id)
    .map(({ audience, text }) => {
      const { channel, type, data, ver } = JSON.parse(text)
      if (channel !== 'oncall' || type !== 'oncall.changed' || ver !== undefined) throw new Error(text)
      return { audience, data, text }
    })
}
const told = async (s: Stand, who: Workspace): Promise<[string, string][]> =>
  (await news(s, who)).map(({ audience, data }) => [audience, data.change])

t.test('messages about on-call changes for dashboards', async (t) => {
  const s = await stand(t)

  await t.test('every change of a schedule, override or swap is sent', async (t) => {
    const home = await s.workspace('news', 'pro')
    const ann = await person(s, home, 'news-ann', 'responder')
    const { id } = await schedule(s, home, [daily([home.user_id])])
    const path = `${ROOT}/schedules/${id}`
    const [made] = await news(s, home)
    t.match(made, { audience: 'tenant', data: { schedule_id: id, policy_id: null, change: 'created' } })
    await done(ask(s, home, 'PATCH', path, { name: 'Primary' }), 200)
    t.same(await told(s, home), [], 'what changes nothing is no news')
    await done(ask(s, home, 'PATCH', path, { name: 'Night watch' }), 200)
    t.same(await told(s, home), [['tenant', 'updated']])

    const span = { starts_at: later(HOUR), ends_at: later(2 * HOUR) }
    const override = await done(
      ask(s, ann, 'POST', `${ROOT}/overrides`, { schedule_id: id, user_id: ann.user_id, reason: 'Dentist', ...span })
    )
    const [taken] = await news(s, home)
    t.match(taken, { audience: 'tenant', data: { schedule_id: id, change: 'override' } })
    for (const secret of ['Dentist', 'Night watch', ann.user_id, home.user_id, span.starts_at])
      t.notOk(taken?.text.includes(secret), `without ${secret}`)
    await done(ask(s, ann, 'DELETE', `${ROOT}/overrides/${override.id}`), 204)
    t.same(await told(s, home), [['tenant', 'override']])
    t.equal((await ask(s, ann, 'POST', `${ROOT}/overrides`, { schedule_id: id, user_id: home.user_id, ...span })).statusCode, 403)
    t.same(await told(s, home), [], 'what is refused is no news')

    const swap = { schedule_id: id, starts_at: iso(Date.now() + DAY), ends_at: iso(Date.now() + 2 * DAY) }
    const asked = await done(ask(s, home, 'POST', `${ROOT}/swaps`, swap))
    t.same(await told(s, home), [['tenant', 'swap']])
    await done(ask(s, ann, 'POST', `${ROOT}/swaps/${asked.id}/take`), 200)
    t.same(await told(s, home), [['tenant', 'swap']])
    const again = await done(ask(s, ann, 'POST', `${ROOT}/swaps`, swap))
    await done(ask(s, ann, 'DELETE', `${ROOT}/swaps/${again.id}`), 204)
    t.same(await told(s, home), [
      ['tenant', 'swap'],
      ['tenant', 'swap']
    ])
    await done(ask(s, home, 'DELETE', path), 204)
    t.same(await told(s, home), [['tenant', 'deleted']])
  })

  await t.test('changes of policies are sent, also when a member is replaced', async (t) => {
    const home = await s.workspace('news-policies', 'pro')
    const [ann, ben] = [await person(s, home, 'news-p-ann', 'responder'), await person(s, home, 'news-p-ben', 'responder')]
    const { id: schedule_id } = await schedule(s, home, [daily([ann.user_id])])
    await news(s, home)
    const steps = [{ targets: [{ type: 'user', id: ann.user_id }] }]
    const { id } = await done(ask(s, home, 'POST', `${ROOT}/escalation-policies`, { name: 'Shop', steps }))
    t.match(await news(s, home), [{ audience: 'tenant', data: { schedule_id: null, policy_id: id, change: 'created' } }])
    await done(ask(s, home, 'PATCH', `${ROOT}/escalation-policies/${id}`, { name: 'Store' }), 200)
    t.same(await told(s, home), [['tenant', 'updated']])
    await done(ask(s, home, 'DELETE', `/api/v1/workspace/members/${ann.user_id}?replace_with=${ben.user_id}`), 204)
    t.same(
      (await news(s, home)).map(({ data }) => data),
      [
        { schedule_id, policy_id: null, change: 'updated' },
        { schedule_id: null, policy_id: id, change: 'updated' }
      ]
    )
    await done(ask(s, home, 'DELETE', `${ROOT}/escalation-policies/${id}`), 204)
    t.same(await told(s, home), [['tenant', 'deleted']])
  })

  await t.test('a beginning shift and new zone data are sent', async (t) => {
    const home = await s.workspace('news-shifts', 'pro')
    const ann = await person(s, home, 'news-s-ann', 'responder')
    const { id } = await schedule(s, home, [daily([home.user_id, ann.user_id], { rotation: 'hours', shift_hours: 1 })])
    await news(s, home)
    await sweepSchedules(s.systemPool)
    t.same(await told(s, home), [], 'nothing has begun')
    await agedBy(s, id, 3)
    await sweepSchedules(s.systemPool)
    t.match(await news(s, home), [{ audience: 'tenant', data: { schedule_id: id, change: 'shift' } }])
    await sweepSchedules(s.systemPool)
    t.same(await told(s, home), [])
    await sweepSchedules(s.systemPool, { tzdb: 'other', zones: tzZones })
    t.same(await told(s, home), [['tenant', 'shift']])
    await sweepSchedules(s.systemPool)
    await news(s, home)
  })

  await t.test('changes of what a private team owns are sent to those who see the team', async (t) => {
    const home = await s.workspace('news-teams', 'pro')
    const [ann, ben] = [await person(s, home, 'news-t-ann', 'editor'), await person(s, home, 'news-t-ben', 'editor')]
    const team = await done(ask(s, ann, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' }))
    const audience = `org-team:${team.id}`
    const { id } = await schedule(s, ann, [daily([ann.user_id])], { team_id: team.id })
    const span = { starts_at: later(HOUR), ends_at: later(2 * HOUR) }
    await done(ask(s, ann, 'POST', `${ROOT}/overrides`, { schedule_id: id, user_id: ann.user_id, ...span }))
    const steps = [{ targets: [{ type: 'user', id: ann.user_id }] }]
    const policy = await done(ask(s, ann, 'POST', `${ROOT}/escalation-policies`, { name: 'Hidden', team_id: team.id, steps }))
    t.same(await told(s, home), [
      [audience, 'created'],
      [audience, 'override'],
      [audience, 'created']
    ])
    await agedBy(s, id, 48)
    await sweepSchedules(s.systemPool)
    t.same(await told(s, home), [[audience, 'shift']])

    await done(ask(s, ann, 'PUT', `/api/v1/teams/${team.id}/members/${ben.user_id}`, { role: 'member' }), 200)
    t.match(await news(s, home), [{ audience: `user:${ben.user_id}`, data: { schedule_id: null, policy_id: null, change: 'visibility' } }])
    await done(ask(s, ann, 'DELETE', `/api/v1/teams/${team.id}/members/${ben.user_id}`), 204)
    t.same(await told(s, home), [[`user:${ben.user_id}`, 'visibility']])

    await done(ask(s, ann, 'PATCH', `${ROOT}/schedules/${id}`, { team_id: null }), 200)
    t.same(
      await told(s, home),
      [
        ['tenant', 'updated'],
        [audience, 'visibility']
      ],
      'moved: those who have it now, and those who had it'
    )
    await done(ask(s, ann, 'PATCH', `${ROOT}/schedules/${id}`, { team_id: team.id }), 200)
    const [now, before] = await news(s, home)
    t.match(now, { audience, data: { schedule_id: id, change: 'updated' } })
    t.match(before, { audience: 'tenant', data: { schedule_id: id, change: 'visibility' } })

    await done(ask(s, ann, 'PATCH', `/api/v1/teams/${team.id}`, { visibility: 'org' }), 200)
    await done(ask(s, ann, 'PATCH', `/api/v1/teams/${team.id}`, { visibility: 'private' }), 200)
    for (const one of await news(s, home)) {
      t.match(one, { audience: 'tenant', data: { schedule_id: null, policy_id: null, change: 'visibility' } })
      for (const hidden of [id, policy.id, team.id]) t.notOk(one.text.includes(hidden), 'without the ids of what is hidden')
    }
  })
})
