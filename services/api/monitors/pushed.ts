/**
 * Accepts a pushed state as a result of the one region that such a monitor has. It goes through the
 * outbox, so that it is kept while the log is down, and a repeat with the same name is recognised.
 * The status fold judges it like any result: one that happened before the last is kept and changes
 * nothing. A sender of changes does not repeat them, so a paused monitor takes them, too.
 * Source: docs/design/api/monitors.md#mo-12;
 * docs/decisions/0076-pushed-states-go-through-the-outbox.md.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import type { CheckResult } from '../../../schemas/generated/events.ts'
import { PUSHED } from '../../../schemas/http/check-words.ts'
import { Id } from '../../../schemas/http/common.ts'
import { PushedResult, PushResultBody } from '../../../schemas/http/monitors.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv5, uuidv7 } from '../../../schemas/uuid.ts'
import { takeReceipt } from '../../store/alert-receipts.ts'
import { actorText } from '../../store/audit.ts'
import { lockMonitor, type Monitor } from '../../store/monitors.ts'
import { insertOutgoing } from '../../store/outbox.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { notePushed } from '../../store/pushed-results.ts'
import { storableDeep } from '../../store/storable.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'

type Body = Static<typeof PushResultBody>

const MAX_AGE_MS = 86_400_000
const MAX_AHEAD_MS = 60_000

const outcomes = { up: 'success', down: 'failure', degraded: 'degraded' } as const

/** Returns epoch ms, never after `now`: a sender's fast clock must not delay the result. */
function occurredAt(text: string | undefined, now: number): number {
  if (text === undefined) return now
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw invalid('occurred_at', 'pattern', 'must be an instant')
  if (at < now - MAX_AGE_MS) throw invalid('occurred_at', 'min', 'must be at most 24 hours ago')
  if (at > now + MAX_AHEAD_MS) throw invalid('occurred_at', 'max', 'must be at most 60 seconds ahead')
  return Math.min(at, now)
}

const noTimings = { dns: null, connect: null, tls: null, request: null, first_byte: null, download: null }

export function toPushedResult(monitor: Monitor, body: Body, received_at: number, instance: string): CheckResult {
  const { tenant_id, monitor_id, ver, team_id, visibility, plan } = monitor
  const at = occurredAt(body.occurred_at, received_at)
  const outcome = outcomes[body.state]
  return {
    event_id: body.dedup_id === undefined ? uuidv7(received_at) : uuidv5(monitor_id, `${PUSHED}\n${body.dedup_id}`),
    tenant_id,
    monitor_id,
    region: PUSHED,
    seq: at,
    scheduled_at: at,
    checked_at: at,
    finished_at: at,
    received_at,
    skewed: false,
    prober: instance,
    prober_version: null,
    kind: 'scheduled',
    count: true,
    attempts: 1,
    outcome,
    ok: outcome !== 'failure',
    reason: outcome === 'success' ? null : 'assertion',
    message: body.message || (outcome === 'success' ? null : `The state ${body.state} was pushed`),
    status_code: null,
    timings_ms: { ...noTimings, total: body.response_time_ms ?? null },
    response_bytes: null,
    assertions: [],
    certificate_not_after: null,
    certificate_issuer: null,
    certificate_chain_ok: null,
    domain_expires_at: null,
    config_version: ver,
    team_id,
    visibility,
    retention_days: planOf(plan).limits.check_retention_days ?? 0
  }
}

export const pushRoute =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('pushResult', { params: Type.Object({ id: Id }), body: PushResultBody, response: { 202: PushedResult } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const body = storableDeep(request.body)
        const duplicate = await keyedTransaction(pool, caller, async (tx) => {
          const monitor = await lockMonitor(tx, tenant_id, request.params.id)
          if (!monitor) throw notFound()
          const { monitor_id, type } = monitor
          if (type !== PUSHED) throw new ApiError('WRONG_TYPE', `A monitor of the type ${type} is checked. Its state cannot be pushed`)
          if (body.dedup_id !== undefined && !(await notePushed(tx, tenant_id, monitor_id, body.dedup_id))) return true
          const { receipt, at } = await takeReceipt(tx, tenant_id)
          const value = toPushedResult(monitor, body, at, actorText(actor))
          const { event_id } = value
          const row = {
            tenant_id,
            aggregate: `pushed:${tenant_id}`,
            ver: receipt,
            topic: 'checks.results.v1',
            key: monitor_id,
            event_id
          } as const
          await insertOutgoing(
            tx,
            [{ ...row, src: actorText(actor), event_type: 'check_result', body: 'record', record: 'CheckResult', value }],
            codec
          )
          return false
        })
        return reply.code(202).send({ accepted: !duplicate, duplicate })
      }
    })
  }
