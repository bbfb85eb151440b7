/**
 * Tests of escalations on a real Postgres, without Kafka: who is paged when, and that nobody is
 * paged after somebody has acknowledged.
 */
import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Channel } from '../../../services/channels/channel.ts'
import { jsonRequest } from '../../../services/channels/judging.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { bodyOf } from '../../../services/channels/words.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { finishJobs, leaseJobs } from '../../../services/store/jobs.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { person } from '../api/people.ts'
import { type Stand, stand } from '../api/stand.ts'
import { isQuiet, ledger, notifier } from './channels.ts'
import { asDefault, intents, jobsOf, method, pass, policy, step, stepped, steps, unreachable, user, worker } from './escalating.ts'
import { receiver } from './receiver.ts'

const INCIDENTS = '/api/v1/incidents'
const act = async (s: Stand, id: string, action: string, body: object = {}) => {
  const answer = await s.call(s.acme, 'POST', `${INCIDENTS}/${id}/${action}`, body)
  if (answer.statusCode >= 300) throw new Error(`${action}: ${answer.body}`)
  return answer.json()
}
const prefers = (s: Stand, user_id: string, body: object) =>
  s.systemPool.query(
    `INSERT INTO notification_preferences (tenant_id, user_id, body) VALUES ($1, $2, $3)
     ON CONFLICT (tenant_id, user_id) DO UPDATE SET body = excluded.body`,
    [s.acme.tenant_id, user_id, JSON.stringify(body)]
  )
const wait = async (s: Stand, id: string): Promise<number | undefined> => (await jobsOf(s, id))[0]?.wait

t.test('a workspace without an escalation policy gets no escalation job', async (t) => {
  const s = await stand(t)
  const { incident_id } = await s.incident(s.acme)
  await act(s, incident_id, 'acknowledge')
  await act(s, incident_id, 'unacknowledge')
  t.same(await jobsOf(s, incident_id), [])
})

t.test('steps fire one after another and repeat until the policy is exhausted', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'ben', 'responder')
  await person(s, s.acme, 'bill', 'billing')
  const [owner, second] = [await method(s, s.acme, s.acme.user_id), await method(s, s.acme, ben.user_id)]
  const policy_id = await policy(s, s.acme, {
    steps: [step([user(s.acme.user_id)]), step([user(ben.user_id)], { delay_seconds: 600 })],
    repeat: 1
  })
  await asDefault(s, s.acme, policy_id)
  const { incident_id } = await s.incident(s.acme)
  t.match(await jobsOf(s, incident_id), [{ kind: 'escalation_step', payload: { run: 1, cycle: 0, step: 0 } }])
  worker(t, s)
  await stepped(s, incident_id, 1)
  t.ok(Math.abs(((await wait(s, incident_id)) ?? 0) - 600) <= 5, 'the second waits for its delay')
  // Neither a comment nor an edit ends the escalation.
  await act(s, incident_id, 'comments', { body: 'Looking.' })
  for (const count of [2, 3, 4, 5]) {
    await pass(s, 600)
    await stepped(s, incident_id, count)
  }
  t.match(await steps(s, incident_id), [
    { run: 1, cycle: 0, step: 0, outcome: 'fired', asked: [s.acme.user_id] },
    { cycle: 0, step: 1, outcome: 'fired', asked: [ben.user_id] },
    { cycle: 1, step: 0, outcome: 'fired', asked: [s.acme.user_id] },
    { cycle: 1, step: 1, outcome: 'fired', asked: [ben.user_id] },
    { cycle: 2, step: 0, outcome: 'exhausted', asked: [] }
  ])
  t.same(await jobsOf(s, incident_id), [], 'and nothing is left to come')
  t.match(
    await intents(s, incident_id),
    [owner, second, owner, second].map((method_id) => ({ method_id, suppressed_by: null }))
  )
  const { items } = (await s.call(s.acme, 'GET', `${INCIDENTS}/${incident_id}/timeline`)).json()
  t.match(
    items.filter(({ type }: { type: string }) => type === 'escalated'),
    [
      { actor: 'system:escalation_step', data: { outcome: 'fired', step: 0, user_ids: [s.acme.user_id], policy_id } },
      { data: { outcome: 'fired', step: 1, user_ids: [ben.user_id] } },
      {},
      {},
      { data: { outcome: 'exhausted' } }
    ]
  )
  const { rows: feed } = await s.systemPool.query("SELECT user_id, title FROM feed WHERE title LIKE 'Nobody has answered%'")
  t.same(feed, [{ user_id: s.acme.user_id, title: 'Nobody has answered INC-1' }], 'who manages the workspace is told, without billing')
  const { rows: told } = await s.systemPool.query("SELECT ver FROM outbox WHERE topic = 'notification.deliveries.v1'")
  t.equal(told.length, 4, 'each intent is on the log')
})

