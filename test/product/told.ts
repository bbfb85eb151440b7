/**
 * An alert opens an incident: a signed webhook and the mail of the person on the policy arrive,
 * somebody acknowledges and nobody is asked again, the end is told to whoever heard of the
 * beginning. A channel that may not see a private team's incident hears nothing of it.
 */
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { makeWorkspace, type Product, until } from '../harness/product.ts'

const SECRET = 'a secret of twenty-four or so'.replaceAll(' ', '-')
const LIMIT_MS = 60_000

interface Received {
  headers: IncomingHttpHeaders
  text: string
  body: { event: string; incident: { id: string } | null }
}

/** A server that takes every webhook and remembers it. */
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

const signatureOf = ({ headers, text }: Received): string => {
  const seconds = String(headers['x-service-timestamp'])
  return `t=${seconds},v1=${createHmac('sha256', SECRET).update(`${seconds}.${text}`).digest('hex')}`
}

const logsOf = (dataDir: string): string =>
  readdirSync(join(dataDir, 'logs'))
    .map((name) => readFileSync(join(dataDir, 'logs', name), 'utf8'))
    .join('\n')

export async function told(t: Test, product: Product): Promise<void> {
  const pool = product.pool()
  t.teardown(() => pool.end())
  const workspace = await makeWorkspace(pool, 'told', 'generic')
  const { tenant_id, door, apiToken, integration_id } = workspace
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await product.api(method, `/api/v1/${path}`, body, apiToken)
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const send = async (alert: object): Promise<void> => {
    const answer = await fetch(`${product.access.base_url}/api/v1/webhooks/incoming/${door}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alert)
    })
    if (answer.status !== 200) throw new Error(`the door answered ${answer.status}`)
  }
  const { rows: owners } = await pool.query<{ user_id: string }>('SELECT user_id FROM members WHERE tenant_id = $1', [tenant_id])
  const owner = owners[0]?.user_id ?? ''
  const hook = await receiver(t)
  const config = { url: hook.url, secret: SECRET }
  await call('POST', 'notifications/channels', { name: 'Hook', kind: 'webhook', is_default: true, config })
  const targets = [{ type: 'user', id: owner }]
  const steps = [{ targets }, { targets, delay_seconds: 3600 }]
  const policy = await call<{ id: string }>('POST', 'on-call/escalation-policies', { name: 'Owner', steps })
  await call('PATCH', 'workspace', { default_escalation_policy_id: policy.id })

  await send({ title: 'The shop is down', severity: 'critical', dedup_key: 'shop' })
  const [begun] = await until('the webhook of the failure', () => (hook.received.length > 0 ? hook.received : null), LIMIT_MS)
  if (!begun) throw new Error('nothing was received')
  const id = begun.body.incident?.id ?? ''
  t.equal(begun.body.event, 'incident.created')
  t.equal(begun.headers['x-service-signature'], signatureOf(begun))
  const mails = () =>
    pool.query<{ recipient: string; subject: string }>('SELECT recipient, subject FROM mailbox WHERE tenant_id = $1', [tenant_id])
  await until('the page by mail', async () => ((await mails()).rows.length > 0 ? true : null), LIMIT_MS)
  t.match((await mails()).rows, [{ recipient: 'told@example.test', subject: /The shop is down/ }])

  type Escalation = { escalation: { state: string; step: number | null } }
  await until(
    'the second step to wait',
    async () => ((await call<Escalation>('GET', `incidents/${id}`)).escalation.step === 1 ? true : null),
    LIMIT_MS
  )
  await call('POST', `incidents/${id}/acknowledge`, {})
  t.match(await call('GET', `incidents/${id}`), { escalation: { state: 'paused' } })
  const { rows: left } = await pool.query("SELECT FROM jobs WHERE tenant_id = $1 AND kind = 'escalation_step'", [tenant_id])
  t.equal(left.length, 0, 'nobody is asked after somebody has it')

  await send({ title: 'The shop is down', status: 'resolved', dedup_key: 'shop' })
  const ended = await until(
    'the webhook of the end',
    () => hook.received.find(({ body }) => body.event === 'incident.resolved') ?? null,
    LIMIT_MS
  )
  t.equal(ended.body.incident?.id, id)
  t.equal(ended.headers['x-service-signature'], signatureOf(ended))

  type Ledger = { items: { kind: string; event: string; state: string; suppressed_by: string | null }[] }
  const ledger = async (incident: string) => (await call<Ledger>('GET', `notifications/deliveries?incident_id=${incident}`)).items
  const isOver = ({ state }: { state: string }): boolean => ['sent', 'delivered', 'suppressed', 'failed', 'expired'].includes(state)
  const entries = await until(
    'all deliveries to end',
    async () => {
      const items = await ledger(id)
      return items.length >= 4 && items.every(isOver) ? items : null
    },
    LIMIT_MS
  )
  const said = entries.map(({ kind, event, state }) => `${kind} ${event} ${state}`).sort()
  t.same(said, ['email down sent', 'email up sent', 'webhook down delivered', 'webhook up delivered'])

  const team = await call<{ id: string }>('POST', 'teams', { name: 'Quiet', visibility: 'private' })
  await call('PATCH', `integrations/inbound/${integration_id}`, { team_id: team.id })
  const before = hook.received.length
  await send({ title: 'A secret is out', severity: 'critical', dedup_key: 'secret' })
  const hidden = await until(
    'the private incident',
    async () => (await call<{ items: { id: string }[] }>('GET', `incidents?team_id=${team.id}`)).items[0] ?? null,
    LIMIT_MS
  )
  const [refused] = await until(
    'its channel to be passed over',
    async () => {
      const items = (await ledger(hidden.id)).filter(({ kind }) => kind === 'webhook')
      return items.length > 0 && items.every(isOver) ? items : null
    },
    LIMIT_MS
  )
  t.match(refused, { state: 'suppressed', suppressed_by: 'not_visible' })
  t.equal(hook.received.length, before, 'and nothing was sent to it')
  t.notMatch(logsOf(product.dataDir), new RegExp(SECRET), 'no log has the secret')
}
