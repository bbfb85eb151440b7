/** Tests of what is claimed for a target together with the outcome of the delivery before it. */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { claimDeliveries, claimMade, claimNext, firstCursor, LANES, SILENCED } from '../../../services/store/deliveries.ts'
import { type Tx, transaction } from '../../../services/store/pool.ts'
import { stand } from '../api/stand.ts'

t.test('claims for the next deliveries of a target respect every limit', async (t) => {
  const { systemPool: pool, acme } = await stand(t)
  const { tenant_id } = acme
  const [busy, other] = [uuidv7(), uuidv7()]
  const queue = (
    target: string,
    state: 'queued' | 'sending',
    count: number,
    incident: string | null = null,
    kind = 'webhook'
  ): Promise<unknown> =>
    pool.query(
      `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, channel_id, target_id, state, next_at,
         queued_at, expires_at, visibility)
       SELECT $1, gen_random_uuid(), gen_random_uuid(), coalesce($4, gen_random_uuid()), n, 'down', 0, $6, $2::uuid, $2::uuid, $3::text,
              now() + CASE WHEN $3 = 'sending' THEN interval '1 minute' ELSE interval '0' END, now(), now() + interval '1 day', 'org'
         FROM generate_series(1, $5::int) n`,
      [tenant_id, target, state, incident, count, kind]
    )
  /** Returns how many deliveries of each target are claimed; the claims are rolled back. */
  const claims = async (
    targets: readonly string[],
    options: { room?: number; share?: number; resting?: string[]; mail?: { room: number; roomOfWorkspace: number } } = {}
  ): Promise<number[]> => {
    let counts: number[] = []
    await transaction(pool, async (tx) => {
      const rows = await claimNext(
        tx,
        targets.map((target_id) => ({ tenant_id, target_id })),
        { leaseMs: 60_000, room: options.room ?? 100, roomOfWorkspace: options.share ?? 64, resting: options.resting ?? [], ...options }
      )
      counts = targets.map((target) => rows.filter(({ target_id }) => target_id === target).length)
      throw new Error('not kept')
    }).catch((error: Error) => {
      if (error.message !== 'not kept') throw error
    })
    return counts
  }
  await queue(busy, 'sending', 1)
  await queue(busy, 'queued', 9)
  await queue(other, 'queued', 2)
  t.same(await claims([busy]), [3], 'a target has four at once')
  t.same(await claims([busy, other]), [3, 2])
  t.same(await claims([busy, other], { room: 2 }), [1, 1], 'targets take turns')
  t.same(await claims([busy, other], { share: 3 }), [1, 1], 'and what is on its way counts in the share of the workspace')
  t.same(await claims([busy, other], { resting: [busy] }), [0, 2], 'a target that rests is left')
  t.same(await claims([busy, other], { room: 0 }), [0, 0])
  t.same(await claims([]), [])
  const ordered = uuidv7()
  await queue(ordered, 'queued', 3, uuidv7())
  t.same(await claims([ordered]), [1], 'of one incident one after the other')
  const [mail, mailed] = [uuidv7(), uuidv7()]
  await queue(mail, 'queued', 3, null, 'email')
  await queue(mailed, 'queued', 3, null, 'email')
  const mails = (room: number, roomOfWorkspace: number) => ({ mail: { room, roomOfWorkspace } })
  t.same(await claims([mail, mailed, busy], mails(9, 9)), [3, 3, 3])
  t.same(await claims([mail, mailed, busy], mails(2, 9)), [1, 1, 3], 'mails get the places of mails')
  t.same(await claims([mail, mailed, busy], mails(9, 2)), [1, 1, 3], 'and the workspace has a share of its own in them')
  t.same(await claims([mail, mailed, busy], mails(0, 9)), [0, 0, 3], 'none while the mail server rests')
  t.same(await claims([mail, mailed, busy], { ...mails(1, 9), share: 3 }), [1, 0, 1], 'mails that get no place take no turn')
  await queue(mail, 'sending', 1, null, 'email')
  t.same(await claims([mail, mailed, busy], mails(9, 2)), [1, 0, 3], 'mails on their way count')
})

