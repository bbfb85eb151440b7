/**
 * Reads incidents for people: the list, one incident, and its timeline. Also reads the current rows
 * that the relay sends to the compacted topic. Times are epoch ms. Every query except the relay's
 * takes the workspace first.
 *
 * Source: docs/design/api/incidents.md#s5, #in-1, #in-2 and #in-16.
 */
import type { Cause, Incident, IncidentChange, Severity } from '../../schemas/generated/events.ts'
import type { Edits } from '../../streams/incident/editing.ts'
import type { Named } from '../../streams/incident/merging.ts'
import { type DashboardState, storable } from '../../streams/incident/rules.ts'
import type { Run as UnappliedRun } from '../../streams/incident/unapplied.ts'
import type { Run } from './escalation.ts'
import { silencedByPattern } from './incident-counts.ts'
import { columnsOf, toIncident } from './incident-rows.ts'
import { byReference } from './incidents.ts'
import { UNSENT } from './outbox.ts'
import { pageById } from './pages-by-id.ts'
import type { Tx } from './pool.ts'
import type { WarRoom } from './war-rooms.ts'

/** An incident, with fields that only its events contain. */
export interface IncidentDetail extends Incident {
  /** Comment of the current acknowledgement. */
  acknowledgement_comment: string | null
  /** Latest note of a resolve or close. */
  resolution_note: string | null
  /** Cause of the last change. */
  last_cause: Cause
  /** Time of the last change's cause. */
  last_change_at: number
  /** Newest run of its escalation, or null. */
  run: Pick<Run, 'state' | 'cycle' | 'step' | 'next_at' | 'hold_reason'> | null
  /** Its war room at a chat service. */
  war_room: Pick<WarRoom, 'channel_id' | 'state' | 'name' | 'private' | 'url' | 'error'> | null
}

const EVENTS_OF = 'FROM incident_events n WHERE n.tenant_id = i.tenant_id AND n.incident_id = i.incident_id'
const DETAIL = `
  SELECT ${columnsOf('i')}, e.cause AS last_cause, e.at AS last_change_at,
         (SELECT n.comment ${EVENTS_OF} AND n.change = 'acknowledged' ORDER BY n.ver DESC LIMIT 1) AS acknowledgement_comment,
         (SELECT n.comment ${EVENTS_OF} AND n.change IN ('resolved', 'closed') AND n.comment IS NOT NULL ORDER BY n.ver DESC LIMIT 1) AS resolution_note,
         (SELECT r.incident_id FROM incidents r WHERE r.tenant_id = i.tenant_id AND r.incident_id = i.reopened_from) AS seen_origin,
         (SELECT r.incident_id FROM incidents r WHERE r.tenant_id = i.tenant_id AND r.incident_id = i.merged_into) AS seen_target,
         (SELECT json_build_object('state', r.state, 'cycle', r.cycle, 'step', r.step, 'hold_reason', r.hold_reason,
                                   'next_at', floor(extract(epoch FROM r.next_at) * 1000))
            FROM escalation_runs r WHERE r.tenant_id = i.tenant_id AND r.incident_id = i.incident_id ORDER BY r.run DESC LIMIT 1) AS run,
         (SELECT json_build_object('channel_id', w.channel_id, 'state', w.state, 'name', w.name, 'private', w.private, 'url', w.url, 'error', w.error)
            FROM war_rooms w WHERE w.tenant_id = i.tenant_id AND w.incident_id = i.incident_id) AS war_room
    FROM incidents i JOIN incident_events e ON e.tenant_id = i.tenant_id AND e.incident_id = i.incident_id AND e.ver = i.ver`

/** The other incidents that it refers to, if the transaction sees them. */
interface Seen {
  seen_origin: string | null
  seen_target: string | null
}

/**
 * The incidents that it was reopened from and merged into are named only to callers who see those
 * as well.
 */
const toDetail = ({ seen_origin, seen_target, ...row }: IncidentDetail & Seen): IncidentDetail => ({
  ...row,
  ...toIncident({ ...row, reopened_from: seen_origin, merged_into: seen_target })
})