t.test('the delay of the first step counts from the start of its run', async (t) => {
  const s = await stand(t)
  await method(s, s.acme, s.acme.user_id)
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: [step([user(s.acme.user_id)], { delay_seconds: 600 })] }))
  const { incident_id } = await s.incident(s.acme)
  await pass(s, 900)
  worker(t, s)
  t.match(await stepped(s, incident_id, 1), [{ run: 1, step: 0, outcome: 'fired' }])
  const { rows } = await s.systemPool.query<{ due: number; waited: number }>(
    `SELECT (extract(epoch FROM s.due_at - i.opened_at))::int AS due, (extract(epoch FROM s.due_at - r.started_at))::int AS waited
       FROM escalation_steps s JOIN incidents i USING (tenant_id, incident_id) JOIN escalation_runs r USING (tenant_id, incident_id, run)
      WHERE s.incident_id = $1`,
    [incident_id]
  )
  t.match(rows, [{ due: -300, waited: 600 }])
})

t.test('acknowledging stops the escalation, and taking it back or its timeout starts a new run', async (t) => {
  const s = await stand(t)
  await method(s, s.acme, s.acme.user_id)
  const steps_ = [step([user(s.acme.user_id)]), step([user(s.acme.user_id)], { delay_seconds: 300 })]
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: steps_, ack_timeout_minutes: 30 }))
  const { incident_id } = await s.incident(s.acme)
  worker(t, s)
  await stepped(s, incident_id, 1)
  await act(s, incident_id, 'acknowledge')
  t.match(await jobsOf(s, incident_id), [{ kind: 'ack_timeout' }])
  await until('the timeout to wait', async () => Math.abs(((await wait(s, incident_id)) ?? 0) - 1800) <= 10)
  await pass(s, 300)
  t.equal((await steps(s, incident_id)).length, 1)
  await act(s, incident_id, 'unacknowledge')
  const again = await stepped(s, incident_id, 2)
  t.match(again[1], { run: 4, cycle: 0, step: 0, outcome: 'fired' }, 'a run of its own')
  await act(s, incident_id, 'acknowledge')
  await until('the timeout to wait', async () => Math.abs(((await wait(s, incident_id)) ?? 0) - 1800) <= 10)
  // Half an hour goes by.
  await s.systemPool.query("UPDATE incidents SET acknowledged_at = acknowledged_at - interval '1800 seconds'")
  await s.systemPool.query(
    "UPDATE jobs SET run_at = now(), payload = jsonb_set(payload, '{acknowledged_at}', to_jsonb((payload ->> 'acknowledged_at')::bigint - 1800000)) WHERE kind = 'ack_timeout'"
  )
  const third = await stepped(s, incident_id, 3)
  t.match(third[2], { step: 0, outcome: 'fired' })
  const { acknowledged_at } = (await s.call(s.acme, 'GET', `${INCIDENTS}/${incident_id}`)).json()
  t.equal(acknowledged_at, null)
  await act(s, incident_id, 'resolve')
  t.same(await jobsOf(s, incident_id), [], 'and its end ends it')
})