t.test('what is due is claimed in its turn, before an earlier page that is due later', async (t) => {
  const { systemPool: pool, acme } = await stand(t)
  const { tenant_id, user_id } = acme
  type First = [
    what: string,
    state: 'queued' | 'retrying' | 'sending',
    event: string,
    is_page: boolean,
    minutes: number,
    error_code: string | null
  ]
  /**
   * Makes a delivery and a later one that is due, to one target. Returns whether each kind of claim
   * takes the later one.
   */
  const claimed = async ([, state, event, is_page, minutes, error_code]: First): Promise<boolean[]> => {
    const target = uuidv7()
    const { rows } = await pool.query<{ tenant_id: string; delivery_id: string }>(
      `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, user_id, channel_id, method_id, target_id,
         state, error_code, attempts, next_at, queued_at, expires_at, visibility)
       SELECT $1, gen_random_uuid(), gen_random_uuid(), $2::uuid, n, CASE n WHEN 1 THEN $3 ELSE 'down' END, 0, 'sms', CASE WHEN $4 THEN $5::uuid END,
              CASE WHEN NOT $4 THEN $2::uuid END, CASE WHEN $4 THEN $2::uuid END, $2::uuid, CASE n WHEN 1 THEN $6 ELSE 'queued' END,
              CASE n WHEN 1 THEN $7 END, 0, now() + CASE n WHEN 1 THEN $8 ELSE 0 END * interval '1 minute', now(), now() + interval '1 day', 'org'
         FROM generate_series(1, 2) n RETURNING tenant_id, delivery_id`,
      [tenant_id, target, event, is_page, user_id, state, error_code, minutes]
    )
    const second = rows.slice(1)
    const room = { leaseMs: 60_000, room: 9, roomOfWorkspace: 64, resting: [] }
    const claims: ((tx: Tx) => Promise<{ delivery_id: string }[]>)[] = [
      (tx) => claimNext(tx, [{ tenant_id, target_id: target }], room),
      (tx) => claimMade(tx, second, room),
      async (tx) => (await claimDeliveries(tx, { ...room, lane: LANES.incident, after: firstCursor, targets: 99 })).claimed
    ]
    const found: boolean[] = []
    for (const claim of claims)
      await transaction(pool, async (tx) => {
        found.push((await claim(tx)).some(({ delivery_id }) => delivery_id === second[0]?.delivery_id))
        throw new Error('not kept')
      }).catch((error: Error) => {
        if (error.message !== 'not kept') throw error
      })
    return found
  }
  const aside: First[] = [
    ['a page that is due later', 'queued', 'down', true, 30, null],
    ['a page that a silence puts off', 'retrying', 'down', true, 30, SILENCED]
  ]
  const inFront: First[] = [
    ['a page that is due', 'queued', 'down', true, 0, null],
    ['a page that is repeated later', 'retrying', 'down', true, 30, 'server_error'],
    ['a page that is being sent', 'sending', 'down', true, 1, null],
    ['the end of an incident', 'queued', 'up', true, 30, null],
    ['a message to a channel', 'queued', 'down', false, 30, null]
  ]
  for (const first of aside) t.same(await claimed(first), [true, true, true], first[0])
  for (const first of inFront) t.same(await claimed(first), [false, false, false], first[0])
})

t.test('a transaction claims the due deliveries that it has just made', async (t) => {
  const { systemPool: pool, acme } = await stand(t)
  const { tenant_id } = acme
  const target = uuidv7()
  const claimed = await transaction(pool, async (tx) => {
    await tx.query('SELECT pg_sleep(0.01)')
    const { rows } = await tx.query<{ tenant_id: string; delivery_id: string }>(
      `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, channel_id, target_id, state, next_at,
         queued_at, expires_at, visibility)
       SELECT $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 'down', 0, 'webhook', $2::uuid, $2::uuid, 'queued',
              clock_timestamp() + later, clock_timestamp(), now() + interval '1 day', 'org'
         FROM unnest(ARRAY[interval '0', interval '1 minute']) AS later RETURNING tenant_id, delivery_id`,
      [tenant_id, target]
    )
    return claimMade(tx, rows, { leaseMs: 60_000, roomOfWorkspace: 10 })
  })
  t.equal(claimed.length, 1, 'what is due now, and nothing that is due later')
})

t.test('of what a transaction has made, no workspace gets more than its share', async (t) => {
  const { systemPool: pool, acme, globex } = await stand(t)
  const made = async (tenant_id: string, targets: number, state = 'queued'): Promise<{ tenant_id: string; delivery_id: string }[]> => {
    const { rows } = await pool.query<{ tenant_id: string; delivery_id: string }>(
      `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, channel_id, target_id, state, next_at,
         queued_at, expires_at, visibility)
       SELECT $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 'down', 0, 'webhook', target, target, $3::text,
              now() + CASE WHEN $3 = 'sending' THEN interval '1 minute' ELSE interval '0' END, now(), now() + interval '1 day', 'org'
         FROM (SELECT gen_random_uuid() AS target FROM generate_series(1, $2)) t RETURNING tenant_id, delivery_id`,
      [tenant_id, targets, state]
    )
    return rows
  }
  await made(acme.tenant_id, 2, 'sending')
  const all = [...(await made(acme.tenant_id, 9)), ...(await made(globex.tenant_id, 3))]
  const claimed = await transaction(pool, (tx) => claimMade(tx, all, { leaseMs: 60_000, roomOfWorkspace: 5 }))
  const of = (tenant: string): number => claimed.filter(({ tenant_id }) => tenant_id === tenant).length
  t.same([of(acme.tenant_id), of(globex.tenant_id)], [3, 3], 'what is on its way counts, and others are not touched')
  const rest = await transaction(pool, (tx) => claimMade(tx, all, { leaseMs: 60_000, roomOfWorkspace: 5 }))
  t.same(rest, [], 'nothing more')
})
