/**
 * Tests the whole product, started as `npm start` does it, in short stories: a first alert by the
 * commands of README, a real Alertmanager's notifications, a server and a cron job that are
 * watched, people who are notified and asked, processes and broker killed under load, Kafka away,
 * escalations under faults. The long forms are `npm run chaos -- kill`, `outage`, `escalate` and
 * `alertmanager`. All stories share one start of the product. It needs `npm run build`, which `npm
 * test` does.
 */
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { escalateUnderFaults } from '../chaos/escalate.ts'
import { killUnderLoad } from '../chaos/kill.ts'
import { withoutKafka } from '../chaos/outage.ts'
import { record } from '../chaos/sockets.ts'
import { type MailServer, mailServer } from '../harness/mail-server.ts'
import { type Product, startProduct } from '../harness/product.ts'
import { SHORT_LIVED } from '../harness/short-lived.ts'
import { type FakeTwilio, fakeTwilio, twilioEnvironment } from '../harness/twilio.ts'
import { until } from '../harness/until.ts'
import { type Asked, asked, askedTables } from './asked.ts'
import { officialClient } from './opsgenie.ts'
import { type Routed, routed, routedTable } from './routed.ts'
import { told } from './told.ts'
import { watch } from './watch.ts'

interface Listed {
  id: string
  title: string
  status: string
  version: number
}

// The file takes three and a half minutes; it must not fail on a busy machine.
t.setTimeout(1_500_000)

/** Shorter than the default, so that a notifier can be frozen past its leases. */
const JOB_LEASE_MS = 4000

let product: Product
let mail: MailServer
let twilio: FakeTwilio

t.before(async () => {
  mail = await mailServer(t)
  twilio = await fakeTwilio(t)
  product = await startProduct({
    environment: {
      ...twilioEnvironment(twilio.url),
      SERVICE_SMTP_URL: mail.url,
      PROBER_ALLOW_CIDRS: '127.0.0.0/8',
      SERVICE_CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
      SERVICE_JOB_LEASE_MS: String(JOB_LEASE_MS)
    },
    keepData: true,
    nodeArgs: SHORT_LIVED
  })
})
async function incidents(query: string): Promise<Listed[]> {
  const { status, body } = await product.api('GET', `/api/v1/incidents?per_page=100&sort=number&${query}`)
  if (status !== 200) throw new Error(`GET /incidents answered ${status}`)
  return body.items as Listed[]
}

const shell = promisify(execFile)

t.test('the commands of the README send a first alert that opens an incident', async (t) => {
  const file = join(product.dataDir, 'access.json')
  t.equal(statSync(file).mode & 0o777, 0o600, 'access.json is readable by its owner only')

  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')
  const section = readme.slice(readme.indexOf('## A first alert'))
  const commands = /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? ''
  t.match(commands, /access\.json/)
  const made = await shell('bash', ['-euc', commands.replaceAll('./.data/access.json', file)])
  const integration = JSON.parse(made.stdout) as { id: string; instructions: { title: string; text: string }[] }

  const socket = await record(product.access.base_url, product.access.api_token)
  t.teardown(() => socket.close())
  const attempt = integration.instructions.find(({ title }) => title === 'Try it')?.text ?? ''
  const answered = await shell('bash', ['-euc', attempt])
  t.match(JSON.parse(answered.stdout), { status: 'accepted', processed: 1 })

  const created = await socket.frame('the incident opens', ({ type }) => type === 'incident.created')
  const [incident] = await incidents(`integration_id=${integration.id}`)
  t.match(created, { channel: 'monitors.status', data: { incident_id: incident?.id, status: 'open', severity: 'warning' }, ver: 1 })
  t.match(incident, { title: 'A test alert', status: 'ongoing' })

  const acknowledged = await product.api('POST', `/api/v1/incidents/${incident?.id}/acknowledge`, {})
  t.equal(acknowledged.status, 200)
  await socket.frame('it is acknowledged', ({ type, data }) => type === 'incident.acknowledged' && data.incident_id === incident?.id)
})

t.test('an alert by the API opens an incident, and its recovery resolves it', async (t) => {
  const socket = await record(product.access.base_url, product.access.api_token)
  t.teardown(() => socket.close())
  const send = (body: object) => product.api('POST', '/api/v1/alerts', body)
  const { status, body: sent } = await send({ title: 'Backup is missing', severity: 'critical', dedup_key: 'backup' })
  t.equal(status, 202)
  const of =
    (wanted: string) =>
    ({ type, data }: { type: string; data: Record<string, unknown> }): boolean =>
      type === wanted && data.incident_id === sent.alert_id
  await socket.frame('it opens an incident of the id that was answered', of('incident.created'))
  const { body: alert } = await product.api('GET', `/api/v1/alerts/${sent.alert_id}`)
  t.match(alert, { title: 'Backup is missing', dedup_key: sent.dedup_key, source: { kind: 'inbound', type: 'api' } })
  t.match((await send({ status: 'resolved', dedup_key: 'backup' })).body, { alert_id: sent.alert_id, action: 'resolve' })
  await socket.frame('it recovers', of('incident.resolved'))
})

/**
 * Moves the instants of a notification by `ms`: recorded ones would be too old to count as the
 * sender's time.
 */
function moved(body: unknown, ms: number): string {
  return JSON.stringify(body, (name, value) =>
    (name === 'startsAt' || name === 'endsAt') && !value.startsWith('0001') ? new Date(Date.parse(value) + ms).toISOString() : value
  )
}

