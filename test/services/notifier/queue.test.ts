/** Tests of looks at the queue of deliveries that nothing asked for. */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { neverHolds } from '../../../services/notifier/catch-up.ts'
import { startQueue } from '../../../services/notifier/queue.ts'
import { createLog } from '../../../services/process/log.ts'
import { type DeliveryRow, nextDelivery, waitingDeliveries } from '../../../services/store/deliveries.ts'
import { until } from '../../harness/until.ts'
import { type Stand, stand } from '../api/stand.ts'

/** Queues one delivery for each target, in one lane. */
const queue = ({ systemPool, acme }: Stand, targets: readonly string[], lane: number, due: string): Promise<unknown> =>
  systemPool.query(
    `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, channel_id, target_id, state, next_at,
       queued_at, expires_at, visibility)
     SELECT $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 'down', $3, 'webhook', target, target, 'queued', now() + $4::interval,
            now(), now() + interval '1 day', 'org' FROM unnest($2::uuid[]) target`,
    [acme.tenant_id, targets, lane, due]
  )

t.test('a poll claims nothing while nothing is due, and finds what is, in every lane', async (t) => {
  const s = await stand(t)
  const taken: DeliveryRow[] = []
  let claims = 0
  let polls = 0
  const pool = new Proxy(s.systemPool, {
    get(own, key) {
      const value: unknown = Reflect.get(own, key)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (key === 'query') {
          if (JSON.stringify(args[0]).includes('deliveries-next')) polls += 1
          else claims += 1
        }
        return Reflect.apply(value, own, args)
      }
    }
  })
  const looking = startQueue({
    pool,
    log: createLog('test', 'silent'),
    pollMs: 20,
    leaseMs: 60_000,
    maxInFlight: 64,
    room: () => 64,
    mailRoom: () => ({ room: 8, roomOfWorkspace: 2 }),
    resting: () => [],
    take: (rows) => void taken.push(...rows),
    catchUp: neverHolds,
    free: async () => undefined
  })
  t.teardown(() => looking.close())
  const idle = async (what: string): Promise<void> => {
    await until('the look before', () => looking.ready())
    const enough = polls + 3
    await until('a poll', () => polls >= enough)
    const [before, more] = [claims, polls + 5]
    await until('five polls', () => polls >= more)
    t.equal(claims, before, what)
  }
  await idle('nothing waits')
  await queue(s, [uuidv7()], 0, '1 hour')
  await idle('what waits is not due')
  for (const lane of [0, 1, 2]) {
    const target = uuidv7()
    await queue(s, [target], lane, '0')
    await until(`the delivery of lane ${lane}`, () => taken.at(-1)?.target_id === target)
  }
  t.equal(taken.length, 3)
  await idle('what is on its way is not due')
})

t.test('a look at the next delivery says when there are more targets than it asks', async (t) => {
  const s = await stand(t)
  const targets = Array.from({ length: 1000 }, () => uuidv7())
  await queue(s, targets.slice(1), 0, '1 hour')
  const next = await nextDelivery(s.systemPool)
  t.ok(next.ms !== null && next.ms > 0)
  t.equal(next.has_more, false)
  await queue(s, targets.slice(0, 1), 0, '1 hour')
  t.equal((await nextDelivery(s.systemPool)).has_more, true)
})

t.test('a delivery that no other worker could send yet is not late', async (t) => {
  const s = await stand(t)
  const [target, rested, full] = [uuidv7(), uuidv7(), uuidv7()]
  const about = uuidv7()
  const insert = (target_id: string, incident_id: string, ver: number, state: string, due: string, kind = 'webhook'): Promise<unknown> =>
    s.systemPool.query(
      `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, channel_id, target_id, state, next_at,
         queued_at, expires_at, visibility)
       VALUES ($1, gen_random_uuid(), gen_random_uuid(), $3, $4, 'down', 0, $7, $2, $2, $5, now() + $6::interval, now(), now() + interval '1 day', 'org')`,
      [s.acme.tenant_id, target_id, incident_id, ver, state, due, kind]
    )
  const look = async (resting: readonly string[] = [], mailRests = false) => {
    const [incidents] = await waitingDeliveries(s.systemPool, 100, resting, mailRests)
    return { due: incidents?.waiting, isOld: (incidents?.oldest_ms ?? 0) >= 3_600_000 }
  }
  await insert(target, about, 1, 'retrying', '1 hour')
  await insert(target, about, 2, 'queued', '-1 hour')
  t.same(await look(), { due: 1, isOld: false }, 'the end of an incident waits for its beginning, which is tried again later')
  await insert(rested, uuidv7(), 1, 'queued', '-1 hour')
  t.same(await look([rested]), { due: 2, isOld: false }, 'the target rests')
  t.same(await look(), { due: 2, isOld: true }, 'nobody claims it')
  for (let nth = 0; nth < 4; nth += 1) await insert(full, uuidv7(), 1, 'sending', '1 minute')
  await insert(full, uuidv7(), 1, 'queued', '-1 hour')
  t.same(await look([rested]), { due: 3, isOld: false }, 'the target has as many attempts as it may have')
  await insert(uuidv7(), uuidv7(), 1, 'queued', '-1 hour', 'email')
  t.same(await look([rested]), { due: 4, isOld: true }, 'nobody claims the mail')
  t.same(await look([rested], true), { due: 4, isOld: false }, 'the mail server rests')
})
