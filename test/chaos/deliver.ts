/**
 * npm run chaos -- deliver: incidents open, are acknowledged and end; channels hear of it by
 * webhook on a server that takes, refuses, fails, is overloaded, resets and stays silent, and
 * people by mail; notifiers are killed at each crash point of the engine and at random, and so are
 * Postgres and the broker. Acceptance: every intent ends once; nothing is repeated but what nobody
 * knew of; nobody hears of a failure behind its end; who heard of it hears of its end.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { type CrashPointName, crashPoints } from '../../streams/runtime/crash-point.ts'
import { makeWorkspace, type Product, startProduct, type TestWorkspace } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { checkDeliveries, type Receipt } from './check-deliveries.ts'
import { report, type Verdicts } from './checks.ts'
import { liveFates } from './fates.ts'
import { kill, restarted, running, type Victim } from './faults.ts'
import { type Notifier, startNotifier } from './notifiers.ts'
import { seeded } from './senders.ts'

export const enginePoints = crashPoints.filter((name) => name.startsWith('deliver.'))
export type Fault = CrashPointName | 'notifier' | 'second notifier' | 'postgres' | 'kafka'
export const faults: readonly Fault[] = [...enginePoints, 'notifier', 'second notifier', 'postgres', 'kafka']

export interface DeliverOptions {
  /** How long incidents are opened and acted on. */
  secs: number
  /** Incidents a second, in the first part of the time. */
  rate: number
  seed: number
  faults: readonly Fault[]
  /** Name of the run's workspace; unique in the product. */
  name: string
  tell(line: string): void
}

const CHANNELS = 3
/** Leases of deliveries last a minute, and a second attempt waits. */
const QUIET_MS = 240_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** What becomes of a delivery's attempts, by chance and by its key alone. */
export function behaviourOf(key: string): 'takes' | 'slow' | 'fails' | 'overloaded' | 'resets' | 'silent' | 'refuses' {
  const die = createHash('sha256').update(key).digest()[0] ?? 0
  if (die < 110) return 'takes'
  if (die < 140) return 'slow'
  if (die < 175) return 'fails'
  if (die < 200) return 'overloaded'
  if (die < 225) return 'resets'
  return die < 235 ? 'silent' : 'refuses'
}

/** A server of webhooks that remembers everything. */
async function receive(): Promise<{ url: string; receipts: Receipt[]; close(): void }> {
  const receipts: Receipt[] = []
  const counts = new Map<string, number>()
  const answer = (key: string, response: ServerResponse): Receipt['answer'] => {
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    const behaviour = behaviourOf(key)
    if (behaviour === 'refuses') {
      response.writeHead(400).end('no')
      return 'refused'
    }
    if (behaviour === 'slow') {
      setTimeout(() => response.writeHead(204).end(), 300)
      return 'took'
    }
    if (nth > 0 || behaviour === 'takes') {
      response.writeHead(204).end()
      return 'took'
    }
    if (behaviour === 'fails') response.writeHead(500).end()
    if (behaviour === 'overloaded') response.writeHead(429, { 'retry-after': '1' }).end()
    if (behaviour === 'fails' || behaviour === 'overloaded') return 'later'
    // It has taken it, and nobody hears so.
    if (behaviour === 'resets') response.destroy()
    return 'silence'
  }
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const piece of request) body += String(piece)
    const key = String(request.headers['x-service-delivery'])
    const { incident } = JSON.parse(body) as { incident: { id: string } }
    const event = String(request.headers['x-service-event'])
    receipts.push({ key, event, incident_id: incident.id, path: request.url ?? '', body, answer: answer(key, response) })
  }
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    // A request that its killed sender did not finish was not heard.
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receipts,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** A workspace whose default channels and owner hear of everything. */
async function makeTold(product: Product, name: string, url: string): Promise<TestWorkspace> {
  const pool = product.pool()
  try {
    const workspace = await makeWorkspace(pool, name, 'generic')
    const call = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
      const answer = await product.api(method, `/api/v1/${path}`, body, workspace.apiToken)
      if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    for (let nth = 0; nth < CHANNELS; nth++)
      await call('POST', 'notifications/channels', {
        name: `Hook ${nth}`,
        kind: 'webhook',
        is_default: true,
        events: ['down', 'up', 'acknowledged'],
        config: { url: `${url}/${nth}` }
      })
    const { rows } = await pool.query<{ user_id: string }>('SELECT user_id FROM members WHERE tenant_id = $1', [workspace.tenant_id])
    const targets = [{ type: 'user', id: rows[0]?.user_id }]
    const policy = await call('POST', 'on-call/escalation-policies', { name: 'Owner', steps: [{ targets }, { targets, delay_seconds: 3 }] })
    await call('PATCH', 'workspace', { default_escalation_policy_id: policy.id, storm_threshold: 1000 })
    return workspace
  } finally {
    await pool.end()
  }
}

