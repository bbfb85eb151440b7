/**
 * Tests that no page of an incident is claimed after the commit that acknowledges it, whatever page
 * was just claimed, had failed, or had lost its worker. Postgres itself gives the order of commits:
 * triggers that run as each transaction commits number claims and acknowledgements under one lock.
 */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Channel } from '../../../services/channels/channel.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { stepOf } from '../../../services/notifier/attempt.ts'
import { claimDeliveries, firstCursor, isPage, LANES, SILENCED } from '../../../services/store/deliveries.ts'
import { saveSteps } from '../../../services/store/delivery-outcomes.ts'
import { transaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { ACCOUNT, AUTH_TOKEN, FROM } from '../../harness/twilio.ts'
import { until } from '../../harness/until.ts'
import { asks, phone } from '../api/phoning.ts'
import { type Stand, stand } from '../api/stand.ts'
import { deployment, hurry, isQuiet, type LedgerRow, ledger, notifier } from './channels.ts'
import { asDefault, policy, step, stepped, unreachable, user, worker } from './escalating.ts'
import { receiver } from './receiver.ts'

/** Numbers every claim of a page and every acknowledgement in the order of commits. */
const NUMBERED = `
  CREATE TABLE test_commits (n bigint GENERATED ALWAYS AS IDENTITY, what text NOT NULL, incident_id uuid NOT NULL);
  CREATE FUNCTION test_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(7001);
    INSERT INTO test_commits (what, incident_id) VALUES (TG_ARGV[0], NEW.incident_id);
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER test_claimed AFTER UPDATE ON deliveries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.state = 'sending' AND NEW.attempts > OLD.attempts AND NEW.user_id IS NOT NULL AND NEW.event = 'down')
    EXECUTE FUNCTION test_commit('claimed');
  CREATE CONSTRAINT TRIGGER test_acknowledged AFTER UPDATE ON incidents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.acknowledged_at IS NOT NULL AND OLD.acknowledged_at IS NULL) EXECUTE FUNCTION test_commit('acknowledged');
  CREATE CONSTRAINT TRIGGER test_taken_back AFTER UPDATE ON incidents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.acknowledged_at IS NULL AND OLD.acknowledged_at IS NOT NULL) EXECUTE FUNCTION test_commit('taken back')`

/** Returns what was committed for each incident, in order. */
async function commits(s: Stand): Promise<Map<string, string[]>> {
  const { rows } = await s.ownerPool.query<{ what: string; incident_id: string }>('SELECT what, incident_id FROM test_commits ORDER BY n')
  const of = new Map<string, string[]>()
  for (const { what, incident_id } of rows) of.set(incident_id, [...(of.get(incident_id) ?? []), what])
  return of
}

/**
 * Gives the owner three contact methods on our server: two are used at once, one is used later, by
 * default after a second.
 */
async function paged(s: Stand, url: string, later = 1): Promise<void> {
  const { tenant_id, user_id } = s.acme
  await unreachable(s, s.acme, user_id)
  const methods = ['/takes', '/fails', '/later'].map((path) => ({ method_id: uuidv7(), address: `${url}${path}` }))
  for (const { method_id, address } of methods)
    await s.systemPool.query(
      "INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at) VALUES ($1, $2, $3, 'email', $4, now())",
      [tenant_id, method_id, user_id, address]
    )
  const rules = methods.map(({ method_id }, nth) => ({ method_id, delay_seconds: nth === 2 ? later : 0 }))
  await s.systemPool.query(
    `INSERT INTO notification_preferences (tenant_id, user_id, body) VALUES ($1, $2, $3)
     ON CONFLICT (tenant_id, user_id) DO UPDATE SET body = excluded.body`,
    [tenant_id, user_id, JSON.stringify({ rules: { default: rules, high: rules } })]
  )
}

/** The fake e-mail channel posts to its address. */
const email: Channel = {
  ...(channels.webhook as Channel),
  kind: 'email',
  *steps(message, { recipient }, ref, context) {
    return yield* (channels.webhook as Channel).steps(message, { url: recipient }, ref, context)
  }
}

const wasLost = ({ suppressed_by, attempt_log }: LedgerRow): boolean =>
  suppressed_by === 'acknowledged' && attempt_log.at(-1)?.error === 'worker_lost'

/** At least this many, and more until every race has happened once. */
const INCIDENTS = 16
const MOST_INCIDENTS = 400

t.test('no page of an incident is claimed after the commit that acknowledges it', async (t) => {
  const s = await stand(t, { jobs: true })
  await s.ownerPool.query(NUMBERED)
  const target = await receiver(t)
  target.answers.set('/fails', (response) => void response.writeHead(500).end())
  await paged(s, target.url)
  const steps = [step([user(s.acme.user_id)]), step([user(s.acme.user_id)], { delay_seconds: 1 })]
  await asDefault(s, s.acme, await policy(s, s.acme, { steps, repeat: 9 }))
  const { deliverer } = notifier(t, s, { channels: { ...channels, email } })

  let over = false
  /** Makes retries due at once, and lets some claims expire while their worker still sends. */
  const meddling = (async () => {
    while (!over) {
      await hurry(s)
      await hurry(s, 'sending', 0.2)
      deliverer.wake()
    }
  })()
  const act = async (id: string, action: string): Promise<void> => {
    const { statusCode, body } = await s.call(s.acme, 'POST', `/api/v1/incidents/${id}/${action}`, {})
    if (statusCode !== 200) throw new Error(`${action}: ${body}`)
  }
  const live = async (nth: number): Promise<void> => {
    const { incident_id } = await s.incident(s.acme, { dedup_key: `int:x:${nth}` })
    // At any point in the life of its pages.
    await until('it to be paged', async () => (await ledger(s, incident_id)).length > nth % 6)
    await act(incident_id, 'acknowledge')
    if (nth % 2 === 0) return
    await act(incident_id, 'unacknowledge')
    const before = (await ledger(s, incident_id)).length
    await until('it to be paged again', async () => (await ledger(s, incident_id)).length > before + (nth % 3))
    await act(incident_id, 'acknowledge')
  }
  let incidents = 0
  while (incidents < INCIDENTS || (incidents < MOST_INCIDENTS && !(await ledger(s)).some(wasLost))) {
    const nth = incidents
    await Promise.all([0, 1, 2, 3].map((more) => live(nth + more)))
    incidents += 4
  }
  await until('all pages to have ended', () => isQuiet(s))
  over = true
  await meddling

  const found = await commits(s)
  t.equal(found.size, incidents)
  let claims = 0
  for (const [incident_id, order] of found) {
    let acknowledged = false
    for (const what of order) {
      if (what === 'claimed') claims += 1
      if (what === 'claimed' && acknowledged) t.fail(`${incident_id}: ${order.join(', ')}`)
      if (what !== 'claimed') acknowledged = what === 'acknowledged'
    }
    t.ok(acknowledged)
  }
  t.ok(claims > 2 * incidents, `${claims} claims raced`)
  const rows = await ledger(s)
  t.ok(
    rows.some(({ suppressed_by, attempts }) => suppressed_by === 'acknowledged' && attempts > 0),
    'some were taken back after an attempt'
  )
  t.ok(rows.some(wasLost), 'and some whose worker was lost')
})

t.test('a page that fails goes to the next method, unless somebody acknowledged while it was sent', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  const refuse: (() => void)[] = []
  target.answers.set(`/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, (response) => {
    const body = JSON.stringify({ code: 21211, message: 'As the test has it', status: 400 })
    refuse.push(() => void response.writeHead(400, { 'content-type': 'application/json' }).end(body))
  })
  await phone(s, s.acme, s.acme.user_id, 'sms', '+4915112345678')
  await phone(s, s.acme, s.acme.user_id, 'voice', '+4915112345679', true)
  await asks(s, s.acme, s.acme.user_id)
  const twilio = { account_sid: ACCOUNT, credential: `${ACCOUNT}:${AUTH_TOKEN}`, from: FROM, messaging_service_sid: null }
  notifier(t, s, { deployment: { ...deployment, base_urls: { twilio: target.url }, twilio } })
  const states = async (id: string) => (await ledger(s, id)).map(({ state }) => state)

  const first = await s.incident(s.acme)
  await until('its message', () => refuse.length === 1)
  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${first.incident_id}/acknowledge`, {})).statusCode, 200)
  refuse[0]?.()
  await until('its outcome', async () => (await states(first.incident_id))[0] === 'failed')
  t.same(await states(first.incident_id), ['failed'])

  const second = await s.incident(s.acme, { dedup_key: 'int:x:second' })
  await until('its message', () => refuse.length === 2)
  refuse[1]?.()
  await until('its outcome', async () => (await states(second.incident_id))[0] === 'failed')
  t.equal((await states(second.incident_id)).length, 2, 'the next method is asked')
})