t.test('a silence holds the due step, and the escalation continues once it is removed', async (t) => {
  const s = await stand(t)
  await method(s, s.acme, s.acme.user_id)
  await asDefault(s, s.acme, await policy(s, s.acme, { max_duration_minutes: 10 }))
  const { incident_id } = await s.incident(s.acme)
  await act(s, incident_id, 'silence', { duration_minutes: 60 })
  worker(t, s)
  const state = async () =>
    (await s.systemPool.query('SELECT state, hold_reason FROM escalation_runs WHERE incident_id = $1', [incident_id])).rows[0]
  await until('it to be held', async () => (await state())?.state === 'held')
  t.match(await state(), { hold_reason: 'silence' })
  t.same(await steps(s, incident_id), [])
  await pass(s, 1200)
  await s.call(s.acme, 'DELETE', `${INCIDENTS}/${incident_id}/silence`)
  t.match(await stepped(s, incident_id, 1), [{ cycle: 0, step: 0, outcome: 'fired' }], 'its time stood still meanwhile')
})

t.test('the time for which a run was held does not count when somebody escalates by hand', async (t) => {
  const s = await stand(t)
  await method(s, s.acme, s.acme.user_id)
  const steps_ = [step([user(s.acme.user_id)]), step([user(s.acme.user_id)], { delay_seconds: 300 })]
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: steps_, max_duration_minutes: 10 }))
  const { incident_id } = await s.incident(s.acme)
  await act(s, incident_id, 'silence', { duration_minutes: 60 })
  worker(t, s)
  const state = async () => (await s.systemPool.query('SELECT state FROM escalation_runs WHERE incident_id = $1', [incident_id])).rows[0]
  await until('it to be held', async () => (await state())?.state === 'held')
  await pass(s, 1200)
  await act(s, incident_id, 'escalate', { step: 0 })
  await s.call(s.acme, 'DELETE', `${INCIDENTS}/${incident_id}/silence`)
  await pass(s, 300)
  t.match(await stepped(s, incident_id, 1), [{ cycle: 0, step: 1, outcome: 'fired' }])
})

t.test('the escalation continues after an earlier step that somebody escalates by hand', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'ben', 'responder')
  const [owner, bens] = [await method(s, s.acme, s.acme.user_id), await method(s, s.acme, ben.user_id)]
  await asDefault(
    s,
    s.acme,
    await policy(s, s.acme, {
      steps: [
        step([user(s.acme.user_id)]),
        step([user(ben.user_id)], { delay_seconds: 300 }),
        step([user(s.acme.user_id)], { delay_seconds: 300, only_if: { severity: ['info'], time_window: null } }),
        step([user(s.acme.user_id), user(ben.user_id)], { delay_seconds: 300, strategy: 'one_by_one' })
      ]
    })
  )
  const { incident_id } = await s.incident(s.acme)
  worker(t, s)
  await stepped(s, incident_id, 1)
  const goes = async (count: number) => {
    await pass(s, 300)
    return stepped(s, incident_id, count)
  }
  await goes(2)
  await goes(3)
  t.match(await goes(4), [{}, {}, { step: 2, outcome: 'skipped' }, { step: 3, part: 0 }], 'the last step has asked one of two')
  await act(s, incident_id, 'escalate', { step: 2 })
  await goes(5)
  await act(s, incident_id, 'silence', { duration_minutes: 60 })
  await pass(s, 300)
  const held = async () =>
    (await s.systemPool.query("SELECT run FROM escalation_runs WHERE state = 'held'")).rows.map(({ run }) => Number(run))
  const second = await until('it to be held', async () => (await held())[0])
  await act(s, incident_id, 'escalate', { step: 0 })
  t.same(await held(), [], 'the former run is not held any more')
  await s.call(s.acme, 'DELETE', `${INCIDENTS}/${incident_id}/silence`)
  for (const count of [6, 7, 8, 9]) await goes(count)
  const told = await goes(10)
  const third = told[5]?.run ?? 0
  t.ok(1 < second && second < third, 'runs of their own')
  t.match(told, [
    { run: 1, cycle: 0, step: 0, asked: [s.acme.user_id] },
    { run: 1, cycle: 0, step: 1, asked: [ben.user_id] },
    { run: 1, cycle: 0, step: 2, outcome: 'skipped' },
    { run: 1, cycle: 0, step: 3, part: 0, asked: [s.acme.user_id] },
    { run: second, cycle: 0, step: 3, part: 0, asked: [s.acme.user_id] },
    { run: third, cycle: 0, step: 1, asked: [ben.user_id] },
    { run: third, cycle: 0, step: 2, outcome: 'skipped' },
    { run: third, cycle: 0, step: 3, part: 0, asked: [s.acme.user_id] },
    { run: third, cycle: 0, step: 3, part: 1, asked: [ben.user_id] },
    { run: third, outcome: 'exhausted' }
  ])
  const paged = (await intents(s, incident_id)).filter((one) => one.step !== null).map(({ method_id }) => method_id)
  t.same(paged.sort(), [owner, bens, owner, owner, bens, owner, bens].sort(), 'and everybody is asked again')
})

