/**
 * Teams of a workspace and their members. Whoever changes them holds the workspace's lock
 * (store/tenants.ts). The row of a deleted team is kept as long as its workspace exists, so that
 * what the team owned stays as private as it was.
 * Source: docs/design/api/on-call.md#teams.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import { MAX_TEAM_MEMBERS } from '../../schemas/http/teams.ts'
import type { TeamRole, TeamVisibility } from '../../schemas/http/visibility.ts'
import type { Tx } from './pool.ts'

/** What people set. */
export interface TeamSettings {
  name: string
  slug: string
  description: string
  visibility: TeamVisibility
  escalation_policy_id: string | null
}

export interface Team extends TeamSettings {
  tenant_id: string
  team_id: string
  member_count: number
  ver: number
  /** Epoch ms. */
  created_at: number
  updated_at: number
}

export interface TeamMember {
  user_id: string
  name: string
  email: string
  role: TeamRole
  workspace_role: MemberRole
  /** Epoch ms. */
  joined_at: number
}

const COLUMNS = `t.tenant_id, t.team_id, t.name, t.slug, t.description, t.visibility, t.escalation_policy_id, t.ver, t.created_at, t.updated_at,
  (SELECT count(*) FROM team_members m WHERE m.tenant_id = t.tenant_id AND m.team_id = t.team_id) AS member_count`

export interface TeamFilter {
  q?: string | undefined
  visibility?: TeamVisibility | undefined
  /** Teams that this person belongs to. */
  user_id?: string | undefined
}

const WHERE = `t.tenant_id = $1 AND t.deleted_at IS NULL
  AND ($2::text IS NULL OR t.name ILIKE $2 OR t.slug ILIKE $2) AND ($3::text IS NULL OR t.visibility = $3)
  AND ($4::uuid IS NULL OR EXISTS (SELECT FROM team_members m WHERE m.tenant_id = t.tenant_id AND m.team_id = t.team_id AND m.user_id = $4))`

