/**
 * Records how far people were told of an incident. Whoever tells locks the row, so that each change
 * is told once and in order, whichever job comes first. As service_system.
 */
import type { Incident, IncidentChange } from '../../schemas/generated/events.ts'
import type { IntentEvent } from '../../schemas/http/notification-words.ts'
import { INCIDENT_COLUMNS, toIncident } from './incident-rows.ts'
import { goneSql } from './merged-sources.ts'
import type { Tx } from './pool.ts'

export interface Telling {
  told_ver: number
  /** The failure that was decided on: people were told of it, or it was held back. */
  failing: FailureEvent | null
  /** Nobody was told of `failing` yet, because something holds it. */
  held: boolean
  /**
   * The highest severity by which it was decided who hears of `failing`. Null: nothing was decided
   * yet, or an older version did not store it.
   */
  severity: Incident['severity'] | null
}
export type FailureEvent = 'down' | 'degraded'

export interface TellingChannel {
  channel_id: string
  kind: string
  is_default: boolean
  events: IntentEvent[]
  min_severity: 'critical' | 'warning' | 'info'
  team_id: string | null
  allowed_team_ids: string[]
  /** Enabled, and not turned off. */
  works: boolean
}

/** A message about the incident that a target was to get; the newest of each event. */
export interface Heard {
  target_id: string
  channel_id: string | null
  user_id: string | null
  method_id: string | null
  kind: string
  /** For phone messages: the same number hears of the end only once. */
  number?: string | null
  event: IntentEvent
  /**
   * False when it was suppressed, for another reason than that it came too late, and for a page of
   * a person that was not tried.
   */
  counts: boolean
}

/** An incident that went on in this one, and what targets were told of it. */
export interface MergedSource extends Pick<Incident, 'incident_id' | 'ver' | 'team_id' | 'visibility'> {
  heard: Heard[]
  /** False when a rule asked for no message of its end. */
  notify_resolved: boolean
}

export interface TellingFacts {
  incident: Incident
  /** Whether the incident is private, or its team is private now. */
  isPrivate: boolean
  changes: { ver: number; change: IncidentChange }[]
  /** The default channels, those that rules name, and those that were told of the failure. */
  channels: TellingChannel[]
  heard: Heard[]
  /** Of an incident that is over, or whose severity has changed since it was told. */
  merged: MergedSource[]
  /** Interval of the monitor's reminders; null: none. */
  remind_seconds: number | null
  /** Postgres's time of the reading, epoch ms. Holds and timers are judged by it. */
  now: number
}

/** Which incident. */
export type IncidentKey = Pick<Incident, 'tenant_id' | 'incident_id'>

const keysOf = (incidents: readonly IncidentKey[]): [string[], string[]] => [
  incidents.map(({ tenant_id }) => tenant_id),
  incidents.map(({ incident_id }) => incident_id)
]

/**
 * Locks the tellings in the order of their ids, so that two tellers never deadlock. Returns them by
 * incident id.
 */
export async function lockTellings(tx: Tx, incidents: readonly IncidentKey[]): Promise<Map<string, Telling>> {
  const { rows } = await tx.query<{ incident_id: string; failing_event: FailureEvent | null } & Omit<Telling, 'failing'>>({
    name: 'tellings-lock',
    text: `INSERT INTO incident_tellings (tenant_id, incident_id) SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, incident_id) ORDER BY 2
           ON CONFLICT (tenant_id, incident_id) DO UPDATE SET updated_at = now() RETURNING incident_id, told_ver, failing_event, held, severity`,
    values: keysOf(incidents)
  })
  return new Map(rows.map(({ incident_id, failing_event: failing, ...told }) => [incident_id, { ...told, failing }]))
}

export async function saveTellings(tx: Tx, tellings: readonly (IncidentKey & Telling)[]): Promise<void> {
  if (tellings.length === 0) return
  await tx.query({
    name: 'tellings-save',
    text: `UPDATE incident_tellings t SET told_ver = k.told_ver, failing_event = k.failing, held = k.held, severity = k.severity
             FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::boolean[], $6::text[]) AS k (tenant_id, incident_id, told_ver, failing, held, severity)
            WHERE t.tenant_id = k.tenant_id AND t.incident_id = k.incident_id`,
    values: [
      ...keysOf(tellings),
      tellings.map(({ told_ver }) => told_ver),
      tellings.map(({ failing }) => failing),
      tellings.map(({ held }) => held),
      tellings.map(({ severity }) => severity)
    ]
  })
}

/** More changes than this at once are told by the state in which they end. */
const MAX_CHANGES = 500

/**
 * SQL: whether the message counts (see Heard). A page of a person counts only once it was tried:
 * one that waits, for their quiet hours or for its delay, is not sent after the end (decision
 * rule 5). The number of attempts is 0 again when nothing was sent.
 */
const COUNTS = `((d.state <> 'suppressed' OR d.ambiguous > 0 OR d.suppressed_by = 'stale') AND (d.user_id IS NULL OR d.attempts > 0))`

