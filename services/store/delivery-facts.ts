/**
 * The facts that a message reports about an incident, as they are when the notification is decided.
 * They are stored with the delivery, so that every attempt says the same.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { HeartbeatRow } from '../../streams/heartbeat/state.ts'
import type { MonitorRow } from '../../streams/status/state.ts'
import { columnsOf, toIncident } from './incident-rows.ts'
import type { Tx } from './pool.ts'

export interface DeliveryFacts {
  incident: Incident
  workspace: { name: string; slug: string }
  subject: MonitorFacts | HeartbeatFacts | null
  /** What is known of the checks or pings. An older version stored none. */
  checks?: CheckFacts
  team: { id: string; name: string } | null
  assignee: { id: string; name: string } | null
  /** Null also if it belongs to a private team that is not the incident's. */
  escalation_policy?: { id: string; name: string } | null
  /** Names of the people who did it, if people did. */
  acknowledged_by: string | null
  resolved_by: string | null
}

interface MonitorFacts {
  kind: 'monitor'
  id: string
  name: string
  type: string
  target: string
  tags: string[]
  labels: Record<string, string>
}

interface HeartbeatFacts {
  kind: 'heartbeat'
  id: string
  name: string
  slug: string | null
  schedule: string | null
  last_ping_at?: number | null
}

interface CheckFacts {
  /** The failure that the incident is about; null when it is not known. */
  failure: { reason: string | null; http_status: number | null; response_time_ms: number | null } | null
  /** The newest result of a monitor. */
  newest: { http_status: number | null; response_time_ms: number | null } | null
}

type Row = Incident & {
  workspace: DeliveryFacts['workspace']
  subject: DeliveryFacts['subject']
  team: DeliveryFacts['team']
  assignee: DeliveryFacts['assignee']
  escalation_policy: { id: string; name: string } | null
  monitor_state: (Pick<MonitorRow, 'last_failure'> & { regions: MonitorRow['regions'] | null }) | null
  heartbeat_state: Pick<HeartbeatRow, 'reason' | 'last_ping_at'> | null
  acknowledged_by_name: string | null
  resolved_by_name: string | null
}

/** SQL for the name of the person in an actor's text (`user:<id>`). */
const nameIn = (column: string): string =>
  `(SELECT u.name FROM users u WHERE u.user_id = CASE WHEN ${column} ~ '^user:[0-9a-f-]{36}$' THEN substr(${column}, 6)::uuid END)`

const SELECT = `
  SELECT ${columnsOf('i')}, jsonb_build_object('name', t.name, 'slug', t.slug) AS workspace,
         CASE WHEN m.monitor_id IS NOT NULL THEN jsonb_build_object('kind', 'monitor', 'id', m.monitor_id, 'name', m.name, 'type', m.type,
                'target', m.target, 'tags', to_jsonb(m.tags), 'labels', m.labels)
              WHEN h.heartbeat_id IS NOT NULL THEN jsonb_build_object('kind', 'heartbeat', 'id', h.heartbeat_id, 'name', h.name, 'slug', h.slug,
                'schedule', coalesce(h.cron, 'every ' || h.period_seconds || ' s')) END AS subject,
         CASE WHEN g.team_id IS NOT NULL THEN jsonb_build_object('id', g.team_id, 'name', g.name) END AS team,
         (SELECT jsonb_build_object('id', u.user_id, 'name', u.name) FROM users u WHERE u.user_id = i.assignee_id) AS assignee,
         CASE WHEN p.team_id IS NULL OR p.team_id = i.team_id OR o.visibility = 'org'
              THEN CASE WHEN p.policy_id IS NOT NULL THEN jsonb_build_object('id', p.policy_id, 'name', p.name) END END AS escalation_policy,
         CASE WHEN s.processor = 'status' THEN jsonb_build_object('regions', s.state -> 'regions', 'last_failure', s.state -> 'last_failure') END AS monitor_state,
         CASE WHEN s.processor = 'heartbeat'
              THEN jsonb_build_object('reason', s.state -> 'reason', 'last_ping_at', s.state -> 'last_ping_at') END AS heartbeat_state,
         ${nameIn('i.acknowledged_by')} AS acknowledged_by_name, ${nameIn('i.resolved_by')} AS resolved_by_name
    FROM unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, incident_id)
    JOIN incidents i ON i.tenant_id = k.tenant_id AND i.incident_id = k.incident_id
    JOIN tenants t ON t.tenant_id = i.tenant_id
    LEFT JOIN monitors m ON m.tenant_id = i.tenant_id AND m.monitor_id = i.monitor_id
    LEFT JOIN heartbeats h ON h.tenant_id = i.tenant_id AND h.heartbeat_id = i.heartbeat_id
    LEFT JOIN teams g ON g.tenant_id = i.tenant_id AND g.team_id = i.team_id
    LEFT JOIN escalation_policies p ON p.tenant_id = i.tenant_id AND p.policy_id = i.escalation_policy_id
    LEFT JOIN teams o ON o.tenant_id = p.tenant_id AND o.team_id = p.team_id
    LEFT JOIN partition_state s ON s.tenant_id = i.tenant_id
          AND s.processor = CASE WHEN i.monitor_id IS NOT NULL THEN 'status' WHEN i.heartbeat_id IS NOT NULL THEN 'heartbeat' END
          AND s.key = coalesce(i.monitor_id, i.heartbeat_id)::text`

