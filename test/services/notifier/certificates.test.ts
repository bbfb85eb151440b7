/**
 * Tests of certificates that expire soon, on real engines. Each threshold causes one notification,
 * in the feed and by channels, and a renewal closes it.
 */
import t from 'tap'
import { tellCertificates } from '../../../services/notifier/certificates.ts'
import { createLog } from '../../../services/process/log.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { create, MONITORS, setState } from '../api/monitoring.ts'
import { onlineEverywhere } from '../api/probing.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { channel, deployment, notifier } from './channels.ts'
import { receiver } from './receiver.ts'

const DAY = 86_400_000
const codec = localCodec()
const log = createLog('test', 'silent')

const feedOf = async (s: Stand, { tenant_id, user_id }: Workspace): Promise<string[]> =>
  (
    await s.systemPool.query<{ title: string }>(
      "SELECT title FROM feed WHERE tenant_id = $1 AND user_id = $2 AND type = 'ssl_expiry' ORDER BY created_at",
      [tenant_id, user_id]
    )
  ).rows.map(({ title }) => title)

interface Row {
  event: string
  kind: string
  state: string
  suppressed_by: string | null
  suppressed_cause: string | null
  why: Record<string, unknown>
}

/** Returns all deliveries about certificates, in order. */
const deliveriesOf = async (s: Stand, { tenant_id }: Workspace): Promise<Row[]> =>
  (
    await s.systemPool.query<Row>(
      `SELECT d.event, d.kind, d.state, d.suppressed_by, d.suppressed_cause, i.why FROM deliveries d JOIN intents i USING (tenant_id, intent_id)
        WHERE d.tenant_id = $1 AND d.incident_id IS NULL ORDER BY d.seq`,
      [tenant_id]
    )
  ).rows

/** Makes deliveries that were scheduled for a later day due now. */
const come = (s: Stand) => s.systemPool.query("UPDATE deliveries SET next_at = now() WHERE state = 'queued'")

const settled = (s: Stand, who: Workspace, count: number) =>
  until(`${count} deliveries`, async () => {
    await come(s)
    const rows = await deliveriesOf(s, who)
    return rows.length === count && rows.every(({ state }) => !['queued', 'sending', 'retrying'].includes(state)) && rows
  })

t.test('notifications of expiring certificates', async (t) => {
  const s = await stand(t)
  await onlineEverywhere(s)
  const hook = await receiver(t)
  notifier(t, s)
  const home = await s.workspace('certificates')
  await channel(s, home, { config: { url: hook.url }, events: ['down', 'up', 'ssl_expiry'] })
  const { id } = await create(s, home, { name: 'shop', target: 'https://shop.example.com/health', tags: ['web'] })
  let not_after = Date.now() + 6 * DAY
  const sees = () => setState(s, home, id, { certificate_not_after: not_after, certificate_issuer: 'CN=Test', certificate_chain_ok: true })
  const sweep = (now?: number) => tellCertificates(s.systemPool, codec, log, now)

  await t.test('a certificate with 6 days left is notified once, for the smallest threshold passed', async (t) => {
    await sees()
    t.equal(await sweep(), 1)
    t.equal(await sweep(), 0)
    t.match(await settled(s, home, 1), [
      { event: 'ssl_expiry', state: 'delivered', why: { by: 'default_channel', monitor_id: id, threshold_days: 7 } }
    ])
    t.same(await feedOf(s, home), ['The certificate of shop expires in 5 days'])
    const [first, ...others] = hook.received
    t.same(others, [])
    const body = JSON.parse(first?.body ?? '{}')
    t.equal(first?.headers['x-service-event'], 'monitor.ssl_expiry')
    t.match(body, {
      event: 'monitor.ssl_expiry',
      monitor_id: id,
      monitor: { id, name: 'shop', type: 'http', target: 'https://shop.example.com/health', tags: ['web'] },
      status: 'up',
      severity: 'warning',
      incident: null,
      certificate: {
        host: 'shop.example.com',
        issuer: 'CN=Test',
        not_after: new Date(not_after).toISOString(),
        days_left: 5,
        threshold_days: 7
      }
    })
    t.notOk('heartbeat_id' in body)
  })

  await t.test('two concurrent sweeps notify once', async (t) => {
    await s.systemPool.query('DELETE FROM certificate_tellings')
    await Promise.all([sweep(), sweep()])
    t.equal((await settled(s, home, 1)).length, 1)
    t.equal((await feedOf(s, home)).length, 1)
  })

  await t.test('the list of certificates shows the notified threshold', async (t) => {
    const answer = await s.call(home, 'GET', '/api/v1/certificates')
    t.match(answer.json(), { total: 1, items: [{ monitor_id: id, days_left: 5, told: { threshold_days: 7 } }] })
  })

  await t.test('the next threshold and the expiry are notified once each', async (t) => {
    const later = Date.now() + 3.5 * DAY
    t.equal(await sweep(later), 1)
    t.equal(await sweep(later), 0)
    t.equal(await sweep(not_after + 1), 1)
    t.equal(await sweep(not_after + 2 * DAY), 0)
    t.same(
      (await settled(s, home, 3)).map(({ why }) => why.threshold_days),
      [7, 3, 0]
    )
    t.match(
      hook.received.map(({ body }) => JSON.parse(body).certificate?.threshold_days),
      [7, 3, 0]
    )
    t.equal(new Set(hook.received.map(({ headers }) => headers['x-service-event-id'])).size, 3)
    t.equal((await feedOf(s, home)).at(-1), 'The certificate of shop has expired')
  })

  await t.test('a renewed certificate is closed, and its later expiry is notified again', async (t) => {
    const quiet = hook.received.length
    not_after = Date.now() + 90 * DAY
    await sees()
    t.equal(await sweep(), 1)
    t.equal(await sweep(), 0)
    t.match((await settled(s, home, 4)).at(-1), {
      event: 'up',
      state: 'suppressed',
      suppressed_by: 'preference',
      suppressed_cause: 'no_event',
      why: { by: 'told_before' }
    })
    t.equal(hook.received.length, quiet, 'webhooks have no event for it')
    t.ok((await feedOf(s, home)).includes('The certificate of shop is renewed'))
    t.equal((await s.systemPool.query('SELECT FROM certificate_tellings')).rowCount, 0)
    t.match((await s.call(home, 'GET', '/api/v1/certificates')).json(), { items: [{ told: null }] })
    t.equal(await sweep(not_after - 6 * DAY), 1)
    t.match((await settled(s, home, 5)).at(-1), { event: 'ssl_expiry', why: { threshold_days: 7 } })
  })

  await t.test('a monitor without TLS closes its certificate, and a new one is notified again', async (t) => {
    await setState(s, home, id, { certificate_not_after: null })
    t.equal(await sweep(not_after + 1), 1)
    t.equal(await sweep(not_after + 1), 0)
    t.equal((await settled(s, home, 6)).at(-1)?.event, 'up')
    t.equal((await s.systemPool.query('SELECT FROM certificate_tellings')).rowCount, 0)
    // Another certificate: each threshold is notified once for each certificate.
    not_after += DAY
    await sees()
    t.equal(await sweep(not_after - 6 * DAY), 1)
    t.equal((await settled(s, home, 7)).at(-1)?.event, 'ssl_expiry')
  })

  await t.test('a deleted monitor closes its certificate once, and nothing more is sent', async (t) => {
    t.equal((await s.call(home, 'DELETE', `${MONITORS}/${id}`)).statusCode, 204)
    t.equal(await sweep(), 1)
    t.equal(await sweep(), 0)
    t.equal((await s.systemPool.query('SELECT FROM certificate_tellings')).rowCount, 0)
    t.equal((await settled(s, home, 8)).at(-1)?.event, 'up')
  })
})

