/**
 * Alertmanager fires: a signed webhook, a mail and a text message arrive, the person answers ACK by
 * text message, and nobody is asked again; everybody who was told of the failure is told of its
 * end. Everything belongs to a private team: an outsider whom the policy names, and a channel of
 * everybody, are told nothing. Debian's Alertmanager, a mail server in Python, and the signatures
 * of Twilio's own library are real.
 */
import { createHmac } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../harness/free-ports.ts'
import type { Mail, MailServer } from '../harness/mail-server.ts'
import { makeWorkspace, type Product, until } from '../harness/product.ts'
import { startAlertmanager, withWaits } from '../harness/programs.ts'
import { ACCOUNT, AUTH_TOKEN, type FakeTwilio, FROM, type Sent, signatureOf } from '../harness/twilio.ts'
import { type Person, person } from './routed.ts'

const SECRET = 'a secret of twenty-four or so'.replaceAll(' ', '-')
const LIMIT_MS = 60_000
const TITLE = 'The shop is down'
const PHONES = { member: '+4915112345678', outsider: '+4915112345679' } as const

/** Settings with which the product reaches the outside world. */
export interface Outside {
  mail: MailServer
  twilio: FakeTwilio
}

interface Received {
  headers: IncomingHttpHeaders
  text: string
  body: { event: string; incident: { id: string; key: string } | null }
}

/** Starts a server that accepts every webhook and remembers it. */
async function receiver(t: Test): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    received.push({ headers: request.headers, text, body: JSON.parse(text) as Received['body'] })
    response.end('taken')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

const hookSignature = ({ headers, text }: Received): string => {
  const seconds = String(headers['x-service-timestamp'])
  return `t=${seconds},v1=${createHmac('sha256', SECRET).update(`${seconds}.${text}`).digest('hex')}`
}

const logsOf = (dataDir: string): string =>
  readdirSync(join(dataDir, 'logs'))
    .map((name) => readFileSync(join(dataDir, 'logs', name), 'utf8'))
    .join('\n')

type Call = <T>(method: string, path: string, body?: unknown, token?: string) => Promise<T>

/**
 * Alertmanager, set up with the file that the integration prints. It fires one alert, and ends it.
 */
async function alertmanager(t: Test, call: Call, team_id: string): Promise<{ post(status: 'firing' | 'resolved'): Promise<void> }> {
  const made = await call<{ instructions: { title: string; text: string }[] }>('POST', 'integrations/inbound', {
    name: 'Prometheus',
    source_type: 'alertmanager',
    team_id
  })
  const printed = made.instructions.find(({ title }) => title === 'alertmanager.yml')?.text ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'service-told-test-'))
  const file = (name: string): string => join(folder, name)
  const config = withWaits(printed, { group_wait: '0s', group_interval: '1s', repeat_interval: '1h' })
  writeFileSync(file('alertmanager.yml'), config, { mode: 0o600 })
  const port = await freePort()
  const running = await startAlertmanager(file('alertmanager.yml'), file('storage'), port, file('log'))
  t.teardown(async () => {
    await running.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })
  const startsAt = new Date().toISOString()
  return {
    async post(status) {
      const labels = { alertname: 'ShopDown', service: 'shop', severity: 'critical' }
      const alert = {
        labels,
        annotations: { summary: TITLE },
        startsAt,
        ...(status === 'resolved' && { endsAt: new Date().toISOString() })
      }
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([alert])
      })
      if (answer.status !== 200) throw new Error(`Alertmanager answered ${answer.status}: ${await answer.text()}`)
    }
  }
}

/**
 * Verifies a number by the code that arrives there; after that the person is asked by mail and by
 * text message.
 */