/** Lists the teams, sorted by name. */
export async function listTeams(
  tx: Tx,
  tenant_id: string,
  { q, visibility, user_id }: TeamFilter,
  { page, per_page }: Page
): Promise<{ items: Team[]; total: number }> {
  const part = q === undefined ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const values = [tenant_id, part, visibility ?? null, user_id ?? null]
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM teams t WHERE ${WHERE}`, values)
  const { rows } = await tx.query<Team>(
    `SELECT ${COLUMNS} FROM teams t WHERE ${WHERE} ORDER BY lower(t.name), t.team_id LIMIT $5 OFFSET $6`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

export async function countTeams(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM teams WHERE tenant_id = $1 AND deleted_at IS NULL', [tenant_id])
  return rows[0]?.count ?? 0
}

/**
 * SQL: whether neither the object with alias `x` nor its team is private (`Owned` of
 * schemas/http/visibility.ts). The transaction must see the object.
 */
export const openSql = (x: string): string => `(${x}.visibility = 'org' AND NOT EXISTS (
  SELECT FROM teams p WHERE p.tenant_id = ${x}.tenant_id AND p.team_id = ${x}.team_id AND p.visibility = 'private'))`

/** The team, or null. */
export async function readTeam(tx: Tx, tenant_id: string, team_id: string): Promise<Team | null> {
  const { rows } = await tx.query<Team>(
    `SELECT ${COLUMNS} FROM teams t WHERE t.tenant_id = $1 AND t.team_id = $2 AND t.deleted_at IS NULL`,
    [tenant_id, team_id]
  )
  return rows[0] ?? null
}

/** Leads first, then by name. */
export async function listTeamMembers(tx: Tx, tenant_id: string, team_id: string): Promise<TeamMember[]> {
  const { rows } = await tx.query<TeamMember>(
    `SELECT m.user_id, u.name, u.email, m.role, w.role AS workspace_role, m.created_at AS joined_at
       FROM team_members m JOIN members w ON w.tenant_id = m.tenant_id AND w.user_id = m.user_id JOIN users u ON u.user_id = m.user_id
      WHERE m.tenant_id = $1 AND m.team_id = $2 ORDER BY m.role, lower(u.name), m.user_id`,
    [tenant_id, team_id]
  )
  return rows
}

/** Null: the person is not a member of the team. */
export async function readTeamRole(tx: Tx, tenant_id: string, team_id: string, user_id: string): Promise<TeamRole | null> {
  const { rows } = await tx.query<{ role: TeamRole }>(
    'SELECT role FROM team_members WHERE tenant_id = $1 AND team_id = $2 AND user_id = $3',
    [tenant_id, team_id, user_id]
  )
  return rows[0]?.role ?? null
}

/** The visibility of a team, and the role of a person in it. */
export interface Standing {
  visibility: TeamVisibility
  /** null: no member. */
  role: TeamRole | null
}

/**
 * Returns a person's standing in every team, including deleted ones. Hidden teams are among them
 * only under `seeingAll`.
 */
export async function standingsOf(tx: Tx, tenant_id: string, user_id: string): Promise<ReadonlyMap<string, Standing>> {
  const { rows } = await tx.query<Standing & { team_id: string }>(
    `SELECT t.team_id, t.visibility, m.role FROM teams t
       LEFT JOIN team_members m ON m.tenant_id = t.tenant_id AND m.team_id = t.team_id AND m.user_id = $2
      WHERE t.tenant_id = $1`,
    [tenant_id, user_id]
  )
  return new Map(rows.map(({ team_id, visibility, role }) => [team_id, { visibility, role }]))
}

/** Returns the ids of a person's teams, ordered by name. */
export async function teamsOf(tx: Tx, tenant_id: string, user_id: string): Promise<string[]> {
  const { rows } = await tx.query<{ team_id: string }>(
    `SELECT t.team_id FROM team_members m JOIN teams t ON t.tenant_id = m.tenant_id AND t.team_id = m.team_id
      WHERE m.tenant_id = $1 AND m.user_id = $2 AND t.deleted_at IS NULL ORDER BY lower(t.name), t.team_id`,
    [tenant_id, user_id]
  )
  return rows.map(({ team_id }) => team_id)
}

/** Rejects with Postgres's unique_violation (23505) when the slug is taken. */
export async function insertTeam(
  tx: Tx,
  tenant_id: string,
  team_id: string,
  { name, slug, description, visibility, escalation_policy_id }: TeamSettings
): Promise<void> {
  await tx.query(
    'INSERT INTO teams (tenant_id, team_id, name, slug, description, visibility, escalation_policy_id) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [tenant_id, team_id, name, slug, description, visibility, escalation_policy_id]
  )
}

/** Updates a team. Rejects like insertTeam. */
export async function updateTeam(
  tx: Tx,
  tenant_id: string,
  team_id: string,
  { name, slug, description, visibility, escalation_policy_id }: TeamSettings
): Promise<void> {
  await tx.query(
    `UPDATE teams SET name = $3, slug = $4, description = $5, visibility = $6, escalation_policy_id = $7, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND team_id = $2`,
    [tenant_id, team_id, name, slug, description, visibility, escalation_policy_id]
  )
}

/** Removes the members and marks the team as deleted; the row stays. */
export async function deleteTeam(tx: Tx, tenant_id: string, team_id: string): Promise<void> {
  await tx.query('DELETE FROM team_members WHERE tenant_id = $1 AND team_id = $2', [tenant_id, team_id])
  await tx.query('UPDATE teams SET deleted_at = now(), ver = ver + 1, updated_at = now() WHERE tenant_id = $1 AND team_id = $2', [
    tenant_id,
    team_id
  ])
}

/** Returns false when the person has that role there already. */
export async function putTeamMember(tx: Tx, tenant_id: string, team_id: string, user_id: string, role: TeamRole): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO team_members AS m (tenant_id, team_id, user_id, role) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant_id, team_id, user_id) DO UPDATE SET role = excluded.role WHERE m.role <> excluded.role`,
    [tenant_id, team_id, user_id, role]
  )
  return rowCount === 1
}

/**
 * Makes a person a member of those teams that exist and have room for one more. Returns their ids.
 * A team that was deleted, or filled up, since somebody named it is skipped.
 */
export async function joinTeams(tx: Tx, tenant_id: string, user_id: string, team_ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ team_id: string }>(
    `INSERT INTO team_members (tenant_id, team_id, user_id, role)
     SELECT t.tenant_id, t.team_id, $2, 'member' FROM teams t
      WHERE t.tenant_id = $1 AND t.team_id = ANY ($3::uuid[]) AND t.deleted_at IS NULL
        AND (SELECT count(*) FROM team_members m WHERE m.tenant_id = t.tenant_id AND m.team_id = t.team_id) < $4
      ORDER BY t.team_id
     ON CONFLICT (tenant_id, team_id, user_id) DO NOTHING RETURNING team_id`,
    [tenant_id, user_id, team_ids, MAX_TEAM_MEMBERS]
  )
  return rows.map(({ team_id }) => team_id)
}