/** `environment`: what notifiers beside the product's own are told, too. */
export async function faultOnce(
  product: Product,
  fault: Fault,
  second: Notifier,
  tell: (line: string) => void,
  environment: NodeJS.ProcessEnv = {}
): Promise<void> {
  const from = Date.now()
  if (fault === 'second notifier') {
    await second.kill()
    return tell(`killed the second notifier; another is there after ${Date.now() - from} ms`)
  }
  const point = enginePoints.find((name) => name === fault)
  if (point) {
    const doomed = await startNotifier(product, point, { ...environment, FAIL_AT: point })
    // Where there is nothing to do it outlives the run.
    await until(`a notifier to die at ${point}`, () => doomed.hasEnded())
    return tell(`a notifier died at ${point}`)
  }
  const victim = fault as Victim
  const dead = await kill(product, victim)
  tell(`killed ${victim} (${dead}), a new one was there after ${await restarted(product, victim, dead)} ms`)
}

/** Who is to die at a point of the engine comes first, while there is much to send. */
export const orderOf = (faults: readonly Fault[], random: () => number): Fault[] =>
  faults
    .map((fault) => ({ fault, at: random() + (enginePoints.some((one) => one === fault) ? 0 : 1) }))
    .sort((one, other) => one.at - other.at)
    .map(({ fault }) => fault)

/** Ends what is ongoing, so that everybody who heard of it hears of its end. */
export async function endAll(product: Product, { apiToken }: TestWorkspace): Promise<void> {
  for (let left = 1; left > 0; ) {
    const list = await product.api('GET', '/api/v1/incidents?status=ongoing&per_page=100', undefined, apiToken)
    const items = (list.body.items ?? []) as { id: string }[]
    left = items.length
    for (const { id } of items) await product.api('POST', `/api/v1/incidents/${id}/resolve`, {}, apiToken)
  }
}

/** Resolves when nobody of the workspace is still to be told of anything. */
export async function quiet(product: Product, { tenant_id }: TestWorkspace): Promise<void> {
  const pool = product.pool()
  const left = async (): Promise<number> => {
    const { rows } = await pool.query<{ left: number }>(
      `SELECT (SELECT count(*) FROM jobs WHERE tenant_id = $1 AND kind = 'incident_notify') + (SELECT count(*) FROM deliveries WHERE tenant_id = $1 AND open)
            + (SELECT count(*) FROM outbox) AS left`,
      [tenant_id]
    )
    return rows[0]?.left ?? 1
  }
  try {
    await until('every delivery to end', async () => (await left()) === 0, QUIET_MS)
  } finally {
    await pool.end()
  }
}

/** Everything that was killed is there again, and the api answers. */
export async function allBack(product: Product, { apiToken }: TestWorkspace): Promise<void> {
  for (const victim of ['postgres', 'kafka', 'notifier', 'api'] as const) await running(product, victim)
  await until('the api to answer', async () => (await product.api('GET', '/api/v1/incidents', undefined, apiToken)).status === 200)
}

export async function deliverUnderFaults(product: Product, options: DeliverOptions): Promise<Verdicts> {
  const { secs, rate, seed, name, tell } = options
  const random = seeded(seed)
  const order = orderOf(options.faults, random)
  const receiver = await receive()
  const workspace = await makeTold(product, name, receiver.url)
  const second = await startNotifier(product, 'second')
  try {
    const began = Date.now()
    const living = liveFates({
      product,
      workspaces: [workspace],
      severities: ['critical', 'warning'],
      random,
      rate,
      openingMs: secs * 700,
      thinkMs: [100, secs * 200],
      giveUpAt: began + secs * 1000 + 60_000
    })
    living.catch(() => undefined) // It is waited for below.
    const every = (secs * 900) / Math.max(order.length, 1)
    for (const [nth, fault] of order.entries()) {
      await sleep(Math.max(began + secs * 50 + nth * every - Date.now(), 0))
      await faultOnce(product, fault, second, tell)
    }
    const { opened, acts, undone } = await living
    await allBack(product, workspace)
    await endAll(product, workspace)
    await quiet(product, workspace)
    const checked = await checkDeliveries(product, [workspace.tenant_id], receiver.receipts)
    return {
      counts: { seed, faults: order.join(', '), opened, acts, ...checked.counts },
      violations: [...undone.map((what) => `not done: ${what}`), ...checked.violations]
    }
  } finally {
    await second.stop()
    receiver.close()
  }
}

/** Resolves with whether all held. */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { secs: { type: 'string', default: '60' }, rate: { type: 'string', default: '4' }, seed: { type: 'string', default: '1' } }
  })
  const [secs, rate, seed] = [Number(values.secs), Number(values.rate), Number(values.seed)]
  console.log(
    `deliver: ${rate} incidents/s for ${secs * 0.7} s of ${secs} s, ${CHANNELS} channels, seed ${seed}; ${faults.join(', ')} in turn`
  )
  const product = await startProduct({ environment: { SERVICE_CHANNEL_ALLOW_CIDRS: '127.0.0.0/8', SERVICE_JOB_LEASE_MS: '5000' } })
  try {
    const verdicts = await deliverUnderFaults(product, { secs, rate, seed, faults, name: 'deliver', tell: console.log })
    const good = report(verdicts)
    console.log(good ? 'deliver: every invariant held' : `deliver: ${verdicts.violations.length} violations`)
    return good
  } finally {
    await product.stop()
  }
}