async function pager(s: Stand, home: Workspace): Promise<void> {
  const config = { integration_key: 'a'.repeat(32) }
  const channel = { name: 'pager', kind: 'pagerduty', config, events: ['ssl_expiry'], is_default: true }
  const made = await s.call(home, 'POST', '/api/v1/notifications/channels', channel)
  if (made.statusCode !== 201) throw new Error(made.body)
}

t.test('an alert at a paging service is resolved when the certificate is renewed', async (t) => {
  const s = await stand(t)
  await onlineEverywhere(s)
  const vendor = await receiver(t)
  vendor.answers.set('/v2/enqueue', (response) => response.writeHead(202).end('{"status":"success"}'))
  notifier(t, s, { deployment: { ...deployment, base_urls: { pagerduty: vendor.url } } })
  const home = await s.workspace('paging')
  await pager(s, home)
  const { id } = await create(s, home, { name: 'shop', target: 'https://shop.example.com/' })
  await setState(s, home, id, { certificate_not_after: Date.now() + 6 * DAY })
  await tellCertificates(s.systemPool, codec, log)
  await settled(s, home, 1)
  await setState(s, home, id, { certificate_not_after: Date.now() + 90 * DAY })
  await tellCertificates(s.systemPool, codec, log)
  await settled(s, home, 2)
  const key = `svc-ssl-${id}`
  t.match(
    vendor.received.map(({ body }) => JSON.parse(body)),
    [
      {
        event_action: 'trigger',
        dedup_key: key,
        payload: { severity: 'warning', summary: /Certificate of shop\.example\.com expires in 5 days/ }
      },
      { event_action: 'resolve', dedup_key: key }
    ]
  )
})

t.test('a warning that still waits when the certificate is renewed is not sent, and the end waits for one on its way', async (t) => {
  const s = await stand(t)
  await onlineEverywhere(s)
  const vendor = await receiver(t)
  const held: (() => void)[] = []
  vendor.answers.set('/v2/enqueue', (response, { body }) => {
    const answer = (status: number) => void response.writeHead(status, { 'retry-after': '3000' }).end('{"status":"success"}')
    if (JSON.parse(body).event_action === 'resolve') return answer(202)
    held.push(() => answer(503))
  })
  const { deliverer } = notifier(t, s, { deployment: { ...deployment, base_urls: { pagerduty: vendor.url } } })
  const home = await s.workspace('late')
  await pager(s, home)
  const { id } = await create(s, home, { name: 'shop', target: 'https://shop.example.com/' })
  await setState(s, home, id, { certificate_not_after: Date.now() + 6 * DAY })
  await tellCertificates(s.systemPool, codec, log)
  await until('the warning', () => held.length === 1)
  await setState(s, home, id, { certificate_not_after: Date.now() + 90 * DAY })
  t.equal(await tellCertificates(s.systemPool, codec, log), 0)
  t.match(await deliveriesOf(s, home), [{ event: 'ssl_expiry', state: 'sending' }])

  held[0]?.()
  await until('its outcome', async () => (await deliveriesOf(s, home))[0]?.state === 'retrying')
  t.equal(await tellCertificates(s.systemPool, codec, log), 1)
  deliverer.wake()
  t.match(await settled(s, home, 2), [
    { event: 'ssl_expiry', state: 'suppressed', suppressed_by: 'stale' },
    { event: 'up', state: 'sent' }
  ])
  t.same(
    vendor.received.map(({ body }) => JSON.parse(body).event_action),
    ['trigger', 'resolve']
  )
  const { rows } = await s.systemPool.query("SELECT 1 FROM outbox WHERE topic = 'notification.deliveries.v1'")
  t.equal(rows.length, 5, 'each step is on the log')
})