/** Reads one incident by its id or its key (`INC-42`), or null. */
export async function readIncident(tx: Tx, tenant_id: string, reference: string): Promise<IncidentDetail | null> {
  const by = byReference(reference, 'i', '$2')
  if (!by) return null
  const { rows } = await tx.query<IncidentDetail & Seen>(`${DETAIL} WHERE i.tenant_id = $1 AND ${by.condition}`, [tenant_id, by.value])
  return rows[0] ? toDetail(rows[0]) : null
}

/** Returns how far these incidents are. Those that the transaction does not see are missing. */
export async function readStandings(
  tx: Tx,
  tenant_id: string,
  incident_ids: readonly string[]
): Promise<Map<string, Pick<Incident, 'number' | 'status' | 'acknowledged_at'>>> {
  const { rows } = await tx.query<Pick<Incident, 'incident_id' | 'number' | 'status' | 'acknowledged_at'>>(
    'SELECT incident_id, number, status, acknowledged_at FROM incidents WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[])',
    [tenant_id, incident_ids]
  )
  return new Map(rows.map(({ incident_id, ...standing }) => [incident_id, standing]))
}

/**
 * Several values of one filter are combined with OR, several filters with AND. An absent filter
 * admits everything.
 */
export interface IncidentFilter {
  status?: readonly ('ongoing' | 'resolved')[] | undefined
  dashboard_state?: readonly DashboardState[] | undefined
  severity?: readonly Severity[] | undefined
  acknowledged?: boolean | undefined
  /** Ongoing and held by a silence at `at` (epoch ms). */
  silenced?: { is: boolean; at: number } | undefined
  is_major?: boolean | undefined
  integration_id?: readonly string[] | undefined
  monitor_id?: readonly string[] | undefined
  heartbeat_id?: readonly string[] | undefined
  team_id?: readonly string[] | undefined
  assignee_id?: readonly string[] | undefined
  assigned?: boolean | undefined
  /** A person: assigned to them, or acknowledged by them and unassigned. */
  of?: string | undefined
  source_kind?: readonly string[] | undefined
  tag?: readonly string[] | undefined
  /** Bounds on started_at in epoch ms: `from` is included, `to` is not. */
  from?: number | undefined
  to?: number | undefined
  /** Substring of the title, ignoring case. */
  q?: string | undefined
  /** Label name → values. */
  labels?: Readonly<Record<string, readonly string[]>> | undefined
}

export const incidentSorts = ['-started_at', 'started_at', '-number', 'number', '-severity'] as const
export type IncidentSort = (typeof incidentSorts)[number]

const ORDER: Record<IncidentSort, string> = {
  '-started_at': 'i.started_at DESC, i.incident_id DESC',
  started_at: 'i.started_at, i.incident_id',
  '-number': 'i.number DESC',
  number: 'i.number',
  '-severity':
    "array_position(ARRAY['critical', 'warning', 'info'], i.severity), (i.acknowledged_at IS NOT NULL), i.started_at, i.incident_id"
}

/**
 * The label table of the spec as SQL conditions. streams/incident/rules.ts has it as a function.
 */
const STATE: Record<DashboardState, string> = {
  Triggered: "(i.status = 'ongoing' AND i.acknowledged_at IS NULL)",
  Acknowledged: "(i.status = 'ongoing' AND i.acknowledged_at IS NOT NULL)",
  Resolved: "(i.status = 'resolved' AND i.manually_closed_at IS NULL)",
  Closed: "(i.status = 'resolved' AND i.manually_closed_at IS NOT NULL)"
}