async function reachable(call: Call, { twilio }: Outside, { token, email }: Person, number: string): Promise<void> {
  const methods = [
    { kind: 'email', address: email },
    { kind: 'sms', address: number }
  ]
  await call('POST', 'notifications/channels/verify', { number }, token)
  const sent = await until('the code', () => twilio.sent.find(({ to }) => to === number) ?? null, LIMIT_MS)
  const code = /\b\d{6}\b/.exec(sent.text)?.[0]
  await call('POST', 'notifications/channels/verify', { number, code }, token)
  type Kept = { contact_methods: { id: string; kind: string; verified_at: string | null }[] }
  const before = await call<Kept>('GET', 'notifications/preferences', undefined, token)
  const first = before.contact_methods.map(({ id }, at) => ({ ...methods[at], id }))
  const kept = await call<Kept>('PUT', 'notifications/preferences', { contact_methods: [...first, methods[1]] }, token)
  const rule = kept.contact_methods.map(({ id }) => ({ method_id: id, delay_seconds: 0 }))
  await call('PUT', 'notifications/preferences', { rules: { default: rule, high: [] } }, token)
}

const to = (mails: readonly Mail[], { email }: Person): Mail[] => mails.filter((mail) => mail.to.includes(email))

export async function told(t: Test, product: Product, outside: Outside): Promise<void> {
  const { mail, twilio } = outside
  const pool = product.pool()
  t.teardown(() => pool.end())
  const workspace = await makeWorkspace(pool, 'told', 'generic')
  const { tenant_id, apiToken } = workspace
  const call: Call = async <T>(method: string, path: string, body?: unknown, token = apiToken) => {
    const answer = await product.api(method, `/api/v1/${path}`, body, token)
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const [member, outsider] = [await person(product, pool, workspace, 'responder'), await person(product, pool, workspace, 'responder')]
  t.teardown(() => Promise.all([...member.sockets, ...outsider.sockets].map((socket) => socket.close())))
  await reachable(call, outside, member, PHONES.member)
  await reachable(call, outside, outsider, PHONES.outsider)
  const codes = twilio.sent.length
  const messages = (number: string): Sent[] => twilio.sent.slice(codes).filter((one) => one.to === number)

  const team = await call<{ id: string }>('POST', 'teams', { name: 'Shop', visibility: 'private' })
  await call('PUT', `teams/${team.id}/members/${member.user_id}`, { role: 'member' })
  const [ours, everybodys] = [await receiver(t), await receiver(t)]
  const hook = { kind: 'webhook', is_default: true }
  await call('POST', 'notifications/channels', { ...hook, name: 'Shop', team_id: team.id, config: { url: ours.url, secret: SECRET } })
  await call('POST', 'notifications/channels', { ...hook, name: 'Everybody', config: { url: everybodys.url, secret: SECRET } })
  const targets = [member, outsider].map(({ user_id }) => ({ type: 'user', id: user_id }))
  const steps = [{ targets }, { targets, delay_seconds: 3600 }]
  const policy = await call<{ id: string }>('POST', 'on-call/escalation-policies', { name: 'Both', steps })
  await call('PATCH', 'workspace', { default_escalation_policy_id: policy.id })
  const sender = await alertmanager(t, call, team.id)

  await sender.post('firing')
  const begun = await until('the webhook of the failure', () => ours.received[0] ?? null, LIMIT_MS)
  const { id = '', key = '' } = begun.body.incident ?? {}
  t.equal(begun.body.event, 'incident.created')
  t.equal(begun.headers['x-service-signature'], hookSignature(begun))
  const page = await until('the text message', () => messages(PHONES.member)[0] ?? null, LIMIT_MS)
  const code = /told CRITICAL: The shop is down .*Reply ACK (\w{4})$/.exec(page.text)?.[1] ?? ''
  t.not(code, '', page.text)
  const byMail = await until('the mail', () => to(mail.mails, member)[0] ?? null, LIMIT_MS)
  t.same(byMail.to, [member.email], 'and to nobody else')
  t.match(byMail, { headers: { Subject: `[CRITICAL] ${TITLE}` }, parts: { 'text/plain': TITLE, 'text/html': TITLE } })

  type Incident = { acknowledged_by: string | null; status: string; escalation: { state: string; step: number | null } }
  const read = () => call<Incident>('GET', `incidents/${id}`)
  await until('the second step to wait', async () => ((await read()).escalation.step === 1 ? true : null), LIMIT_MS)

  /** Calls the service as Twilio does. */
  const callBack = async (url: string, fields: Record<string, string>): Promise<{ status: number; text: string }> => {
    const form = { AccountSid: ACCOUNT, ...fields }
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signatureOf(url, form) },
      body: new URLSearchParams(form)
    })
    return { status: answer.status, text: await answer.text() }
  }
  t.match(await callBack(page.callback ?? '', { MessageSid: page.sid, MessageStatus: 'delivered' }), { status: 204 })
  const answers = `${product.access.base_url}/api/v1/callbacks/twilio/sms`
  const answered = await callBack(answers, { From: PHONES.member, To: FROM, Body: `ack ${code}`, MessageSid: `SM${'9'.repeat(32)}` })
  t.match(answered, { status: 200, text: `<Response><Message>${key} is acknowledged.</Message></Response>` })
  t.match(await read(), { acknowledged_by: `user:${member.user_id}`, status: 'ongoing', escalation: { state: 'paused' } })
  const { rows: left } = await pool.query("SELECT FROM jobs WHERE tenant_id = $1 AND kind = 'escalation_step'", [tenant_id])
  t.equal(left.length, 0, 'nobody is asked after somebody has it')

  await sender.post('resolved')
  const ended = await until(
    'the webhook of the end',
    () => ours.received.find(({ body }) => body.event === 'incident.resolved') ?? null,
    LIMIT_MS
  )
  t.equal(ended.body.incident?.id, id)
  t.equal(ended.headers['x-service-signature'], hookSignature(ended))
  const over = await until('the text message of the end', () => messages(PHONES.member)[1] ?? null, LIMIT_MS)
  t.match(over.text, /told RESOLVED: The shop is down/)
  const [, closing] = await until('the mail of the end', () => (to(mail.mails, member)[1] ? to(mail.mails, member) : null), LIMIT_MS)
  t.match(closing?.headers, { Subject: /^\[RESOLVED\] The shop is down/, 'In-Reply-To': byMail.headers['Message-ID'] })

  type Ledger = { items: { kind: string; event: string; state: string; suppressed_by: string | null; user_id: string | null }[] }
  const isOver = ({ state }: { state: string }): boolean => ['sent', 'delivered', 'suppressed', 'failed', 'expired'].includes(state)
  const entries = await until(
    'all deliveries to end',
    async () => {
      const { items } = await call<Ledger>('GET', `notifications/deliveries?incident_id=${id}`)
      return items.length >= 8 && items.every(isOver) ? items : null
    },
    LIMIT_MS
  )
  const said = entries.filter(({ state }) => state !== 'suppressed').map(({ kind, event, state }) => `${kind} ${event} ${state}`)
  t.same(said.sort(), [
    'email down sent',
    'email up sent',
    'sms down delivered',
    'sms up sent',
    'webhook down delivered',
    'webhook up delivered'
  ])
  const withheld = entries.filter(({ state }) => state === 'suppressed')
  t.ok(withheld.some(({ user_id }) => user_id === outsider.user_id) && withheld.some(({ kind }) => kind === 'webhook'))
  for (const one of withheld) t.equal(one.suppressed_by, 'not_visible', JSON.stringify(one))

  t.same([to(mail.mails, outsider), messages(PHONES.outsider), everybodys.received], [[], [], []], 'the outsider got nothing')
  for (const { frames } of outsider.sockets)
    t.same(
      frames.filter(({ frame }) => frame.channel === 'monitors.status'),
      [],
      'nor a frame'
    )
  for (const reader of outsider.readers) {
    t.equal((await reader<{ total: number }>('incidents')).body.total, 0)
    t.equal((await reader(`incidents/${id}`)).status, 404)
    t.same((await reader<{ items: object[] }>('notifications/feed')).body.items, [])
    t.same((await reader<{ items: object[] }>(`notifications/deliveries?incident_id=${id}`)).body.items ?? [], [])
  }
  for (const secret of [SECRET, AUTH_TOKEN, PHONES.member]) t.notMatch(logsOf(product.dataDir), secret, 'no log has it')
}