t.test('a page that is sent again after the acknowledgement is repeated until somebody acknowledges again', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  let refuses = true
  const twilio = { account_sid: ACCOUNT, credential: `${ACCOUNT}:${AUTH_TOKEN}`, from: FROM, messaging_service_sid: null }
  target.answers.set(`/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, (response) => {
    response.writeHead(refuses ? 429 : 201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid: 'SM1', status: 'queued' }))
  })
  await phone(s, s.acme, s.acme.user_id, 'sms', '+4915112345678')
  await asks(s, s.acme, s.acme.user_id)
  const { deliverer } = notifier(t, s, { deployment: { ...deployment, base_urls: { twilio: target.url }, twilio } })
  const { incident_id } = await s.incident(s.acme)
  const page = async () => (await ledger(s, incident_id)).find(({ event }) => event === 'down')
  const act = async (path: string) => s.call(s.acme, 'POST', path, {})
  const repeated = async (attempts: number) => {
    await until(`attempt ${attempts}`, async () => {
      const row = await page()
      return row?.attempts === attempts && row.state !== 'sending'
    })
    return page()
  }
  t.match(await repeated(1), { state: 'retrying' })
  await act(`/api/v1/incidents/${incident_id}/acknowledge`)
  const taken = await page()
  t.match(taken, { state: 'suppressed', suppressed_by: 'acknowledged' })

  t.equal((await act(`/api/v1/notifications/deliveries/${taken?.delivery_id}/redeliver`)).statusCode, 202)
  deliverer.wake()
  t.match(await repeated(2), { state: 'retrying', suppressed_by: null }, 'it is repeated')
  await s.systemPool.query("UPDATE deliveries SET state = 'sending', attempts = 3, next_at = now() WHERE delivery_id = $1", [
    taken?.delivery_id
  ])
  await until('its lost worker to be noticed', async () => (await page())?.state !== 'sending')
  await act(`/api/v1/incidents/${incident_id}/unacknowledge`)
  await act(`/api/v1/incidents/${incident_id}/acknowledge`)
  await until('it to be taken back', async () => (await page())?.suppressed_by === 'acknowledged')

  refuses = false
  await act(`/api/v1/notifications/deliveries/${taken?.delivery_id}/redeliver`)
  deliverer.wake()
  await until('it to be sent', async () => (await page())?.state === 'sent')

  refuses = true
  await act(`/api/v1/notifications/deliveries/${taken?.delivery_id}/redeliver`)
  deliverer.wake()
  await until('a failed attempt', async () => (await page())?.state === 'retrying')
  await act(`/api/v1/incidents/${incident_id}/resolve`)
  refuses = false
  await s.systemPool.query("UPDATE deliveries SET next_at = now() WHERE delivery_id = $1 AND state = 'retrying'", [taken?.delivery_id])
  deliverer.wake()
  await until('it to be late', async () => (await page())?.suppressed_by === 'stale')
})

t.test('each page by hand that fails goes to the next method', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set(`/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, (response) => {
    const body = JSON.stringify({ code: 21211, message: 'As the test has it', status: 400 })
    response.writeHead(400, { 'content-type': 'application/json' }).end(body)
  })
  await phone(s, s.acme, s.acme.user_id, 'sms', '+4915112345678')
  await phone(s, s.acme, s.acme.user_id, 'email', `${target.url}/takes`, true)
  const twilio = { account_sid: ACCOUNT, credential: `${ACCOUNT}:${AUTH_TOKEN}`, from: FROM, messaging_service_sid: null }
  notifier(t, s, { channels: { ...channels, email }, deployment: { ...deployment, base_urls: { twilio: target.url }, twilio } })
  const { incident_id } = await s.incident(s.acme)
  const states = async () => (await ledger(s, incident_id)).map(({ state }) => state)
  for (const count of [1, 2]) {
    const { statusCode } = await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/escalate`, { user_ids: [s.acme.user_id] })
    t.equal(statusCode, 202)
    await until('its message to fail', async () => (await states()).filter((state) => state === 'failed').length === count)
    await until('all to have ended', () => isQuiet(s))
    t.equal((await states()).filter((state) => state === 'delivered').length, count, `request ${count}`)
  }
})

t.test('a silence puts off the pages of a policy that wait, and its end sends them', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set('/fails', (response, _request, nth) => void response.writeHead(nth === 0 ? 500 : 204).end())
  await paged(s, target.url, 600)
  await asDefault(s, s.acme, await policy(s, s.acme))
  const { deliverer } = notifier(t, s, { channels: { ...channels, email } })
  const { incident_id } = await s.incident(s.acme)
  const path = `/api/v1/incidents/${incident_id}`
  const states = async () =>
    (await ledger(s, incident_id)).map(({ state, error_code }) => (error_code === 'silenced' ? error_code : state)).sort()
  const is = (...expected: string[]) => until(expected.join(), async () => (await states()).join() === expected.join())
  const due = async () => {
    for (const state of ['queued', 'retrying'] as const) await hurry(s, state)
    deliverer.wake()
  }
  const told = (to: string) => target.received.filter((one) => one.path === to).length
  await is('delivered', 'queued', 'retrying')

  t.equal((await s.call(s.acme, 'POST', `${path}/silence`, { duration_minutes: 30 })).statusCode, 200)
  await due()
  await is('delivered', 'silenced', 'silenced')
  const vers = async () => (await ledger(s, incident_id)).map(({ ver }) => ver).reduce((sum, ver) => sum + ver, 0)
  const before = await vers()
  await due()
  await until('both to be put off again', async () => (await vers()) === before + 2)
  t.same([told('/fails'), told('/later')], [1, 0], 'nothing is sent while the silence lasts')
  const byHand = await s.call(s.acme, 'POST', `${path}/escalate`, { user_ids: [s.acme.user_id] })
  t.equal(byHand.statusCode, 202)
  await due()
  await is('delivered', 'delivered', 'delivered', 'delivered', 'silenced', 'silenced')
  t.same([told('/takes'), told('/fails'), told('/later')], [2, 2, 1], 'but a page by hand')

  t.equal((await s.call(s.acme, 'DELETE', `${path}/silence`)).statusCode, 200)
  await is(...Array<string>(6).fill('delivered'))
  t.same([told('/takes'), told('/fails'), told('/later')], [2, 3, 2])
})

t.test('a page that is due is sent before an earlier one to the same method that is due later', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  await paged(s, target.url, 600)
  const { tenant_id, user_id } = s.acme
  await s.systemPool.query(
    `UPDATE notification_preferences SET body = jsonb_set(body, '{rules,high}', jsonb_build_array(body #> '{rules,high,2}' || '{"delay_seconds":0}'))
      WHERE tenant_id = $1 AND user_id = $2`,
    [tenant_id, user_id]
  )
  const steps = [step([user(user_id)]), step([user(user_id, 'high')], { delay_seconds: 1 })]
  await asDefault(s, s.acme, await policy(s, s.acme, { steps }))
  notifier(t, s, { channels: { ...channels, email: { ...email, unsent: 'combine' } } })
  const { incident_id } = await s.incident(s.acme)
  const told = (to: string) => target.received.filter((one) => one.path === to).length
  await until('the second step', () => told('/later') === 1)
  const byHand = await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/escalate`, { user_ids: [user_id] })
  t.equal(byHand.statusCode, 202)
  await until('the page by hand', () => told('/later') === 2)
  const waiting = async () => (await ledger(s, incident_id)).filter(({ state }) => state === 'queued')
  t.match(await waiting(), [{ attempts: 0 }], 'what the first step delays still waits')

  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, {})).statusCode, 200)
  await until('all to have ended', async () => (await isQuiet(s)) && (await waiting()).length === 0)
  const ends = (await ledger(s, incident_id)).filter(({ suppressed_by }) => suppressed_by === 'stale')
  t.match(ends, [{ event: 'down', attempts: 0 }], 'and is not sent after the end')
})

