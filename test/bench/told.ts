/** Workspaces with channels and waiting deliveries, shared by the notifier's benchmarks. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Codec } from '../../schemas/codec.ts'
import { uuidv5, uuidv7 } from '../../schemas/uuid.ts'
import { save } from '../../services/store/incidents.ts'
import { saveIntents } from '../../services/store/intents.ts'
import { type Pool, transaction } from '../../services/store/pool.ts'
import type { Intent } from '../../streams/define.ts'
import { makeWorkspace } from '../harness/product.ts'
import { record } from '../harness/records.ts'

export const SECRETS_KEY = '0123456789abcdef'.repeat(4)

/** Settings of a benchmark's notifier, besides its addresses. */
export const notifierSettings = {
  SERVICE_SECRETS_KEY: SECRETS_KEY,
  SERVICE_CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
  SERVICE_LOG_LEVEL: 'info'
} as const

export interface Hearing {
  url: string
  /** The handler receives every request, with its time in performance.now(). */
  onHeard(handler: (path: string, body: string, at: number) => void): void
  /** Paths at which the server accepts a request and never answers. */
  silent: Set<string>
  close(): void
}

/** Starts a server that answers 204 to every request. */
export async function hear(): Promise<Hearing> {
  const silent = new Set<string>()
  let told: (path: string, body: string, at: number) => void = () => undefined
  const server = createServer((request: IncomingMessage, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      const path = request.url ?? ''
      if (silent.has(path)) return
      response.writeHead(204).end()
      told(path, body, performance.now())
    })
    request.on('error', () => undefined)
    response.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onHeard(handler) {
      told = handler
    },
    silent,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}

export interface Told {
  tenant_id: string
  /** Ids of its channels. */
  channels: string[]
}

/**
 * Makes a workspace with `count` webhook channels to `url/<name>/<nth>`. No rule and no default
 * uses them.
 */
export async function told(pool: Pool, name: string, url: string, count: number): Promise<Told> {
  const { tenant_id } = await makeWorkspace(pool, name, 'generic')
  const channels = Array.from({ length: count }, () => uuidv7())
  for (const [nth, channel_id] of channels.entries())
    await pool.query(
      `INSERT INTO notification_channels (tenant_id, channel_id, name, kind, config, events, is_default, created_by, verified_at)
       VALUES ($1, $2, 'hook', 'webhook', $3, '{down,up}', false, 'user:x', now())`,
      [tenant_id, channel_id, JSON.stringify({ url: `${url}/${name}/${nth}` })]
    )
  return { tenant_id, channels }
}

const AT_ONCE = 500
const HOUR_MS = 3_600_000
let numbers = 0

/** Makes `count` incidents, each with an intent for one of the channels in turn, due in an hour. */
export async function queueDeliveries(pool: Pool, { tenant_id, channels }: Told, count: number, codec: Codec): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const now = Date.now()
    const incidents = Array.from({ length: Math.min(AT_ONCE, count - from) }, () => {
      numbers += 1
      return record('Incident', {
        tenant_id,
        incident_id: uuidv7(),
        number: numbers,
        dedup_key: `man:${numbers}`,
        title: `Disk full on db-${numbers}`,
        severity: 'critical',
        status: 'ongoing',
        started_at: now,
        updated_at: now,
        team_id: null,
        visibility: 'org',
        ver: 1
      })
    })
    const intents = incidents.map(({ incident_id }, nth): Intent => {
      const channel_id = channels[(from + nth) % channels.length] ?? ''
      return {
        tenant_id,
        intent_id: uuidv5(incident_id, `down:${channel_id}`),
        incident_id,
        incident_ver: 1,
        event: 'down',
        escalation: null,
        target: { channel_id },
        method_id: null,
        method_kind: 'webhook',
        urgency: 'default',
        why: { by: 'default_channel' },
        suppressed_by: null,
        suppressed_cause: null,
        team_id: null,
        visibility: 'org',
        at: now,
        due_at: now + HOUR_MS,
        expires_at: now + 86_400_000
      }
    })
    await transaction(pool, async (tx) => {
      await save(tx, {
        signals: [],
        incidents: incidents.map((incident) => ({ incident, seen: 0 })),
        events: [],
        counters: [],
        alerts: [],
        alertEvents: [],
        holds: []
      })
      await saveIntents(tx, intents, codec)
    })
  }
}

/** Makes all open deliveries of these workspaces due now. */
export const due = (pool: Pool, workspaces: readonly Told[]): Promise<unknown> =>
  pool.query('UPDATE deliveries SET next_at = now() WHERE open AND tenant_id = ANY ($1::uuid[])', [
    workspaces.map(({ tenant_id }) => tenant_id)
  ])

/** Makes the waiting deliveries of these workspaces due in an hour again. */
export const notYet = (pool: Pool, workspaces: readonly Told[]): Promise<unknown> =>
  pool.query(
    "UPDATE deliveries SET next_at = now() + interval '1 hour' WHERE open AND state <> 'sending' AND tenant_id = ANY ($1::uuid[])",
    [workspaces.map(({ tenant_id }) => tenant_id)]
  )
