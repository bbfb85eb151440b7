/**
 * What a digest or a hand-off tells a person about incidents that they may see. It runs as
 * service_system, which sees all teams, so these queries check what the person may see.
 *
 * Source: docs/design/api/notifications.md#digests.
 */
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import { feedCategoriesOf, rightsOf, seesAllTeams } from '../../schemas/http/rights.ts'
import type { TeamLists } from '../../schemas/http/visibility.ts'
import type { DigestFacts, DigestIncident } from '../../streams/reach/digest.ts'
import type { NoticeFacts } from '../../streams/reach/shift-notices.ts'
import { readableZone } from '../../streams/zone-names.ts'
import type { Tx } from './pool.ts'

/** Same rule as isVisible (schemas/http/visibility.ts). */
const SEEN = `i.tenant_id = $1 AND i.merged_into IS NULL AND ($2 OR CASE i.visibility WHEN 'private' THEN coalesce(i.team_id = ANY ($3::uuid[]), false)
  ELSE i.team_id IS NULL OR i.team_id <> ALL ($4::uuid[]) END)`
const ROW = 'i.number, i.title, i.severity, i.started_at, i.resolved_at'
/** Maximum number of incidents that are listed; a text names fewer. */
const MAX_ROWS = 50

type Reader = TeamLists & { role: MemberRole }
type Row = DigestIncident & { total: number; acknowledged: boolean }

const valuesOf = (tenant_id: string, { role, own_teams, hidden_teams }: Reader): unknown[] => [
  tenant_id,
  seesAllTeams(role),
  own_teams,
  hidden_teams
]

/** People with the billing role are told of no incidents. */
const hears = ({ role }: Reader): boolean => feedCategoriesOf(rightsOf(role, null)).includes('incident')

async function ongoing(tx: Tx, tenant_id: string, reader: Reader): Promise<{ total: number; named: Row[] }> {
  if (!hears(reader)) return { total: 0, named: [] }
  const { rows } = await tx.query<Row>(
    `SELECT ${ROW}, i.acknowledged_at IS NOT NULL AS acknowledged, count(*) OVER () AS total FROM incidents i WHERE ${SEEN} AND i.status = 'ongoing'
      ORDER BY array_position(ARRAY['critical', 'warning', 'info'], i.severity), i.started_at, i.number LIMIT ${MAX_ROWS}`,
    valuesOf(tenant_id, reader)
  )
  return { total: rows[0]?.total ?? 0, named: rows }
}

/** Reads the ongoing incidents that the person may see. */
export async function readOpen(tx: Tx, tenant_id: string, reader: Reader): Promise<NoticeFacts['open']> {
  const { total, named } = await ongoing(tx, tenant_id, reader)
  return { total, named: named.map(({ number, title, severity, acknowledged }) => ({ number, title, severity, acknowledged })) }
}

/** Reads what happened between two times (epoch ms), and what is open now. */
export async function readDigest(
  tx: Tx,
  tenant_id: string,
  reader: Reader,
  { from, to }: { from: number; to: number }
): Promise<Pick<DigestFacts, 'open' | 'opened' | 'over'>> {
  const open = await ongoing(tx, tenant_id, reader)
  if (!hears(reader)) return { open, opened: 0, over: { total: 0, named: [] } }
  const values = [...valuesOf(tenant_id, reader), new Date(from), new Date(to)]
  const { rows: counted } = await tx.query<{ opened: number }>(
    `SELECT count(*) AS opened FROM incidents i WHERE ${SEEN} AND i.opened_at >= $5 AND i.opened_at < $6`,
    values
  )
  const { rows: over } = await tx.query<Row>(
    `SELECT ${ROW}, count(*) OVER () AS total FROM incidents i WHERE ${SEEN} AND i.status = 'resolved' AND i.resolved_at >= $5 AND i.resolved_at < $6
      ORDER BY i.resolved_at DESC, i.number LIMIT ${MAX_ROWS}`,
    values
  )
  return { open, opened: counted[0]?.opened ?? 0, over: { total: over[0]?.total ?? 0, named: over } }
}

/** A person as a digest or reminder needs them. Null: not a member, or the account is disabled. */
export interface Told extends Reader {
  user_id: string
  name: string
  /** The time zone of the account, else of the workspace. */
  time_zone: string
  workspace: { name: string; slug: string }
  /** In their order. */
  methods: { method_id: string; kind: string; verified: boolean }[]
  /** The preferences that they have set; empty: none. */
  wishes: Record<string, unknown>
}

export async function readTold(tx: Tx, tenant_id: string, user_ids: readonly string[]): Promise<Map<string, Told>> {
  const { rows } = await tx.query<Told>(
    `SELECT m.user_id, m.role, u.name, coalesce(u.time_zone, t.time_zone) AS time_zone, jsonb_build_object('name', t.name, 'slug', t.slug) AS workspace, l.own_teams, l.hidden_teams, coalesce(p.body, '{}') AS wishes,
            coalesce((SELECT json_agg(json_build_object('method_id', c.method_id, 'kind', c.kind, 'verified', c.verified_at IS NOT NULL)
                                      ORDER BY c.position, c.created_at, c.method_id)
                        FROM contact_methods c WHERE c.tenant_id = m.tenant_id AND c.user_id = m.user_id), '[]') AS methods
       FROM members m JOIN users u USING (user_id) JOIN tenants t ON t.tenant_id = m.tenant_id CROSS JOIN LATERAL team_lists(m.tenant_id, m.user_id) l
       LEFT JOIN notification_preferences p ON p.tenant_id = m.tenant_id AND p.user_id = m.user_id
      WHERE m.tenant_id = $1 AND m.user_id = ANY ($2::uuid[]) AND u.disabled_at IS NULL`,
    [tenant_id, user_ids]
  )
  return new Map(rows.map((row) => [row.user_id, { ...row, time_zone: readableZone(row.time_zone) ?? 'UTC' }]))
}
