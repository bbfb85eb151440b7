/**
 * npm run chaos -- deliver: incidents open, are acknowledged and end. Channels are told by webhook,
 * on a server that accepts, refuses, fails, is overloaded, resets connections and stays silent;
 * people are told by mail. Notifiers are killed at each crash point of the engine and at random,
 * and so are Postgres and the broker. Acceptance: every intent ends once; a delivery is repeated
 * only when nobody knew that it had arrived; nobody is told of a failure after its end; everybody
 * who was told of it is told of its end.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeWorkspace, type Product, type TestWorkspace } from '../harness/product.ts'
import { checkDeliveries, type Receipt } from './check-deliveries.ts'
import type { Verdicts } from './checks.ts'
import { behaviourOf, type DeliveringOptions, endAll, faultOnce, livedUnderFaults, quiet, ranOn, spanIn } from './delivering.ts'
import { startNotifier } from './notifiers.ts'

const CHANNELS = 3
/** Starts a webhook server that remembers everything it gets. */
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
    // The server has accepted it, and the sender does not learn so.
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
    // A request that its killed sender did not finish does not count as received.
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

/** Makes a workspace whose default channels and owner are told of everything. */
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

async function deliverUnderFaults(product: Product, options: DeliveringOptions): Promise<Verdicts> {
  const { name, tell } = options
  const receiver = await receive()
  const workspace = await makeTold(product, name, receiver.url)
  const second = await startNotifier(product, 'second')
  try {
    const lived = await livedUnderFaults(product, workspace, options, (fault) => faultOnce(product, fault, second, tell, {}))
    await endAll(product, workspace)
    await quiet(product, workspace)
    const checked = await checkDeliveries(product, [workspace.tenant_id], receiver.receipts)
    return { counts: { ...lived.counts, ...checked.counts }, violations: [...lived.undone, ...checked.violations] }
  } finally {
    await second.stop()
    receiver.close()
  }
}

/** Resolves with whether every check held. */
export const run = (args: string[]): Promise<boolean> => ranOn('deliver', `${CHANNELS} channels`, {}, spanIn(args, 4), deliverUnderFaults)