t.test('a page that is put off while its silence ends is due at once', async (t) => {
  const s = await stand(t, { jobs: true })
  await asDefault(s, s.acme, await policy(s, s.acme))
  // Its worker has claimed the page and read the silence, which has ended since.
  worker(t, s)
  const { incident_id } = await s.incident(s.acme)
  await stepped(s, incident_id, 1)
  const look = { lane: LANES.incident, leaseMs: 60_000, room: 9, roomOfWorkspace: 9, resting: [], after: firstCursor, targets: 9 }
  const { claimed } = await claimDeliveries(s.systemPool, look)
  const steps = claimed
    .filter(isPage)
    .map((row) => stepOf(row, { state: 'retrying', error_code: SILENCED, next_at: Date.now() + 1_800_000 }))
  t.equal(steps.length, 1)
  await transaction(s.systemPool, (tx) => saveSteps(tx, localCodec(), 'test', steps))
  const again = await claimDeliveries(s.systemPool, look)
  t.same(
    again.claimed.map(({ delivery_id }) => delivery_id),
    steps.map(({ row }) => row.delivery_id)
  )
})

t.test('the end of an incident takes back the pages that its silence has put off', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  await paged(s, target.url, 600)
  await asDefault(s, s.acme, await policy(s, s.acme))
  notifier(t, s, { channels: { ...channels, email: { ...email, unsent: 'combine' } } })
  const { incident_id } = await s.incident(s.acme)
  const path = `/api/v1/incidents/${incident_id}`
  const waiting = async () => (await ledger(s, incident_id)).filter(({ state }) => state === 'queued' || state === 'retrying')
  await until('one page to wait', async () => (await waiting()).length === 1)
  await s.call(s.acme, 'POST', `${path}/silence`, { duration_minutes: 30 })
  await hurry(s, 'queued')
  await until('it to be put off', async () => (await waiting())[0]?.error_code === 'silenced')
  await s.call(s.acme, 'POST', `${path}/resolve`)
  await until('all to have ended', async () => (await isQuiet(s)) && (await waiting()).length === 0)
  const rows = await ledger(s, incident_id)
  t.match(
    rows
      .filter(({ event }) => event === 'down')
      .map(({ state, suppressed_by }) => suppressed_by ?? state)
      .sort(),
    ['delivered', 'delivered', 'stale']
  )
  t.same(
    rows.filter(({ event }) => event === 'up').map(({ state }) => state),
    ['delivered', 'delivered']
  )
  t.equal(target.received.filter((one) => one.path === '/later').length, 0, 'what told nothing of the failure tells nothing of its end')
})