/** `by_pattern`: ids of the incidents that a silence by a pattern holds. */
function where(tenant_id: string, filter: IncidentFilter, by_pattern: readonly string[]): { conditions: string; values: unknown[] } {
  const values: unknown[] = [tenant_id]
  const conditions = ['i.tenant_id = $1']
  const bind = (value: unknown): string => `$${values.push(value)}`
  const anyOf = (column: string, cast: string, wanted: readonly string[] | undefined): void => {
    if (wanted) conditions.push(`i.${column} = ANY (${bind(wanted)}::${cast}[])`)
  }
  anyOf('status', 'text', filter.status)
  anyOf('severity', 'text', filter.severity)
  anyOf('integration_id', 'uuid', filter.integration_id)
  anyOf('monitor_id', 'uuid', filter.monitor_id)
  anyOf('heartbeat_id', 'uuid', filter.heartbeat_id)
  anyOf('team_id', 'uuid', filter.team_id)
  anyOf('assignee_id', 'uuid', filter.assignee_id)
  anyOf('source_kind', 'text', filter.source_kind)
  if (filter.assigned !== undefined) conditions.push(`i.assignee_id IS ${filter.assigned ? 'NOT NULL' : 'NULL'}`)
  if (filter.of !== undefined) {
    const person = bind(filter.of)
    const acknowledged = `i.acknowledged_by = 'user:' || ${person}::text OR i.acknowledged_by IN (
      SELECT 'token:' || t.token_id FROM api_tokens t WHERE t.tenant_id = $1 AND t.user_id = ${person}::uuid)`
    conditions.push(`(i.assignee_id = ${person}::uuid OR (i.assignee_id IS NULL AND (${acknowledged})))`)
  }
  if (filter.dashboard_state) conditions.push(`(${['false', ...filter.dashboard_state.map((state) => STATE[state])].join(' OR ')})`)
  if (filter.tag) conditions.push(`i.tags && ${bind(filter.tag.map(storable))}::text[]`)
  if (filter.acknowledged !== undefined) conditions.push(`i.acknowledged_at IS ${filter.acknowledged ? 'NOT NULL' : 'NULL'}`)
  if (filter.silenced) {
    const at = bind(new Date(filter.silenced.at))
    // Null means that no silence was ever set. It must not make the whole condition null.
    const held = `(i.status = 'ongoing' AND (coalesce(i.silenced_until > ${at}, false) OR i.incident_id = ANY (${bind(by_pattern)}::uuid[])))`
    conditions.push(filter.silenced.is ? held : `NOT ${held}`)
  }
  if (filter.is_major !== undefined) conditions.push(`i.is_major = ${bind(filter.is_major)}`)
  if (filter.from !== undefined) conditions.push(`i.started_at >= ${bind(new Date(filter.from))}`)
  if (filter.to !== undefined) conditions.push(`i.started_at < ${bind(new Date(filter.to))}`)
  if (filter.q !== undefined) conditions.push(`i.title ILIKE ${bind(`%${storable(filter.q).replace(/[\\%_]/g, '\\$&')}%`)}`)
  for (const [name, wanted] of Object.entries(filter.labels ?? {})) {
    conditions.push(`i.labels ->> ${bind(storable(name))} = ANY (${bind(wanted.map(storable))}::text[])`)
  }
  return { conditions: conditions.join(' AND '), values }
}

/**
 * Returns one page, and the total number of matches. `page` counts from 1; a page past the end is
 * empty. Ids must be UUIDs.
 */
export async function listIncidents(
  tx: Tx,
  tenant_id: string,
  filter: IncidentFilter,
  { page, per_page, sort }: { page: number; per_page: number; sort: IncidentSort }
): Promise<{ items: IncidentDetail[]; total: number }> {
  const by_pattern = filter.silenced ? await silencedByPattern(tx, tenant_id, filter.silenced.at) : []
  const { conditions, values } = where(tenant_id, filter, by_pattern)
  const { rows, total } = await pageById<IncidentDetail & Seen>(
    tx,
    {
      ...{ tenant_id, values, page, per_page },
      table: 'incidents i',
      where: conditions,
      id: 'i.incident_id',
      order: ORDER[sort],
      rows: `${DETAIL} WHERE i.tenant_id = $1 AND i.incident_id = ANY ($2::uuid[])`
    },
    ({ incident_id }) => incident_id
  )
  return { items: rows.map(toDetail), total }
}

export type TimelineType =
  | 'opened'
  | 'reopened'
  | 'acknowledged'
  | 'unacknowledged'
  | 'comment'
  | 'comment_deleted'
  | 'silenced'
  | 'unsilenced'
  | 'assigned'
  | 'escalated'
  | 'severity_changed'
  | 'updated'
  | 'alerts_changed'
  | 'flapping_on'
  | 'flapping_off'
  | 'storm_ended'
  | 'released'
  | 'merged'
  | 'recovered'
  | 'resolved'
  | 'closed'