t.test('an unreachable person is recorded with the reason, and the next step does not wait', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'ben', 'responder')
  const cleo = await person(s, s.acme, 'cleo', 'responder')
  await method(s, s.acme, ben.user_id, false)
  await unreachable(s, s.acme, cleo.user_id)
  await method(s, s.acme, s.acme.user_id)
  const policy_id = await policy(s, s.acme, {
    steps: [
      step([user(ben.user_id), user(cleo.user_id)]),
      step([user(s.acme.user_id)], { delay_seconds: 300, only_if: { severity: ['info'], time_window: null } }),
      step([user(ben.user_id)], { delay_seconds: 300, on_empty: 'fallback' })
    ]
  })
  await asDefault(s, s.acme, policy_id)
  const { incident_id } = await s.incident(s.acme)
  worker(t, s)
  await stepped(s, incident_id, 2)
  await pass(s, 300)
  t.match(await stepped(s, incident_id, 3), [
    { step: 0, outcome: 'empty', asked: [] },
    { step: 1, outcome: 'skipped', asked: [] },
    { step: 2, outcome: 'fired', asked: [s.acme.user_id] }
  ])
  t.match(
    (await intents(s, incident_id)).map(({ user_id, suppressed_by }) => [user_id, suppressed_by]).sort(),
    [
      [ben.user_id, 'unverified'],
      [ben.user_id, 'unverified'],
      [cleo.user_id, 'no_method'],
      [s.acme.user_id, null]
    ].sort()
  )
})

t.test('a one-by-one step pages its people one after another', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'ben', 'responder')
  for (const id of [ben.user_id, s.acme.user_id]) await method(s, s.acme, id)
  const one = step([user(ben.user_id), user(s.acme.user_id)], { strategy: 'one_by_one', delay_seconds: 60 })
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: [one] }))
  const { incident_id } = await s.incident(s.acme)
  worker(t, s)
  await until('the first step to wait', async () => ((await wait(s, incident_id)) ?? 0) > 30)
  for (const count of [1, 2]) {
    await pass(s, 60)
    await stepped(s, incident_id, count)
  }
  t.match(await steps(s, incident_id), [
    { step: 0, part: 0, asked: [ben.user_id] },
    { step: 0, part: 1, asked: [s.acme.user_id] }
  ])
})

t.test('a person outside a private team is not paged', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'ben', 'responder')
  for (const id of [ben.user_id, s.acme.user_id]) await method(s, s.acme, id)
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: [step([user(ben.user_id), user(s.acme.user_id)])] }))
  const { incident_id } = await s.incident(s.acme, { team_id: team.id })
  worker(t, s)
  t.match(await stepped(s, incident_id, 1), [{ outcome: 'fired', asked: [s.acme.user_id] }])
  const told = await intents(s, incident_id)
  t.equal(told.find(({ user_id }) => user_id === ben.user_id)?.suppressed_by, 'not_visible')
})