/** Returns false when the person was not a member of it. */
export async function deleteTeamMember(tx: Tx, tenant_id: string, team_id: string, user_id: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM team_members WHERE tenant_id = $1 AND team_id = $2 AND user_id = $3', [
    tenant_id,
    team_id,
    user_id
  ])
  return rowCount === 1
}

/** Counts of what still belongs to a team or refers to it. */
export interface TeamUses {
  monitors: number
  heartbeats: number
  integrations: number
  channels: number
  /** Ongoing ones. */
  incidents: number
  /** Policies that name it among their targets, or belong to it. */
  escalation_policies: number
  /** Rules of the version in force that give alerts to it, or name it in a condition. */
  routing_rules: number
  schedules: number
}

export async function usesOfTeam(tx: Tx, tenant_id: string, team_id: string): Promise<TeamUses> {
  const { rows } = await tx.query<TeamUses>(
    `SELECT (SELECT count(*) FROM monitors WHERE tenant_id = $1 AND team_id = $2 AND deleted_at IS NULL) AS monitors,
            (SELECT count(*) FROM heartbeats WHERE tenant_id = $1 AND team_id = $2 AND deleted_at IS NULL) AS heartbeats,
            (SELECT count(*) FROM integrations WHERE tenant_id = $1 AND team_id = $2) AS integrations,
            (SELECT count(*) FROM notification_channels WHERE tenant_id = $1 AND team_id = $2 AND deleted_at IS NULL) AS channels,
            (SELECT count(*) FROM incidents WHERE tenant_id = $1 AND team_id = $2 AND status = 'ongoing') AS incidents,
            (SELECT count(*) FROM escalation_policies WHERE tenant_id = $1 AND deleted_at IS NULL AND (team_id = $2
              OR jsonb_path_exists(body, '$.steps[*].targets[*] ? (@.type == "team" && @.id == $id)', jsonb_build_object('id', $2::text)))) AS escalation_policies,
            (SELECT count(*) FROM routing_heads h JOIN routing_rule_sets s USING (tenant_id, version)
              CROSS JOIN jsonb_array_elements(s.rules) AS r (rule)
              WHERE h.tenant_id = $1 AND (rule #>> '{actions,team_id}' = $2::text OR jsonb_path_exists(rule,
                '$.match.*[*] ? (@.field == "team_id" && @.value[*] == $id)', jsonb_build_object('id', $2::text)))) AS routing_rules,
            (SELECT count(*) FROM schedules WHERE tenant_id = $1 AND team_id = $2 AND deleted_at IS NULL) AS schedules`,
    [tenant_id, team_id]
  )
  return (
    rows[0] ?? {
      monitors: 0,
      heartbeats: 0,
      integrations: 0,
      channels: 0,
      incidents: 0,
      escalation_policies: 0,
      routing_rules: 0,
      schedules: 0
    }
  )
}

/** An ongoing incident that some people will soon no longer see. */
export interface LeavingIncident {
  incident_id: string
  monitor_id: string | null
  ver: number
}

/**
 * Returns the ongoing incidents of a team, newest first, at most `most`. With `visibility`, only
 * incidents that have it.
 */
export async function ongoingOf(
  tx: Tx,
  tenant_id: string,
  team_id: string,
  most: number,
  visibility: TeamVisibility | null
): Promise<LeavingIncident[]> {
  const { rows } = await tx.query<LeavingIncident>(
    `SELECT incident_id, monitor_id, ver FROM incidents
      WHERE tenant_id = $1 AND team_id = $2 AND status = 'ongoing' AND ($4::text IS NULL OR visibility = $4)
      ORDER BY started_at DESC, incident_id LIMIT $3`,
    [tenant_id, team_id, most, visibility]
  )
  return rows
}

/** Returns the teams that the transaction may see, as lists, for queries outside Postgres. */
export async function readSight(tx: Tx): Promise<{ own: string[]; hidden: string[] } | 'all'> {
  const { rows } = await tx.query<{ all: boolean; own: string[] | null; hidden: string[] | null }>(
    'SELECT sees_all_teams() AS all, own_teams() AS own, hidden_teams() AS hidden'
  )
  const [sight] = rows
  return sight?.all ? 'all' : { own: sight?.own ?? [], hidden: sight?.hidden ?? [] }
}