export interface TimelineItem {
  id: string
  ver: number
  at: number
  type: TimelineType
  /** kind:id. */
  actor: string
  data: Record<string, unknown>
  /** Versions of the configuration that decided, by kind. */
  config_versions: Record<string, number>
}

interface EventRow {
  event_id: string
  ver: number
  change: Exclude<IncidentChange, 'unknown'>
  at: number
  cause: Cause
  comment: string | null
  /** Text of the comment, if this version is one and it was not deleted. */
  body: string | null
  config_versions: Record<string, number>
}

/**
 * Returns items by ascending `ver`, after `after` (0: from the start). `next` is the `after` of the
 * next page, null at the end.
 */
export async function readTimeline(
  tx: Tx,
  tenant_id: string,
  incident_id: string,
  { after, limit }: { after: number; limit: number }
): Promise<{ items: TimelineItem[]; next: number | null }> {
  const { rows } = await tx.query<EventRow>(
    `SELECT e.event_id, e.ver, e.change, e.at, e.cause, e.comment, c.body, e.config_versions
       FROM incident_events e
       LEFT JOIN incident_comments c ON c.tenant_id = e.tenant_id AND c.incident_id = e.incident_id AND c.ver = e.ver
      WHERE e.tenant_id = $1 AND e.incident_id = $2 AND e.ver > $3 ORDER BY e.ver LIMIT $4`,
    [tenant_id, incident_id, after, limit + 1]
  )
  const items = await naming(tx, tenant_id, rows.slice(0, limit).map(toTimelineItem))
  return { items, next: rows.length > limit ? (items.at(-1)?.ver ?? null) : null }
}

/** Fields of an item's data that name another incident, a monitor or a team. */
const OTHERS = ['reopened_from', 'team_id', 'into_id', 'from_id', 'waits_for', 'waited_for', 'bundled_into'] as const

/** Returns the items, with null in place of things that the transaction does not see. */
async function naming(tx: Tx, tenant_id: string, items: TimelineItem[]): Promise<TimelineItem[]> {
  const named = items.flatMap(({ data }) => OTHERS.map((field) => data[field])).filter((id) => typeof id === 'string')
  if (named.length === 0) return items
  const { rows } = await tx.query<{ id: string }>(
    `SELECT incident_id AS id FROM incidents WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[])
     UNION ALL SELECT team_id FROM teams WHERE tenant_id = $1 AND team_id = ANY ($2::uuid[])
     UNION ALL SELECT monitor_id FROM monitors WHERE tenant_id = $1 AND monitor_id = ANY ($2::uuid[])`,
    [tenant_id, named]
  )
  const seen = new Set<unknown>(rows.map(({ id }) => id))
  const blank = OTHERS.map((field) => [field, null] as const)
  return items.map((item) => {
    const hidden = blank.filter(([field]) => field in item.data && !seen.has(item.data[field]))
    const data = { ...item.data, ...Object.fromEntries(hidden) }
    // The key of an incident identifies it just as its id does, so it is hidden too.
    return { ...item, data: item.type === 'merged' && hidden.length > 0 ? { ...data, key: null } : data }
  })
}

/**
 * Returns which of the signals, by id (`event_id` on the log), changed one of the incidents: the
 * version that each made, and what the timeline says about it. Any other signal changed nothing.
 */
export async function causedBy(
  tx: Tx,
  tenant_id: string,
  incident_ids: readonly string[],
  alert_ids: readonly string[]
): Promise<Map<string, { ver: number; type: TimelineType }>> {
  const { rows } = await tx.query<EventRow>(
    `SELECT event_id, ver, change, at, cause, comment, null AS body, config_versions FROM incident_events
      WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[]) AND cause ->> 'event_id' = ANY ($3::text[])`,
    [tenant_id, incident_ids, alert_ids]
  )
  return new Map(rows.map((row) => [row.cause.event_id ?? '', { ver: row.ver, type: toTimelineItem(row).type }]))
}

