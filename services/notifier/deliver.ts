/**
 * The engine of deliveries: claims what is due, asks once more whether it is still to be sent,
 * sends it outside of any transaction, and hands what became of it to the recorder.
 *
 * - What a job decides is claimed in its own transaction where there is room (`desk`), so that
 *   three commits lead from an alert to the request: the fold, the job, the outcome.
 * - Bounds: attempts of this process, of one workspace, of one target; a target that does not answer
 *   is given a rest (breaker.ts).
 * - A lease outlasts every attempt. A worker that dies leaves it to run out; the attempt after it
 *   has the same key.
 * Source: docs/design/architecture.md#s13-delivery, docs/design/api/notifications.md#s8-5.
 */
import type { Codec } from '../../schemas/codec.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Channel, Deployment } from '../channels/channel.ts'
import { mapSecrets } from '../channels/config.ts'
import { openForTenant } from '../credentials/sealing.ts'
import type { HttpLimits } from '../delivery/http.ts'
import { MAX_ATTEMPT_MS, performAttempt, type Senders } from '../delivery/perform.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { type Cursor, claimDeliveries, type DeliveryRow, firstCursor, LANES, type Lane, nextDeliveryIn } from '../store/deliveries.ts'
import type { Step } from '../store/delivery-outcomes.ts'
import { loadSending, type Sending } from '../store/delivery-targets.ts'
import type { Pool } from '../store/pool.ts'
import { judgeBefore } from './before-sending.ts'
import { Breaker } from './breaker.ts'
import { deliveryMetrics } from './deliver-metrics.ts'
import { messageOf } from './message.ts'
import { createRecorder } from './recorder.ts'
import { judgeAttempt } from './retrying.ts'

export interface DelivererOptions {
  /** As service_system. */
  pool: Pool
  codec: Codec
  log: Log
  metrics: Metrics
  channels: Readonly<Partial<Record<string, Channel>>>
  senders: Senders
  deployment: Deployment
  secretsKey: string
  publicUrl: string
  /** Name of this process on the log. */
  worker: string
  pollMs?: number
  leaseMs?: number
  maxInFlight?: number
  random?: () => number
  /** Of one request; for tests. */
  limits?: HttpLimits
}

/** Where jobs hand in what they have claimed. */
export interface Desk {
  readonly leaseMs: number
  /** How many more may be claimed. */
  room(): number
  take(rows: readonly DeliveryRow[]): void
  /** Something is in the queue. */
  wake(): void
}

export interface Deliverer extends Desk {
  /** The last look at the queue succeeded. */
  ready(): boolean
  /** Claims nothing more, finishes and records the attempts in hand. */
  close(): Promise<void>
}

const MAX_IN_FLIGHT = 256
/** Of one workspace, in all processes: a quarter of what one process has. */
const WORKSPACE_SHARE = 4
/** Of what is no incident. */
const MINOR_SHARE = 8
const TARGETS_A_LOOK = 500
/** Between two looks that something woke. */
const LEAST_MS = 5

