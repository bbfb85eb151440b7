/**
 * Tests that secrets do not leak. A secret of each kind is planted in a channel of every kind, and
 * the other side echoes all that it was sent, or breaks off. No secret may be in a log, an answer,
 * the ledger, or a record on its way to a topic, which is the source of ClickHouse's data.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { channels } from '../../../services/channels/kinds/index.ts'
import type { MailSender } from '../../../services/delivery/perform.ts'
import { createLog } from '../../../services/process/log.ts'
import { until } from '../../harness/until.ts'
import { SECRETS_KEY, type Stand, stand } from '../api/stand.ts'
import { builtKinds, contracts } from '../channels/contract.ts'
import { channel, deployment, isQuiet, localSenders, notifier } from './channels.ts'

const CHANNELS = '/api/v1/notifications/channels'

/** Unique parts of secrets, for kinds with several sorts of secrets. */
const planted = {
  'webhook query': 'pl4nted-query-9f1c',
  'webhook secret': 'pl4nted-secret-new-77aa',
  'webhook secret of before': 'pl4nted-secret-old-33bb',
  'webhook header': 'pl4nted-header-51dd',
  'telephony account': 'pl4nted0twilio0credential0abcdef'
} as const

/** Their settings are made here, or are an address or a number. */
const apart = new Set(['webhook', 'email', 'sms', 'voice'])
/** Signing secrets are not sent themselves. */
const signs = /^webhook secret|^sns secret_key$/

const written = await contracts()
const others = [...written].filter(([kind]) => !apart.has(kind))

/** Returns the last word of an address, which no other address has. */
const lastWord = (secret: string): string =>
  secret.includes('://') ? (secret.split(/[^A-Za-z0-9_.~-]+/).findLast((word) => word) ?? '') : secret

/** Returns the secrets in the settings of the other kinds, by kind and field. */
function plantedIn(kind: string, config: Record<string, unknown>): [what: string, secret: string][] {
  const channel = channels[kind as keyof typeof channels]
  const secrets = channel?.fields.filter(({ name, secret }) => secret && typeof config[name] === 'string') ?? []
  return secrets.map(({ name }) => [`${kind} ${name}`, lastWord(String(config[name]))])
}

/** Returns the forms of a text: as it is, and as in addresses, headers and JSON. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex')
]

interface Echo {
  url: string
  asked: () => number
  heard: () => string
  /** As they came. */
  credentials: Set<string>
}

async function echo(t: Parameters<typeof stand>[0]): Promise<Echo> {
  let asked = 0
  const credentials = new Set<string>()
  let heard = ''
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    asked += 1
    // User and password are sent as one text.
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (basic !== undefined) credentials.add(basic)
    heard += Buffer.from(basic ?? '', 'base64').toString()
    const said = JSON.stringify({ url: request.url, headers: request.rawHeaders, body })
    heard += said
    // Else a bot of Matrix says nothing of itself.
    if (request.url === '/_matrix/client/versions')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"versions":["v1.11"]}')
    // Every third request is cut off; the others are refused in different ways.
    if (asked % 3 === 0) return void request.socket.destroy()
    response.writeHead(asked % 2 === 0 ? 400 : 503, { 'content-type': 'application/json', 'retry-after': '1' }).end(said)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked, heard: () => heard, credentials }
}

/** Returns every column of every table that a secret may have reached, and the records as text. */
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

t.test('no secret of a channel appears in an answer, a log or a table', async (t) => {
  const vendor = await echo(t)
  const base_urls = { ...Object.fromEntries(others.map(([kind, { base = kind }]) => [base, vendor.url])), twilio: vendor.url }
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
    ...others.map(([kind, contract]) => ({ name: kind, kind, is_default: true, config: contract.config(vendor.url) }))
  ]
  const ids: string[] = []
  for (const body of bodies) {
    const made = await call(s.acme, 'POST', CHANNELS, body)
    t.equal(made.statusCode, 201, made.body)
    ids.push(made.json().id)
  }
  await call(s.acme, 'PATCH', `${CHANNELS}/${ids[0]}`, { config: { secret: planted['webhook secret'] } })
  const mail = await channel(s, s.acme, { kind: 'email', config: { recipient: 'ops@example.test' } })
  const secrets = [...Object.entries(planted), ...others.flatMap(([kind, contract]) => plantedIn(kind, contract.config(vendor.url)))]
  const kinds = new Set([...bodies.map(({ kind }) => kind), 'email', 'sms', 'voice'])
  for (const kind of ['sms', 'voice']) ids.push(await channel(s, s.acme, { kind, config: { number: '+15550002222' } }))
  // Push is not a channel; devices.test.ts searches for its tokens.
  t.same(new Set(builtKinds), kinds, 'a new kind plants its secrets here, too')

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
    return tried.length === kinds.size && vendor.asked() >= 2 * kinds.size ? true : null
  })
  for (const id of [...ids, mail]) await call(s.acme, 'POST', `${CHANNELS}/${id}/test`, {})
  for (const id of ids) await call(s.acme, 'GET', `${CHANNELS}/${id}`)
  await call(s.acme, 'GET', CHANNELS)
  for (const { id } of (await call(s.acme, 'GET', ledger)).json().items) await call(s.acme, 'GET', `/api/v1/notifications/deliveries/${id}`)
  await s.systemPool.query("UPDATE deliveries SET state = 'failed' WHERE state IN ('queued', 'retrying')")
  await until('nothing is under way', () => isQuiet(s))

  for (const [what, secret] of secrets.filter(([what]) => !signs.test(what)))
    t.ok(
      formsOf(secret).some((form) => vendor.heard().includes(form)),
      `the other side was sent: ${what}`
    )
  t.match(vendor.heard(), /x-service-signature","t=\d+,v1=[0-9a-f]{64},v1=/, 'both secrets of the webhook sign')
  t.ok(mails.length > 0, 'mails of a channel have a link that acts')
  const places = { 'an answer': answers.join('\n'), 'a log': s.logged() + lines.join('\n'), 'a table': await everything(s) }
  for (const [place, text] of Object.entries(places)) {
    // A log may say nothing about all this.
    if (place !== 'a log') t.ok(text.length > 1000, `${place} was looked at`)
    const links = mails.map((token) => ['a link of a mail', token] as const)
    for (const [what, secret] of [...secrets, ...links, ...[...vendor.credentials].map((one) => ['a user and a password', one] as const)])
      for (const form of formsOf(secret)) {
        const at = text.indexOf(form)
        t.equal(at, -1, `${what} is in ${place}: ${text.slice(Math.max(0, at - 200), at)}`)
      }
  }
})