/** What became of the signals of an incident's key. */
export interface KeyStanding {
  /** The newest incident of the key. */
  incident_id: string | null
  /** Its newest alert, if that has a row of its own. */
  alert_id: string | null
  /** Epoch ms. */
  last_seen_at: number | null
  unapplied: readonly UnappliedRun[] | null
}

export async function readStanding(tx: Tx, tenant_id: string, dedup_key: string): Promise<KeyStanding> {
  const { rows } = await tx.query<KeyStanding>(
    'SELECT incident_id, alert_id, last_seen_at, unapplied FROM signals WHERE tenant_id = $1 AND dedup_key = $2',
    [tenant_id, dedup_key]
  )
  return rows[0] ?? { incident_id: null, alert_id: null, last_seen_at: null, unapplied: null }
}

/** The fields of the stored input, a Signal or a Command, that a timeline needs. */
interface StoredInput {
  action?: string
  by?: string
  until?: number
  severity?: string | null
  title?: string
  summary?: string | null
  source_kind?: string
  source_type?: string | null
  integration_id?: string | null
  reopened_from?: string | null
  comment_id?: string
  user_id?: string | null
  /** The fields that an edit changed. */
  edits?: Edits
  /** What the fire of a monitor changed. Missing for other fires, which change the severity. */
  changes?: ('title' | 'original_title' | 'severity')[]
  /** For a merge: the other incident, and how many alerts came from it. */
  into?: Named
  from?: Named
  alerts?: number
  /** For alerts that joined or ended: their ids. */
  joined?: string[]
  ended?: string[]
  /** For an opening that a storm holds. */
  storm?: { until: number; count: number; threshold: number }
  /** For an opening that waits for what its monitor depends on. */
  waits?: { monitor_id: string; state: string }
  /** For an opening that is part of a mass outage. */
  bundled_into?: string
  /** The command that ended such a wait. */
  command?: string
  held_by?: string
  id?: string
  /** The outcome of an escalation. */
  outcome?: string
  run?: number | null
  cycle?: number | null
  step?: number | null
  policy_id?: string | null
  user_ids?: string[]
  channel_ids?: string[]
  /** For a declaration, what it declares; for a reopening, what still fires. */
  signal?: StoredInput
}

function toTimelineItem({ event_id, ver, change, at, cause, comment, body, config_versions }: EventRow): TimelineItem {
  const input: StoredInput = cause.input === null ? {} : JSON.parse(cause.input)
  const { comment_id } = input
  const data = comment_id === undefined ? dataOf(change, comment, input) : commentOf(change, comment_id, body)
  return { id: event_id, ver, at, type: typeOf(change, cause, input), actor: actorOf(cause, input), data, config_versions }
}

/**
 * If a signal changes an incident without being an update, its severity is worse, unless it says
 * what else it changed.
 */
const isOfSeverity = ({ action, changes, edits }: StoredInput): boolean =>
  action !== 'update' && (changes?.includes('severity') ?? (edits === undefined || Object.keys(edits).join() === 'severity'))

function typeOf(change: EventRow['change'], cause: Cause, input: StoredInput): TimelineType {
  if (change === 'created') return (input.signal ?? input).reopened_from ? 'reopened' : 'opened'
  if (input.command === 'release') return 'released'
  if (change === 'updated') return isOfSeverity(input) ? 'severity_changed' : 'updated'
  return change === 'resolved' && cause.kind === 'signal' ? 'recovered' : change
}

/**
 * Returns the actor. A signal acts for the integration that sent it, for the api, or for the part
 * of the service that checks.
 */
function actorOf(cause: Cause, input: StoredInput): string {
  if (cause.kind === 'command') return cause.src
  if (cause.kind === 'job') return input.by ?? 'system:timer'
  if (input.source_type === 'api') return 'system:api'
  return input.integration_id ? `integration:${input.integration_id}` : `system:${input.source_kind ?? 'signal'}`
}