/** SQL: the messages about the incident `incident` of the workspace `tenant`, as Heard[]. */
const heardSql = (tenant: string, incident: string): string => `coalesce((SELECT jsonb_agg(h) FROM (
           SELECT DISTINCT ON (d.target_id, d.event) d.target_id, d.channel_id, d.user_id, d.method_id, d.kind, d.event,
                  CASE WHEN d.kind IN ('sms', 'voice') THEN coalesce(
                    (SELECT m.address FROM contact_methods m WHERE m.tenant_id = d.tenant_id AND m.method_id = d.method_id),
                    (SELECT n.config ->> 'number' FROM notification_channels n WHERE n.tenant_id = d.tenant_id AND n.channel_id = d.channel_id)) END AS number,
                  ${COUNTS} AS counts
             FROM deliveries d WHERE d.tenant_id = ${tenant} AND d.incident_id = ${incident}
            ORDER BY d.target_id, d.event, ${COUNTS} DESC, d.seq DESC LIMIT 1000) h), '[]')`

const FACTS = `
  SELECT ${INCIDENT_COLUMNS.map((column) => `i.${column}`).join(', ')},
         (i.visibility = 'private' OR coalesce((SELECT g.visibility = 'private' FROM teams g WHERE g.tenant_id = i.tenant_id AND g.team_id = i.team_id), false)) AS is_private,
         coalesce((SELECT jsonb_agg(jsonb_build_object('ver', e.ver, 'change', e.change) ORDER BY e.ver) FROM (
           SELECT ver, change FROM incident_events v WHERE v.tenant_id = i.tenant_id AND v.incident_id = i.incident_id AND ver > t.told_ver ORDER BY ver DESC LIMIT ${MAX_CHANGES}) e), '[]') AS changes,
         coalesce((SELECT jsonb_agg(jsonb_build_object('channel_id', c.channel_id, 'kind', c.kind, 'is_default', c.is_default, 'events', to_jsonb(c.events),
             'min_severity', c.min_severity, 'team_id', c.team_id, 'allowed_team_ids', to_jsonb(c.allowed_team_ids),
             'works', c.enabled AND c.health_state <> 'disabled') ORDER BY c.channel_id)
           FROM notification_channels c WHERE c.tenant_id = i.tenant_id AND c.deleted_at IS NULL AND (c.is_default OR (i.routing -> 'channel_ids') ? c.channel_id::text
             OR EXISTS (SELECT FROM deliveries d WHERE d.tenant_id = i.tenant_id AND d.incident_id = i.incident_id AND d.channel_id = c.channel_id
                           AND d.event IN ('down', 'degraded')))), '[]') AS channels,
         ${heardSql('i.tenant_id', 'i.incident_id')} AS heard,
         CASE WHEN i.status = 'resolved' OR t.severity <> i.severity THEN coalesce((${goneSql('i.tenant_id', 'i.incident_id')}
           SELECT jsonb_agg(jsonb_build_object('incident_id', g.incident_id, 'ver', g.ver, 'team_id', g.team_id, 'visibility', g.visibility,
             'notify_resolved', coalesce((g.routing ->> 'notify_resolved')::boolean, true), 'heard', ${heardSql('g.tenant_id', 'g.incident_id')})
             ORDER BY g.incident_id) FROM gone g), '[]') ELSE '[]' END AS merged,
         (SELECT m.repeat_interval_seconds FROM monitors m WHERE m.tenant_id = i.tenant_id AND m.monitor_id = i.monitor_id) AS remind_seconds,
         clock_timestamp() AS now
    FROM unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, incident_id)
    JOIN incidents i ON i.tenant_id = k.tenant_id AND i.incident_id = k.incident_id
    JOIN incident_tellings t ON t.tenant_id = i.tenant_id AND t.incident_id = i.incident_id
   ORDER BY i.incident_id`

/**
 * Returns the facts of the incidents that exist, in the order of their ids. Read after the lock, so
 * that it sees what the previous teller wrote.
 */
export async function readTellingFacts(tx: Tx, incidents: readonly IncidentKey[]): Promise<TellingFacts[]> {
  const { rows } = await tx.query<
    Incident & { is_private: boolean } & Pick<TellingFacts, 'changes' | 'channels' | 'heard' | 'merged' | 'remind_seconds' | 'now'>
  >({
    name: 'telling-facts',
    text: FACTS,
    values: keysOf(incidents)
  })
  return rows.map(({ is_private, changes, channels, heard, merged, remind_seconds, now, ...incident }) => ({
    incident: toIncident(incident),
    isPrivate: is_private,
    changes,
    channels,
    heard,
    merged,
    remind_seconds,
    now
  }))
}

/**
 * Makes waiting deliveries of resolved incidents due now, so that they are sent together with the
 * recovery.
 */
export async function hurryDeliveries(tx: Tx, incidents: readonly IncidentKey[]): Promise<void> {
  if (incidents.length === 0) return
  await tx.query({
    name: 'deliveries-hurry',
    text: `UPDATE deliveries d SET next_at = now() FROM unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, incident_id)
            WHERE d.tenant_id = k.tenant_id AND d.incident_id = k.incident_id AND d.state IN ('queued', 'retrying') AND d.next_at > now()`,
    values: keysOf(incidents)
  })
}
