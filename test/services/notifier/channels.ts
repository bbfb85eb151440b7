/** Channels and a notifier for a test, with only what the two need. */
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Deployment } from '../../../services/channels/channel.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { createHttpSender } from '../../../services/delivery/http.ts'
import type { Senders } from '../../../services/delivery/perform.ts'
import { createAddressGuard } from '../../../services/http/address-guard.ts'
import { createResolver } from '../../../services/http/resolve.ts'
import { type Deliverer, type DelivererOptions, startDeliverer } from '../../../services/notifier/deliver.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { Pool } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import type { Teardown } from '../../harness/engines.ts'
import { ORIGIN, SECRETS_KEY, type Stand, type Workspace } from '../api/stand.ts'

export const deployment: Deployment = {
  product: 'Service',
  user_agent: 'service/1',
  api_url: ORIGIN,
  mail_domain: 'mail.test',
  base_urls: {},
  twilio: null,
  telegram: null,
  fcm: null,
  apns: null,
  slack: null,
  discord: null
}

/** Makes senders for which the operator has opened this machine. */
export function localSenders(ca?: string): Senders {
  const guard = createAddressGuard({ open: ['127.0.0.0/8'], closed: [], own: [] })
  const options = { guard, resolve: createResolver(), allowHttp: true, ...(ca !== undefined && { ca }) }
  return { http: createHttpSender(options), mail: null }
}

export interface ChannelOver {
  kind?: string
  config?: Record<string, unknown>
  events?: string[]
  min_severity?: string
  is_default?: boolean
  enabled?: boolean
  health_state?: string
  team_id?: string | null
  visibility?: 'org' | 'private'
  allowed_team_ids?: string[]
}

/**
 * Creates a channel as the api stores it, by default a default channel for all events. Returns its
 * id.
 */
export async function channel(s: Stand, { tenant_id }: Workspace, over: ChannelOver): Promise<string> {
  const channel_id = uuidv7()
  const all = ['down', 'up', 'acknowledged', 'assigned', 'degraded']
  await s.systemPool.query(
    `INSERT INTO notification_channels (tenant_id, channel_id, name, kind, config, events, min_severity, is_default, enabled, health_state, team_id,
       visibility, allowed_team_ids, created_by, verified_at) VALUES ($1, $2, 'hook', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'user:x', now())`,
    [
      tenant_id,
      channel_id,
      over.kind ?? 'webhook',
      JSON.stringify(over.config ?? {}),
      over.events ?? all,
      over.min_severity ?? 'info',
      over.is_default ?? true,
      over.enabled ?? true,
      over.health_state ?? 'ok',
      over.team_id ?? null,
      over.visibility ?? 'org',
      over.allowed_team_ids ?? []
    ]
  )
  return channel_id
}

export interface Notifier {
  deliverer: Deliverer
  close(): Promise<void>
}

/** Starts jobs and deliveries on a pool of service_system. */
export function notifierOn(pool: Pool, over: Partial<DelivererOptions> = {}): Notifier {
  const senders = localSenders()
  const shared = { pool, codec: localCodec(), log: createLog('test', 'silent'), metrics: createMetrics() }
  const deliverer = startDeliverer({
    ...shared,
    channels,
    senders,
    deployment,
    secretsKey: SECRETS_KEY,
    publicUrl: ORIGIN,
    worker: 'test',
    pollMs: 50,
    ...over
  })
  const post = { ...senders, deployment: over.deployment ?? deployment, secretsKey: SECRETS_KEY, publicUrl: ORIGIN }
  const worker = startWorker({ ...shared, runs, desk: deliverer, post, pollMs: 20 })
  let closed: Promise<void> | null = null
  return {
    deliverer,
    close() {
      closed ??= worker
        .close()
        .then(() => deliverer.close())
        .then(() => senders.http.close())
      return closed
    }
  }
}

/** Starts a notifier that closes with the test, or earlier by the caller. */
export function notifier(t: Teardown, s: Stand, over: Partial<DelivererOptions> = {}): Notifier {
  const one = notifierOn(s.systemPool, over)
  t.teardown(() => one.close())
  return one
}

export interface LedgerRow {
  delivery_id: string
  event: string
  state: string
  suppressed_by: string | null
  suppressed_cause: string | null
  attempts: number
  ambiguous: number
  accepted: boolean
  combined: boolean
  error_code: string | null
  ver: number
  channel_id: string | null
  target_id: string
  incident_id: string
  attempt_log: { n: number; outcome: string; http_status: number | null; error: string | null; reply: string | null }[]
  request: { url: string; headers: Record<string, string>; body: string } | null
}

export const ledger = async (s: Stand, incident_id?: string): Promise<LedgerRow[]> =>
  (
    await s.systemPool.query(
      `SELECT delivery_id, event, state, suppressed_by, suppressed_cause, attempts, ambiguous, accepted, combined, error_code, ver, channel_id, target_id, incident_id, attempt_log, request
         FROM deliveries WHERE $1::uuid IS NULL OR incident_id = $1 ORDER BY seq`,
      [incident_id ?? null]
    )
  ).rows

/** Tells whether no delivery is open and no job waits. */
export const isQuiet = async (s: Stand): Promise<boolean> => {
  const { rows } = await s.systemPool.query<{ quiet: boolean }>(
    "SELECT NOT EXISTS (SELECT FROM deliveries WHERE open) AND NOT EXISTS (SELECT FROM jobs WHERE kind = 'incident_notify') AS quiet"
  )
  return rows[0]?.quiet ?? false
}

/** Ends the waits of deliveries. */
/**
 * Makes waiting deliveries due now. Skips locked rows, because others lock several rows in an order
 * of their own.
 */
export const hurry = (s: Stand, state: 'queued' | 'retrying' | 'sending' = 'retrying', share = 1) =>
  s.systemPool.query(
    `UPDATE deliveries SET next_at = now()
      WHERE (tenant_id, delivery_id) IN (SELECT tenant_id, delivery_id FROM deliveries WHERE state = $1 AND random() < $2 FOR UPDATE SKIP LOCKED)`,
    [state, share]
  )
