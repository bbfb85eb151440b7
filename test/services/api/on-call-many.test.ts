/**
 * Tests what is found in a workspace with more schedules, and more overrides, than a page has, and
 * times that are none; and shifts that are long.
 */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { answerInChat } from '../../../services/api/chat/answer.ts'
import { ask, DAY, daily, done, HOUR, later, ROOT, schedule, shiftsOf } from './on-calling.ts'
import { person } from './people.ts'
import { stand } from './stand.ts'

t.test('a schedule after the first 200 by name is in feeds, and found in chat', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('many', 'business')
  const ann = await person(s, home, 'many-ann', 'responder')
  const { id } = await schedule(s, home, [daily([ann.user_id])], { name: 'Zürich' })
  const covered = await schedule(s, home, [daily([home.user_id])], { name: 'Zwolle' })
  await s.systemPool.query(
    `INSERT INTO schedules (tenant_id, schedule_id, name, created_at) SELECT $1, gen_random_uuid(), 'Early ' || n, now() FROM generate_series(1, 201) n`,
    [home.tenant_id]
  )
  const override = { schedule_id: covered.id, user_id: ann.user_id, starts_at: later(HOUR), ends_at: later(2 * HOUR) }
  await done(ask(s, home, 'POST', `${ROOT}/overrides`, override))

  const feed = async (body: object): Promise<string> => {
    const { url } = await done(ask(s, ann, 'POST', `${ROOT}/ical-links`, body))
    const answer = await s.call(null, 'GET', new URL(url).pathname)
    t.equal(answer.statusCode, 200, answer.body)
    return answer.body
  }
  t.match(await feed({ schedule_id: id }), /SUMMARY:Zürich: many-ann/)
  const mine = await feed({})
  t.match(mine, /SUMMARY:Zürich: many-ann/)
  t.match(mine, /SUMMARY:Zwolle: many-ann/, 'by an override')
  t.notMatch(mine, /Early|many-owner/)

  const who = { vendor: 'telegram', account: 'bot', sender: 'ann', name: 'Ann' } as const
  await s.systemPool.query(
    "INSERT INTO chat_identities (tenant_id, identity_id, user_id, vendor, account, sender, name) VALUES ($1, $2, $3, 'telegram', 'bot', 'ann', 'Ann')",
    [home.tenant_id, uuidv7(), ann.user_id]
  )
  const say = (wanted: string | null) =>
    answerInChat(s.services, {
      ...{ who, receipt: uuidv7(), request_id: uuidv7(), name: '', tenant_id: null, strangers: null },
      command: { word: 'oncall', schedule: wanted }
    })
  t.equal(await say('zürich'), 'Zürich: many-ann')
  t.match(await say(null), /and 183 more schedules$/)
})

t.test('overrides are listed from the earliest or from the latest begin', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('many-overrides', 'pro')
  const { id } = await schedule(s, home, [daily([home.user_id])])
  await s.systemPool.query(
    `INSERT INTO on_call_overrides (tenant_id, override_id, schedule_id, user_id, starts_at, ends_at, reason, created_by)
     SELECT $1, gen_random_uuid(), $2, $3, now() + make_interval(hours => n - 1), now() + make_interval(hours => n), n::text, 'system:test'
       FROM generate_series(1, 201) n`,
    [home.tenant_id, id, home.user_id]
  )
  const listed = (sort: string) =>
    done(ask(s, home, 'GET', `${ROOT}/overrides?schedule_id=${id}&from=${later(0)}&per_page=200${sort}`), 200)
  t.match(await listed('&sort=starts_at'), { total: 201, items: { 0: { reason: '1' }, 199: { reason: '200' } } })
  for (const sort of ['', '&sort=-starts_at']) t.match(await listed(sort), { total: 201, items: { 0: { reason: '201' } } })
})

t.test('a leap second is refused as a time', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('leap', 'pro')
  const { id } = await schedule(s, home, [daily([home.user_id])])
  const leap = '2026-12-31T23:59:60Z'
  const swap = { schedule_id: id, starts_at: later(HOUR), ends_at: later(2 * HOUR) }
  const refused: [string, string, string, object?][] = [
    ['GET', `schedules/${id}/shifts?from=${leap}`, 'from'],
    ['GET', `schedules/${id}/shifts?to=${leap}`, 'to'],
    ['GET', `coverage?to=${leap}`, 'to'],
    ['GET', `overrides?from=${leap}`, 'from'],
    ['GET', `overrides?to=${leap}`, 'to'],
    ['POST', 'swaps', 'starts_at', { ...swap, starts_at: leap }],
    ['POST', 'swaps', 'ends_at', { ...swap, ends_at: leap }],
    ['POST', 'overrides', 'ends_at', { ...swap, user_id: home.user_id, ends_at: leap }],
    ['PATCH', `schedules/${id}`, 'effective_at', { min_participants: 2, effective_at: leap }]
  ]
  for (const [method, path, field, body] of refused) {
    const answer = await ask(s, home, method, `${ROOT}/${path}`, body)
    t.equal(answer.statusCode, 422, `${method} ${path} ${answer.body}`)
    t.match(answer.json().details, [{ path: field, rule: 'pattern' }])
  }
})

t.test('a long shift has the same id and begin, whatever span it is asked for in', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('long-shifts', 'pro')
  const ann = await person(s, home, 'long-ann', 'responder')
  const turns = { rotation: 'monthly', handoff_day: 1, every: 6, starts_on: '2026-01-01' }
  const { id } = await schedule(s, home, [daily([home.user_id, ann.user_id], turns)])
  const whole = (await shiftsOf(s, home, id, `from=${later(0)}&to=${later(360 * DAY)}`))[1]
  if (!whole) return t.fail('no second shift')
  const start = Date.parse(whole.starts_at)
  for (const days of [1, 61, 100, 170]) {
    const span = `from=${new Date(start + days * DAY).toISOString()}&to=${new Date(start + (days + 1) * DAY).toISOString()}`
    const [first] = await shiftsOf(s, home, id, span)
    t.same([first?.id, first?.starts_at], [whole.id, whole.starts_at], `${days} days after it began`)
  }
  const [now] = await shiftsOf(s, home, id, `from=${later(0)}&to=${later(DAY)}`)
  const [before] = await shiftsOf(s, home, id, `from=${later(-30 * DAY)}&to=${later(-29 * DAY)}`)
  t.equal(now?.id, before?.id, 'also one that began before the schedule was made')
})