t.test('a worker that lost its lease does not repeat a step', async (t) => {
  const s = await stand(t)
  await method(s, s.acme, s.acme.user_id)
  await asDefault(
    s,
    s.acme,
    await policy(s, s.acme, { steps: [step([user(s.acme.user_id)]), step([user(s.acme.user_id)], { delay_seconds: 300 })] })
  )
  const { incident_id } = await s.incident(s.acme)
  const places = { kinds: Object.keys(runs), most: 5, perTenant: 5, held: new Map(), leaseMs: 0 }
  const [frozen] = await leaseJobs(s.systemPool, places)
  if (!frozen) throw new Error('no job was due')
  worker(t, s)
  await stepped(s, incident_id, 1)
  const actor = { kind: 'system', id: 'escalation_step', via: 'system', request_id: null } as const
  const late = tenantTransaction(s.systemPool, wholeWorkspace(s.acme.tenant_id), async (tx) => {
    await runs.escalation_step(tx, frozen, { codec: localCodec(), actor })
    return finishJobs(tx, [frozen])
  })
  t.equal(await late, false, 'its job is not its own any more')
  t.equal((await steps(s, incident_id)).length, 1)
  t.equal((await jobsOf(s, incident_id)).length, 1, 'the next step is still to come')
})

/** The fake e-mail channel posts to its address. */
const email: Channel = {
  ...(channels.email as Channel),
  *steps(message, { recipient }, _ref, context) {
    const said = { event: message.event, text: bodyOf(message, context.now) }
    yield jsonRequest(`${recipient}`, said, context, { guarded: true })
    return { outcome: 'delivered' }
  }
}
/** Quiet hours of 7 hours that began an hour ago. */
const quietHours = () => {
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const time = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  return { time_zone: 'UTC', days, from: time(-1), to: time(6), hold: 'digest' }
}

t.test('a page that quiet hours held is late only by what passes after them', async (t) => {
  const s = await stand(t, { jobs: true })
  const box = await receiver(t)
  const method_id = await method(s, s.acme, s.acme.user_id)
  await s.systemPool.query('UPDATE contact_methods SET address = $1', [box.url])
  await prefers(s, s.acme.user_id, { quiet_hours: quietHours() })
  await asDefault(s, s.acme, await policy(s, s.acme))
  const { deliverer } = notifier(t, s, { channels: { ...channels, email } })
  for (const [hours, isLate] of [
    [0, false],
    [5, true]
  ] as const) {
    const { incident_id } = await s.incident(s.acme, { severity: 'warning', dedup_key: `int:x:${hours}` })
    await until('its page', async () => (await ledger(s, incident_id)).length === 1)
    // Nine hours go by, and then so many more.
    await s.ownerPool.query("UPDATE intents SET due_at = now() - $2 * interval '1 hour' WHERE incident_id = $1 AND method_id = $3", [
      incident_id,
      hours,
      method_id
    ])
    await s.systemPool.query("UPDATE deliveries SET queued_at = queued_at - interval '9 hours', next_at = now() WHERE incident_id = $1", [
      incident_id
    ])
    deliverer.wake()
    await until('it to be sent', () => isQuiet(s))
    t.equal(/Delayed delivery/.test(box.received.at(-1)?.body ?? ''), isLate, `${hours} hours later`)
  }
  t.equal(box.received.length, 2)
})

t.test('a person whose page still waits at the end of an incident hears nothing of it', async (t) => {
  const s = await stand(t, { jobs: true })
  const box = await receiver(t)
  const people = await Promise.all(['quiet', 'told'].map((name) => person(s, s.acme, name, 'responder')))
  const [quiet, told] = people.map(({ user_id }) => user_id) as [string, string]
  const [asleep, first, second] = [await method(s, s.acme, quiet), await method(s, s.acme, told), uuidv7()]
  await s.systemPool.query(
    "INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at) VALUES ($1, $2, $3, 'email', 'x', now())",
    [s.acme.tenant_id, second, told]
  )
  await s.systemPool.query("UPDATE contact_methods SET address = $1 || '/' || method_id", [box.url])
  const later = [
    { method_id: first, delay_seconds: 0 },
    { method_id: second, delay_seconds: 600 }
  ]
  await prefers(s, quiet, { quiet_hours: quietHours() })
  await prefers(s, told, { rules: { default: later, high: [] } })
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: [step([user(quiet), user(told)])] }))
  notifier(t, s, { channels: { ...channels, email } })
  const { incident_id } = await s.incident(s.acme, { severity: 'warning' })
  const heard = () => box.received.map(({ path, body }) => [path.slice(1), JSON.parse(body).event])
  await until('the first page', () => heard().length === 1)
  await act(s, incident_id, 'resolve')
  await until('everything to end', () => isQuiet(s))
  t.same(heard(), [
    [first, 'down'],
    [first, 'up']
  ])
  t.same(
    (await ledger(s, incident_id))
      .filter(({ target_id }) => target_id !== first)
      .map(({ target_id, event, suppressed_by, attempts }) => [target_id, event, suppressed_by, attempts])
      .sort(),
    [asleep, second].map((id) => [id, 'down', 'stale', 0]).sort()
  )
})

