/**
 * A secret of each kind is planted in a channel of every kind, and the other side says back all
 * that it was sent, or breaks off. Nowhere is one found: not in a log, an answer, the ledger, or a
 * record on its way to a topic, from which ClickHouse has what it has.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { channels } from '../../../services/channels/kinds/index.ts'
import type { MailSender } from '../../../services/delivery/perform.ts'
import { createLog } from '../../../services/process/log.ts'
import { until } from '../../harness/until.ts'
import { SECRETS_KEY, type Stand, stand } from '../api/stand.ts'
import { channel, deployment, isQuiet, localSenders, notifier } from './channels.ts'

const CHANNELS = '/api/v1/notifications/channels'

/** Parts of secrets that stand nowhere else. */
const planted = {
  'webhook query': 'pl4nted-query-9f1c',
  'webhook secret': 'pl4nted-secret-new-77aa',
  'webhook secret of before': 'pl4nted-secret-old-33bb',
  'webhook header': 'pl4nted-header-51dd',
  'slack address': 'Pl4ntedSlack0Hook0Token1',
  'discord address': 'Pl4ntedDiscord0Hook0Token_abcdefghijklmnopqrstuvwxyz0123456789ABCDEF0123',
  'pagerduty key': 'pl4nted0integration0key0abcdef12',
  'opsgenie key': 'pl4nted-opsgenie-0f0c-4a11-7b114aa0',
  'victorops key': 'pl4nted-victorops-0f0c-4a11-7b11',
  'servicenow password': 'pl4nted-servicenow-pa55word',
  'freshservice key': 'pl4nted0freshservice0key',
  'linear key': 'lin_api_pl4nted0linear0key',
  'jira token': 'pl4nted0jira0token0abcdef',
  'zendesk token': 'pl4nted0zendesk0token',
  'telephony account': 'pl4nted0twilio0credential0abcdef'
} as const

/** What stands with it in one header, where it is not sent by itself. */
const sentAs: Readonly<Record<string, string>> = {
  'telephony account': `AC1:${planted['telephony account']}`,
  'servicenow password': `svc.alerts:${planted['servicenow password']}`,
  'freshservice key': `${planted['freshservice key']}:X`,
  'jira token': `ops@example.test:${planted['jira token']}`,
  'zendesk token': `ops@example.test/token:${planted['zendesk token']}`
}

/** Settings of the kinds that open alerts and tickets. */
const desks = [
  { kind: 'opsgenie', config: { api_key: planted['opsgenie key'] } },
  { kind: 'victorops', config: { api_key: planted['victorops key'], routing_key: 'database' } },
  { kind: 'servicenow', config: { instance: 'acme', username: 'svc.alerts', password: planted['servicenow password'] } },
  { kind: 'freshservice', config: { domain: 'acme', api_key: planted['freshservice key'], requester_email: 'ops@example.test' } },
  { kind: 'linear', config: { api_key: planted['linear key'], team_uuid: '0f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5b' } },
  { kind: 'jira', config: { domain: 'acme', email: 'ops@example.test', api_token: planted['jira token'], project: 'OPS' } },
  { kind: 'zendesk', config: { subdomain: 'acme', email: 'ops@example.test', api_token: planted['zendesk token'] } }
]

