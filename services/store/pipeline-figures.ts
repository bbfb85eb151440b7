/**
 * Measures how long the service took, from its incidents and the ledger of deliveries. Figures are
 * milliseconds; instants are epoch ms. The query takes the workspace first.
 * Source: docs/design/api/analytics.md#an-7.
 */
import type { Tx } from './pool.ts'

/** Only the latest of the span are looked at; more would give the same figures. */
const MAX_LOOKED_AT = 20_000

export interface StageRow {
  stage: 'append' | 'intent' | 'first_attempt'
  count: number
  p50: number | null
  p95: number | null
  p99: number | null
}

/**
 * `append`: from when a door receives the alert of an incident to its record in the log; without
 * incidents that a person or the end of a maintenance window opened from an alert. `intent`: for
 * the first message about each incident, from the event that opened it to the decision to send the
 * message. `first_attempt`: for each message, from that decision to the first time it was sent.
 */
export async function pipelineFigures(tx: Tx, tenant_id: string, { from, to }: { from: number; to: number }): Promise<StageRow[]> {
  const { rows } = await tx.query<StageRow>(
    `WITH looked_at AS MATERIALIZED (
       SELECT incident_id, queued_at, first_sent_at FROM deliveries
        WHERE tenant_id = $1 AND queued_at >= $2 AND queued_at < $3 AND lane = 0 AND NOT manual AND state <> 'suppressed' AND event = 'down'
        ORDER BY queued_at DESC LIMIT ${MAX_LOOKED_AT}),
     firsts AS (
       SELECT min(l.queued_at) AS queued_at, i.opened_at FROM looked_at l JOIN incidents i ON i.tenant_id = $1 AND i.incident_id = l.incident_id
        WHERE i.opened_at >= $2 GROUP BY i.incident_id, i.opened_at),
     inbound AS MATERIALIZED (
       SELECT incident_id, opened_at - detected_at AS took FROM incidents
        WHERE tenant_id = $1 AND started_at >= $2 AND started_at < $3 AND source_kind = 'inbound'
        ORDER BY started_at DESC LIMIT ${MAX_LOOKED_AT}),
     arrived AS (
       SELECT took FROM inbound i
        WHERE NOT EXISTS (SELECT FROM incident_events e WHERE e.tenant_id = $1 AND e.incident_id = i.incident_id AND e.ver = 1
                             AND e.cause->>'kind' <> 'signal')),
     took AS (
       SELECT 'append' AS stage, extract(epoch FROM took) * 1000 AS ms FROM arrived
       UNION ALL
       SELECT 'intent', extract(epoch FROM queued_at - opened_at) * 1000 FROM firsts
       UNION ALL
       SELECT 'first_attempt', extract(epoch FROM first_sent_at - queued_at) * 1000 FROM looked_at WHERE first_sent_at IS NOT NULL)
     SELECT stage, count(*) AS count,
            percentile_cont(0.5) WITHIN GROUP (ORDER BY greatest(ms, 0)) AS p50,
            percentile_cont(0.95) WITHIN GROUP (ORDER BY greatest(ms, 0)) AS p95,
            percentile_cont(0.99) WITHIN GROUP (ORDER BY greatest(ms, 0)) AS p99
       FROM took GROUP BY stage ORDER BY array_position(ARRAY['append', 'intent', 'first_attempt'], stage)`,
    [tenant_id, new Date(from), new Date(to)]
  )
  return rows
}
