/**
 * The facts that a message reports about an incident, as they are when the notification is decided.
 * They are stored with the delivery, so that every attempt says the same.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { columnsOf, toIncident } from './incident-rows.ts'
import type { Tx } from './pool.ts'

export interface DeliveryFacts {
  incident: Incident
  workspace: { name: string; slug: string }
  subject: MonitorFacts | HeartbeatFacts | null
  team: { id: string; name: string } | null
  assignee: { id: string; name: string } | null
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
}

type Row = Incident & {
  workspace: DeliveryFacts['workspace']
  subject: DeliveryFacts['subject']
  team: DeliveryFacts['team']
  assignee: DeliveryFacts['assignee']
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
         ${nameIn('i.acknowledged_by')} AS acknowledged_by_name, ${nameIn('i.resolved_by')} AS resolved_by_name
    FROM unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, incident_id)
    JOIN incidents i ON i.tenant_id = k.tenant_id AND i.incident_id = k.incident_id
    JOIN tenants t ON t.tenant_id = i.tenant_id
    LEFT JOIN monitors m ON m.tenant_id = i.tenant_id AND m.monitor_id = i.monitor_id
    LEFT JOIN heartbeats h ON h.tenant_id = i.tenant_id AND h.heartbeat_id = i.heartbeat_id
    LEFT JOIN teams g ON g.tenant_id = i.tenant_id AND g.team_id = i.team_id`

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
  return new Map(
    rows.map(({ workspace, subject, team, assignee, acknowledged_by_name, resolved_by_name, ...incident }) => [
      incident.incident_id,
      {
        incident: toIncident(incident),
        workspace,
        subject,
        team,
        assignee,
        acknowledged_by: acknowledged_by_name,
        resolved_by: resolved_by_name
      }
    ])
  )
}