t.test('each alert of an Alertmanager that is restarted opens one incident', async (t) => {
  // Posted by Debian's Alertmanager 0.25.0 in `npm run chaos -- alertmanager --record FILE`: five
  // alerts fire, two resolve, three resolve, one fires and resolves once more; in between,
  // Alertmanager was stopped, killed, and killed with its storage lost.
  const recorded = JSON.parse(readFileSync(join(projectRoot, 'test/fixtures/senders/alertmanager.json'), 'utf8')) as {
    alerts: { startsAt: string }[]
  }[]
  const began = Date.parse(recorded[0]?.alerts[0]?.startsAt ?? '')
  const ms = Date.now() - 60_000 - began
  const made = await product.api('POST', '/api/v1/integrations/inbound', { name: 'Prometheus', source_type: 'alertmanager' })
  const integration = String(made.body.id)
  const post = async (body: unknown): Promise<void> => {
    const answer = await fetch(`${product.access.base_url}/api/v1/webhook/alertmanager`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.body.token}`, 'content-type': 'application/json' },
      body: moved(body, ms)
    })
    if (answer.status !== 200) throw new Error(`the door answered ${answer.status}: ${await answer.text()}`)
  }
  const pool = product.pool()
  t.teardown(() => pool.end())
  /** Waits until this many signals of the integration are counted. */
  const counted = (signals: number): Promise<true> =>
    until(`${signals} signals to be counted`, async () => {
      const { rows } = await pool.query<{ signals: number }>(
        'SELECT coalesce(sum(occurrences), 0)::bigint AS signals FROM signals WHERE dedup_key LIKE $1',
        [`int:${integration}:%`]
      )
      return rows[0]?.signals === signals
    })
  const alerts = recorded.reduce((sum, body) => sum + body.alerts.length, 0)

  for (const body of recorded) await post(body)
  await counted(alerts)
  const wanted = ['a', 'b', 'c', 'd', 'e', 'a'].map((disk) => `Disk ${disk} is broken`)
  const found = await incidents(`integration_id=${integration}`)
  t.same(found.map(({ title }) => title).sort(), wanted.sort())
  for (const { id, title } of found) {
    const { body } = await product.api('GET', `/api/v1/incidents/${id}/timeline`)
    // Escalation adds events that depend on how soon the end arrives.
    const types = (body.items as { type: string }[]).map(({ type }) => type).filter((type) => type !== 'escalated')
    t.same(types, ['opened', 'recovered'], `${title}: opened and resolved, nothing else`)
  }

  for (const body of [...recorded].reverse()) await post(body)
  await counted(2 * alerts)
  t.same(await incidents(`integration_id=${integration}`), found, 'all of it again, newest first, changes nothing')
})

t.test("Opsgenie's official client works with the native receiver", (t) => officialClient(t, product))

t.test('the product watches a server and a cron job', (t) => watch(t, product))

t.test('the right people are notified of an incident and of its end', (t) => told(t, product, { mail, twilio }))

let left: Routed | null = null
t.test('alerts are routed and grouped, and people see only what they may', async (t) => {
  left = await routed(t, product)
})

let paged: Asked | null = null
t.test('an escalation pages people until the incident is acknowledged or resolved', async (t) => {
  paged = await asked(t, product)
})

t.test('the checks find no violation when processors, relay and broker are killed under load', async (t) => {
  const { counts, violations } = await killUnderLoad(product, {
    secs: 15,
    rate: 30,
    seed: 7,
    victims: ['processors', 'relay', 'kafka'],
    name: 'killed',
    tell: (line) => t.comment(line)
  })
  t.comment(JSON.stringify(counts))
  t.same(violations, [])
  t.ok(Number(counts.alerts_accepted) > 200, 'there was load')
  t.equal(counts.socket_cuts, 0, 'no socket was cut')
})

t.test('the checks find no violation when Kafka is down for ten seconds', async (t) => {
  const { counts, violations } = await withoutKafka(product, { secs: 10, rate: 5, seed: 7, name: 'away', tell: (line) => t.comment(line) })
  t.comment(JSON.stringify(counts))
  t.same(violations, [])
})

t.test('escalation steps match the reference when processes are killed or frozen', async (t) => {
  const { counts, violations } = await escalateUnderFaults(product, {
    secs: 10,
    rate: 3,
    seed: 7,
    faults: ['notifier', 'frozen before its commit', 'postgres'],
    leaseMs: JOB_LEASE_MS,
    name: 'escalated',
    delay: 1,
    tell: (line) => t.comment(line)
  })
  t.comment(JSON.stringify(counts))
  t.same(violations, [])
  t.ok(Number(counts.steps_reached) > 40, 'there was something to do')
})

// This is a test of its own, because the file would not end while the product runs.
t.test('SIGTERM stops the product with exit code 0', async (t) => {
  t.equal(await product.stop(), 0)
  await mail.close()
  await twilio.close()
})

t.test('the routed alerts and incidents are in the analytics tables', async (t) => {
  if (left) await routedTable(t, product.dataDir, left)
  else t.fail('nothing was routed')
})

t.test('the events and deliveries of the escalation are in the analytics tables', async (t) => {
  if (paged) await askedTables(t, product.dataDir, paged)
  else t.fail('nobody was asked')
})

t.teardown(() => product.forget())