/**
 * A failure that was received this long before the incident began may belong to it: the incident
 * begins by the clock of the prober, and the failure was received by the clock of a door.
 */
const CLOCKS_MS = 300_000

/**
 * Returns what the state of a monitor says. Its last failure is left out when it is from before the
 * incident: a monitor that is only slow may have failed long ago.
 */
function checksOf({ started_at }: Incident, { regions, last_failure }: NonNullable<Row['monitor_state']>): CheckFacts {
  const [newest] = [...(regions ?? [])].sort((a, b) => (b.last_at ?? 0) - (a.last_at ?? 0))
  const about = last_failure && last_failure.at >= started_at - CLOCKS_MS ? last_failure : null
  const failing = regions?.find(({ region, last }) => region === about?.region && last === 'failure')
  return {
    failure: about && { reason: about.reason, http_status: about.status_code, response_time_ms: failing?.response_time_ms ?? null },
    newest: newest ? { http_status: newest.status_code, response_time_ms: newest.response_time_ms } : null
  }
}

function toFacts({
  workspace,
  subject,
  team,
  assignee,
  escalation_policy,
  acknowledged_by_name,
  resolved_by_name,
  ...row
}: Row): DeliveryFacts {
  const { monitor_state, heartbeat_state, ...columns } = row
  const incident = toIncident(columns)
  const reason = heartbeat_state?.reason ?? null
  const missed = { failure: reason && { reason, http_status: null, response_time_ms: null }, newest: null }
  return {
    incident,
    workspace,
    subject: subject?.kind === 'heartbeat' ? { ...subject, last_ping_at: heartbeat_state?.last_ping_at ?? null } : subject,
    checks: monitor_state ? checksOf(incident, monitor_state) : missed,
    team,
    assignee,
    escalation_policy,
    acknowledged_by: acknowledged_by_name,
    resolved_by: resolved_by_name
  }
}

/** Reads the facts by incident id. */
export async function readFacts(
  tx: Tx,
  incidents: readonly { tenant_id: string; incident_id: string }[]
): Promise<Map<string, DeliveryFacts>> {
  if (incidents.length === 0) return new Map()
  const { rows } = await tx.query<Row>({
    name: 'delivery-facts',
    text: SELECT,
    values: [incidents.map(({ tenant_id }) => tenant_id), incidents.map(({ incident_id }) => incident_id)]
  })
  return new Map(rows.map((row) => [row.incident_id, toFacts(row)]))
}