/** A text, as it is and as it stands in addresses, headers and JSON. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex')
]

async function echo(t: Parameters<typeof stand>[0]): Promise<{ url: string; asked: () => number; heard: () => string }> {
  let asked = 0
  let heard = ''
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    asked += 1
    const said = JSON.stringify({ url: request.url, headers: request.rawHeaders, body })
    heard += said
    // Every third one is cut off, and the others are refused in different ways.
    if (asked % 3 === 0) return void request.socket.destroy()
    response.writeHead(asked % 2 === 0 ? 400 : 503, { 'content-type': 'application/json', 'retry-after': '1' }).end(said)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked, heard: () => heard }
}

/** Every column of every table that a secret may have reached, and of records as text. */
async function everything(s: Stand): Promise<string> {
  const { rows: tables } = await s.systemPool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND has_table_privilege('service_system', oid, 'SELECT') ORDER BY 1`
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await s.systemPool.query<{ row: string }>(`SELECT to_jsonb(x)::text AS row FROM ${name} x`)
    texts.push(...rows.map(({ row }) => `${name}: ${row}`))
  }
  return texts.join('\n')
}

t.test('no secret of a channel leaves it but for where it belongs', async (t) => {
  const vendor = await echo(t)
  const base_urls = Object.fromEntries(
    ['slack', 'discord', 'pagerduty', 'twilio', ...desks.map(({ kind }) => kind)].map((kind) => [kind, vendor.url])
  )
  const s = await stand(t, {
    jobs: true,
    config: { channelAllowCidrs: ['127.0.0.0/8'], outboundBaseUrls: JSON.stringify(base_urls) }
  })
  const answers: string[] = []
  const call: Stand['call'] = async (...asked) => {
    const answer = await s.call(...asked)
    answers.push(`${asked[1]} ${asked[2]}: ${answer.body}`)
    return answer
  }
  const webhook = {
    url: `${vendor.url}/in?token=${planted['webhook query']}`,
    secret: planted['webhook secret of before'],
    headers: [{ name: 'X-Key', value: planted['webhook header'] }]
  }
  const bodies = [
    { name: 'Hook', kind: 'webhook', is_default: true, config: webhook },
    {
      name: 'Slack',
      kind: 'slack',
      is_default: true,
      config: { webhook_url: `https://hooks.slack.com/services/T00000000/B00000000/${planted['slack address']}` }
    },
    {
      name: 'Discord',
      kind: 'discord',
      is_default: true,
      config: { webhook_url: `https://discord.com/api/webhooks/123456789012345678/${planted['discord address']}` }
    },
    { name: 'Pager', kind: 'pagerduty', is_default: true, config: { integration_key: planted['pagerduty key'] } },
    ...desks.map((desk) => ({ name: desk.kind, is_default: true, ...desk }))
  ]
  const ids: string[] = []
  for (const body of bodies) {
    const made = await call(s.acme, 'POST', CHANNELS, body)
    t.equal(made.statusCode, 201, made.body)
    ids.push(made.json().id)
  }
  await call(s.acme, 'PATCH', `${CHANNELS}/${ids[0]}`, { config: { secret: planted['webhook secret'] } })
  const mail = await channel(s, s.acme, { kind: 'email', config: { recipient: 'ops@example.test' } })
  const kinds = new Set([...bodies.map(({ kind }) => kind), 'email', 'sms', 'voice'])
  for (const kind of ['sms', 'voice']) ids.push(await channel(s, s.acme, { kind, config: { number: '+15550002222' } }))
  t.same(new Set(Object.keys(channels)), kinds, 'a new kind plants its secrets here, too')

  const mails: string[] = []
  const post: MailSender = {
    send: async ({ text, secrets }) => {
      mails.push(...secrets)
      return { status: 451, headers: {}, body: `no room for ${text}` }
    }
  }
  const lines: string[] = []
  const twilio = {
    account_sid: 'AC1',
    credential: `AC1:${planted['telephony account']}`,
    from: '+15550001111',
    messaging_service_sid: null
  }
  notifier(t, s, {
    log: createLog('notifier', 'debug', { write: (line: string) => void lines.push(line) }),
    senders: { ...localSenders(), mail: post },
    deployment: { ...deployment, base_urls, twilio },
    secretsKey: SECRETS_KEY
  })
  const { incident_id } = await s.incident(s.acme)
  const ledger = `/api/v1/notifications/deliveries?incident_id=${incident_id}`
  await until('each was tried', async () => {
    const { items } = (await s.call(s.acme, 'GET', ledger)).json()
    const tried = items.filter(({ attempts }: { attempts: unknown[] }) => attempts.length > 0)
    await s.systemPool.query("UPDATE deliveries SET next_at = now() WHERE state = 'retrying' AND attempts < 4")
    return tried.length === kinds.size && vendor.asked() >= 12 ? true : null
  })
  for (const id of [...ids, mail]) await call(s.acme, 'POST', `${CHANNELS}/${id}/test`, {})
  for (const id of ids) await call(s.acme, 'GET', `${CHANNELS}/${id}`)
  await call(s.acme, 'GET', CHANNELS)
  for (const { id } of (await call(s.acme, 'GET', ledger)).json().items) await call(s.acme, 'GET', `/api/v1/notifications/deliveries/${id}`)
  await s.systemPool.query("UPDATE deliveries SET state = 'failed' WHERE state IN ('queued', 'retrying')")
  await until('nothing is under way', () => isQuiet(s))

  // What signs is not sent itself.
  for (const [what, secret] of Object.entries(planted).filter(([what]) => !what.startsWith('webhook secret')))
    t.ok(
      formsOf(sentAs[what] ?? secret).some((form) => vendor.heard().includes(form)),
      `the other side was sent: ${what}`
    )
  t.match(vendor.heard(), /x-service-signature","t=\d+,v1=[0-9a-f]{64},v1=/, 'both secrets of the webhook sign')
  t.ok(mails.length > 0, 'mails of a channel have a link that acts')
  const places = { 'an answer': answers.join('\n'), 'a log': s.logged() + lines.join('\n'), 'a table': await everything(s) }
  for (const [place, text] of Object.entries(places)) {
    // A log may have nothing to say of all this.
    if (place !== 'a log') t.ok(text.length > 1000, `${place} was looked at`)
    for (const [what, secret] of [
      ...Object.entries(planted),
      ...Object.entries(sentAs),
      ...mails.map((token) => ['a link of a mail', token] as const)
    ])
      for (const form of formsOf(secret)) {
        const at = text.indexOf(form)
        t.equal(at, -1, `${what} is in ${place}: ${text.slice(Math.max(0, at - 200), at)}`)
      }
  }
})