t.test('quiet hours delay or drop a page, unless it is critical or the person is on call', async (t) => {
  const s = await stand(t)
  const people = await Promise.all(['held', 'dropped', 'awake'].map((name) => person(s, s.acme, `quiet-${name}`, 'responder')))
  const [held, dropped, awake] = people.map(({ user_id }) => user_id) as [string, string, string]
  await s.systemPool.query('DELETE FROM contact_methods')
  for (const user_id of [held, dropped, awake]) await method(s, s.acme, user_id)
  const begins = new Date(Date.now() - 3_600_000)
  const time = (at: Date): string => at.toISOString().slice(11, 16)
  const ends = new Date(begins.getTime() + 12 * 3_600_000)
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const quiet = { time_zone: 'UTC', days, from: time(begins), to: time(ends) }
  for (const [user_id, quiet_hours] of [
    [held, { ...quiet, hold: 'digest' }],
    [dropped, { ...quiet, hold: 'drop' }]
  ] as const)
    await prefers(s, user_id, { quiet_hours })
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: [step([held, dropped, awake].map((id) => user(id)))] }))
  worker(t, s)
  const told = async (severity: 'warning' | 'critical') => {
    const { incident_id } = await s.incident(s.acme, { severity, dedup_key: `int:x:${severity}` })
    await stepped(s, incident_id, 1)
    const { rows } = await s.systemPool.query<{ user_id: string; suppressed_by: string | null; due_at: number }>(
      'SELECT user_id, suppressed_by, due_at FROM intents WHERE incident_id = $1 AND user_id IS NOT NULL',
      [incident_id]
    )
    const by = new Map(rows.map((row) => [row.user_id, row]))
    const minutes = (id: string): string => time(new Date(by.get(id)?.due_at ?? 0))
    return { steps: await steps(s, incident_id), by, minutes }
  }
  const warning = await told('warning')
  t.equal(warning.minutes(held), time(ends), 'due when they end')
  t.equal(warning.by.get(held)?.suppressed_by, null)
  t.equal(warning.by.get(dropped)?.suppressed_by, 'quiet_hours')
  t.equal(warning.by.get(awake)?.suppressed_by, null)
  t.same(warning.steps[0]?.asked.sort(), [held, awake].sort(), 'who hears nothing was not asked')
  const critical = await told('critical')
  t.equal(critical.by.get(dropped)?.suppressed_by, null)
  t.not(critical.minutes(held), time(ends))

  const layer = { name: 'all', participants: [dropped], rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }
  const made = await s.call(s.acme, 'POST', '/api/v1/on-call/schedules', { name: 'Primary', time_zone: 'UTC', layers: [layer] })
  t.equal(made.statusCode, 201, made.body)
  const onCall = step([user(dropped), { type: 'schedule', id: made.json().id, urgency: 'default' }])
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: [onCall] }))
  const { incident_id } = await s.incident(s.acme, { severity: 'warning', dedup_key: 'int:x:on-call' })
  await stepped(s, incident_id, 1)
  t.match(await intents(s, incident_id), [{ user_id: dropped, suppressed_by: null }], 'a shift is no time for quiet')
})
