/**
 * Lists the signals that an alert is made of. They come from analytics, which keeps everything that
 * a door accepted for as long as the plan allows. The incident's own events say what each signal
 * did to the incident. An alert that no integration opened has no signals here.
 * Source: docs/design/api/alerts-and-routing.md#al-7.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AlertRow } from '../../../schemas/analytics.ts'
import type { Alert } from '../../../schemas/generated/events.ts'
import { type AlertEvent, AlertEventList, AlertEventsQuery, AlertParams } from '../../../schemas/http/alerts.ts'
import { iso } from '../../../schemas/http/common.ts'
import { acceptedAt } from '../../../streams/incident/unapplied.ts'
import { readAlert } from '../../store/alert-reads.ts'
import { causedBy, type KeyStanding, readStanding } from '../../store/incident-reads.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { cursorOf, positionOf } from '../http/cursor.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { logEnvelope } from '../http/log-pages.ts'
import type { Services } from '../services.ts'

const toEvent = (
  { alert_id, incident_id }: Alert,
  row: AlertRow,
  caused: AlertEvent['caused'],
  { unapplied, last_seen_at }: KeyStanding
): AlertEvent => ({
  id: row.alert_id,
  alert_id,
  incident_id,
  at: iso(row.received_at),
  occurred_at: iso(row.occurred_at),
  action: row.action,
  title: row.title,
  severity: row.severity,
  source_severity: row.source_severity,
  source_dedup_key: row.source_dedup_key,
  // A note or an update always counts as applied: it is compared with nothing.
  accepted_as:
    caused !== null || row.action === 'note' || row.action === 'update'
      ? 'applied'
      : acceptedAt(unapplied, row.n, row.received_at <= (last_seen_at ?? 0)),
  source_type: row.source,
  integration_id: row.integration_id,
  labels: row.labels,
  links: row.links,
  caused
})

/** Allows for a door whose clock is ahead of this one. */
const AHEAD_MS = 3_600_000

/**
 * The span from the signal that opened the alert to the signal that ended it. A record is never
 * older than its alert, so the last signal is not later than `resolved_at`. If a person ended the
 * alert, the span also covers later signals, until the key opens another alert: those signals were
 * suppressed, and nothing else shows them.
 */
const spanOf = (
  { detected_at, resolved_at, resolution_reason, alert_id }: Alert,
  newest: string | null,
  now: number
): { from: number; to: number } => {
  const isOpen = resolved_at === null || (resolution_reason !== 'recovered' && newest === alert_id)
  return { from: detected_at, to: Math.max(detected_at, isOpen ? now + AHEAD_MS : resolved_at) + 1 }
}

export const alertEventRoutes =
  ({ pool, analytics }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listAlertEvents', { params: AlertParams, querystring: AlertEventsQuery, response: { 200: AlertEventList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { cursor, per_page = 50 } = request.query
        const { alert, standing } = await tenantTransaction(pool, callerOf(request), async (tx) => {
          const found = await readAlert(tx, tenant_id, request.params.id)
          if (!found) throw notFound()
          return { alert: found, standing: await readStanding(tx, tenant_id, found.dedup_key) }
        })
        const { alert_id, incident_id, integration_id, dedup_key } = alert
        const now = Date.now()
        const list = ['alert events', tenant_id, alert_id]
        const position = cursor === undefined ? null : positionOf(cursor, list, ['number', 'number'], now)
        if (integration_id === null) return logEnvelope([], { per_page, next_cursor: null, complete_until: null })

        const span = spanOf(alert, standing.alert_id ?? standing.incident_id, now)
        const [received_at, n] = position?.keys ?? []
        const before = position ? { received_at: Number(received_at), n: Number(n) } : null
        const asked = { integration_id, dedup_key, ...span, at: now, before, limit: per_page + 1 }
        const { rows, complete_until } = await analytics.ask('alerts_list', tenant_id, asked)
        const shown = rows.slice(0, per_page)
        const ids = shown.map((row) => row.alert_id)
        const caused =
          incident_id === null
            ? new Map<string, AlertEvent['caused']>()
            : await tenantTransaction(pool, callerOf(request), (tx) => causedBy(tx, tenant_id, [incident_id, alert_id], ids))
        const last = shown.at(-1)
        const more = last && rows.length > per_page
        return logEnvelope(
          shown.map((row) => toEvent(alert, row, caused.get(row.alert_id) ?? null, standing)),
          { per_page, next_cursor: more ? cursorOf(list, { ...span, keys: [last.received_at, last.n] }, now) : null, complete_until }
        )
      }
    })
  }