/** An independent comment. The timeline keeps its place after it is deleted. */
function commentOf(change: EventRow['change'], comment_id: string, body: string | null): Record<string, unknown> {
  if (change === 'comment_deleted') return { comment_id }
  return body === null ? { comment_id, deleted: true } : { comment_id, comment: body }
}

const mergeOf = ({ into, from, alerts }: StoredInput): Record<string, unknown> => ({
  ...(into && { into_id: into.incident_id, key: `INC-${into.number}` }),
  ...(from && { from_id: from.incident_id, key: `INC-${from.number}`, alerts })
})

function dataOf(change: EventRow['change'], comment: string | null, input: StoredInput): Record<string, unknown> {
  if (change === 'created') {
    const { title, severity, reopened_from, storm, waits, bundled_into } = input.signal ?? input
    const held = storm && { storm: { ...storm, until: new Date(storm.until).toISOString() } }
    const waiting = waits && { waits_for: waits.monitor_id, waits_state: waits.state }
    return {
      title,
      severity,
      ...(reopened_from && { reopened_from }),
      ...held,
      ...waiting,
      ...(bundled_into !== undefined && { bundled_into })
    }
  }
  if (input.command === 'release') return { held_by: input.held_by, waited_for: input.id ?? null }
  if (change === 'updated' && (input.action === 'update' || input.changes)) {
    const { title, summary, severity, changes } = input
    if (changes?.includes('original_title')) return { original_title: title, ...(summary && { summary }) }
    const words = changes?.includes('title') === false ? {} : { ...(title && { title }), ...(summary && { summary }) }
    return { ...words, ...(changes?.includes('severity') && { severity }) }
  }
  if (change === 'updated') return input.edits ? { ...input.edits } : { severity: input.severity }
  if (change === 'alerts_changed')
    return { joined: input.joined ?? [], ended: input.ended ?? [], ...(input.severity && { severity: input.severity }) }
  if (change === 'merged') return mergeOf(input)
  if (change === 'storm_ended') return { until: input.until === undefined ? null : new Date(input.until).toISOString() }
  if (change === 'flapping_on' || change === 'flapping_off') return {}
  if (change === 'escalated') {
    const { outcome, run, cycle, step, policy_id, user_ids, channel_ids } = input
    return { outcome, run, cycle, step, policy_id, user_ids, channel_ids, ...(comment !== null && { message: comment }) }
  }
  if (change === 'assigned') return { assignee_id: input.user_id ?? null }
  if (change === 'silenced') return { until: input.until === undefined ? null : new Date(input.until).toISOString(), reason: comment }
  if (change === 'resolved' || change === 'closed') return comment === null ? {} : { note: comment }
  if (change === 'unacknowledged') return comment === null ? {} : { reason: comment }
  return comment === null ? {} : { comment }
}

/**
 * Reads current incidents by id, of any workspace; incident.state.v1 is sent from them. Needs
 * service_system. Ids that no longer exist are missing.
 */
export async function currentIncidents(tx: Tx, incident_ids: readonly string[]): Promise<Map<string, Incident>> {
  const { rows } = await tx.query<Incident>({
    name: 'incidents-current',
    text: `SELECT ${columnsOf('i')} FROM incidents i WHERE i.incident_id = ANY ($1::uuid[])`,
    values: [incident_ids]
  })
  return new Map(rows.map((row) => [row.incident_id, toIncident(row)]))
}

/**
 * Reads, as currentIncidents does, the incidents for which the next read of the outbox finds marks.
 * It queries the outbox itself, so that it can be sent in the round trip of that read.
 */
export async function markedIncidents(tx: Tx, shards: readonly number[]): Promise<Map<string, Incident>> {
  const { rows } = await tx.query<Incident>({
    name: 'incidents-marked',
    text: `SELECT ${columnsOf('i')}
             FROM (SELECT DISTINCT substr(aggregate, 10) AS id
                     FROM ${UNSENT} AS unsent
                    WHERE topic = 'incident.state.v1' AND payload IS NULL AND aggregate ~ '^incident:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') AS marked
             JOIN incidents i ON i.incident_id = marked.id::uuid`,
    values: [shards]
  })
  return new Map(rows.map((row) => [row.incident_id, toIncident(row)]))
}