export function startDeliverer(options: DelivererOptions): Deliverer {
  const { pool, codec, log, metrics, channels, senders, deployment, secretsKey, publicUrl, worker } = options
  const { pollMs = 1000, leaseMs = 60_000, maxInFlight = MAX_IN_FLIGHT, random = Math.random } = options
  const counted = deliveryMetrics(metrics, pool, log)
  const breaker = new Breaker()
  const cursors = new Map<Lane, Cursor>()
  const { rest, wake: stir, end } = createRest()
  let inFlight = 0
  let closing = false
  let ready = false
  let woken = false
  let minorAt = 0
  const sending = new Set<Promise<void>>()

  const wake = (): void => {
    woken = true
    stir()
  }

  const recorder = createRecorder({
    pool,
    codec,
    log,
    worker,
    onDone(step) {
      inFlight -= 1
      counted.done(step)
      wake() // The next of its incident, or of its channel.
    }
  })

  const step = (row: DeliveryRow, more: Partial<Step> & Pick<Step, 'state'>): Step => ({
    row,
    at: Date.now(),
    attempt: null,
    ambiguous: false,
    error_code: null,
    suppressed_by: null,
    suppressed_cause: null,
    next_at: null,
    request: null,
    remote_ref: null,
    health: null,
    ...more
  })

  /** Never rejects: a fault of ours fails the delivery where it can be told of, and is logged. */
  async function attempt(row: DeliveryRow, channel: Channel, target: Sending, combined: boolean): Promise<void> {
    const message = messageOf(row, publicUrl, combined)
    if (!message) return recorder.add(step(row, { state: 'failed', error_code: 'forgotten' }))
    const began = Date.now()
    const secrets: string[] = []
    const performed = await performAttempt(senders, {
      channel,
      message,
      config: configOf(row, channel, target, secrets),
      secrets,
      remote_ref: target.remote_ref,
      attempt: row.attempts,
      deployment,
      ...(options.limits && { limits: options.limits })
    })
    crashPoint('deliver.after-send')
    const { outcome, error, provider_message_id, ...told } = judgeAttempt(row, channel, performed, { now: Date.now(), random: random() })
    if (performed.result.outcome === 'unanswered' && performed.result.failure.kind !== 'blocked_target')
      breaker.failed(row.target_id, performance.now())
    else breaker.answered(row.target_id)
    counted.attempt(row.kind, outcome, performed.latency_ms, 'operator' in performed.result)
    const { latency_ms, status: http_status, reply, request } = performed
    const sent = performed.request !== null
    recorder.add(
      step(row, {
        ...told,
        request,
        attempt: sent ? { n: row.attempts, at: began, latency_ms, outcome, http_status, error, provider_message_id, reply } : null
      })
    )
  }

  function configOf(row: DeliveryRow, channel: Channel, { channel: stored, method }: Sending, secrets: string[]): Record<string, unknown> {
    const { tenant_id } = row
    if (!stored) return method ? { [row.kind === 'email' ? 'recipient' : row.kind === 'push' ? 'device' : 'number']: method.address } : {}
    return mapSecrets(channel, stored.config, (value, field) => {
      const plain = openForTenant(secretsKey, { tenant_id, resource: `channel:${stored.channel_id}`, field }, value)
      secrets.push(plain)
      return plain
    })
  }

  async function launch(rows: readonly DeliveryRow[], claimedAt: number): Promise<void> {
    let targets: Map<string, Sending>
    try {
      targets = await loadSending(pool, rows)
    } catch (error) {
      inFlight -= rows.length
      log.warn({ err: error, deliveries: rows.length }, 'claimed deliveries could not be looked at; their leases run out')
      return
    }
    const now = Date.now()
    // Too late to be sure that the lease outlasts the attempt: it is as if it had not been claimed.
    const late = performance.now() - claimedAt > leaseMs - MAX_ATTEMPT_MS
    for (const row of rows) {
      const channel = channels[row.kind]
      const target = targets.get(row.delivery_id)
      const verdict = judgeBefore(row, channel, target, now)
      if (!verdict.send) {
        const { send: _send, next_at = null, ...told } = verdict
        recorder.add(step(row, { ...told, next_at }))
      } else if (late) recorder.add(step(row, { state: 'retrying', next_at: now }))
      else if (channel && target) {
        const one = attempt(row, channel, target, verdict.combined).catch((error: unknown) => {
          log.error(
            { err: error, delivery_id: row.delivery_id, tenant_id: row.tenant_id, kind: row.kind },
            'an attempt failed here; it is not repeated'
          )
          recorder.add(step(row, { state: 'failed', error_code: 'fault', ambiguous: true }))
        })
        follow(one)
      }
    }
  }

  function follow(one: Promise<void>): void {
    sending.add(one)
    void one.finally(() => sending.delete(one))
  }

  function take(rows: readonly DeliveryRow[]): void {
    if (rows.length === 0) return
    crashPoint('deliver.after-claim')
    inFlight += rows.length
    const claimedAt = performance.now()
    follow(launch(rows, claimedAt))
  }

  async function lookIn(lane: Lane, most: number): Promise<number> {
    const room = Math.min(maxInFlight - inFlight, most)
    if (room < 1) return 0
    const { claimed, after } = await claimDeliveries(pool, {
      lane,
      leaseMs,
      room,
      roomOfWorkspace: Math.ceil(maxInFlight / WORKSPACE_SHARE),
      resting: breaker.resting(performance.now()),
      after: cursors.get(lane) ?? firstCursor,
      targets: TARGETS_A_LOOK
    })
    cursors.set(lane, after)
    take(claimed)
    // Behind the last target others may wait.
    if (after !== firstCursor) woken = true
    return claimed.length
  }

  /** Milliseconds until the next look. */
  async function look(): Promise<number> {
    woken = false
    let claimed = await lookIn(LANES.incident, maxInFlight)
    if (performance.now() >= minorAt) {
      minorAt = performance.now() + pollMs
      for (const lane of [LANES.feed, LANES.status]) claimed += await lookIn(lane, Math.ceil(maxInFlight / MINOR_SHARE))
    }
    if (claimed > 0 || woken) return LEAST_MS
    const next = await nextDeliveryIn(pool)
    return next === null || next <= 0 ? pollMs : Math.min(next + 1, pollMs)
  }

  async function loop(): Promise<void> {
    while (!closing) {
      let wait = pollMs
      try {
        wait = await look()
        ready = true
      } catch (error) {
        ready = false
        log.warn({ err: error }, 'the queue of deliveries cannot be looked at; trying again')
      }
      await rest(woken ? LEAST_MS : wait)
    }
  }

  const running = loop()
  return {
    leaseMs,
    room: () => (closing ? 0 : maxInFlight - inFlight),
    take,
    wake,
    ready: () => ready,
    async close() {
      closing = true
      end()
      await running
      while (sending.size > 0) await Promise.all(sending)
      await recorder.drained()
      counted.close()
    }
  }
}
