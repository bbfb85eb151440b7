/**
 * The one rule of what a person may see of what teams own: incidents, monitors, heartbeats,
 * integrations, and teams themselves. Row-level security (schemas/postgres/0028_teams.sql), frames,
 * feed and analytics take the lists of a person's `Sight`; nobody decides for themselves.
 *
 * An object is private when it says so, or when its team is private now. So a team that turns
 * private takes along what it owned before, resolved incidents too.
 * Source: docs/design/api/on-call.md#teams, docs/design/specification.md#s5-7.
 */
import type { MemberRole } from './endpoints.ts'
import { seesAllTeams } from './rights.ts'

export const teamVisibilities = ['org', 'private'] as const
export type TeamVisibility = (typeof teamVisibilities)[number]

export const teamRoles = ['member', 'lead'] as const
export type TeamRole = (typeof teamRoles)[number]

/** What says who may see an object. */
export interface Owned {
  team_id: string | null
  visibility: TeamVisibility
}

/**
 * Which teams' objects a person sees: all (owners, admins, and the service itself), or by ids.
 * `own`: teams that the person belongs to. `hidden`: private teams that they do not belong to,
 * deleted ones too. A team in neither is open to everybody of the workspace.
 */
export type Sight = 'all' | { readonly own: readonly string[]; readonly hidden: readonly string[] }

/** Teams as a credential carries them. */
export interface TeamLists {
  own_teams: readonly string[]
  hidden_teams: readonly string[]
}

/** A workspace, and who looks at it. */
export interface Viewer {
  readonly tenant_id: string
  /** The person whose teams count; null: all teams are seen. */
  readonly seen_by: string | null
}

/** For the service's own work, and for what counts against a plan. */
export const wholeWorkspace = (tenant_id: string): Viewer => ({ tenant_id, seen_by: null })

/** Whose teams count for somebody with this role. */
export const seenBy = (role: MemberRole, user_id: string): string | null => (seesAllTeams(role) ? null : user_id)

export const sightOf = (role: MemberRole, { own_teams, hidden_teams }: TeamLists): Sight =>
  seesAllTeams(role) ? 'all' : { own: own_teams, hidden: hidden_teams }

/** Private without a team is for those who see all teams. */
export function isVisible(sight: Sight, { team_id, visibility }: Owned): boolean {
  if (sight === 'all') return true
  if (visibility === 'private') return team_id !== null && sight.own.includes(team_id)
  return team_id === null || !sight.hidden.includes(team_id)
}

/**
 * Whether a person may change a team's members, name and visibility, and the integrations that
 * bring its alerts. Of a private team only its leads may, beside owners and admins; of an open one
 * everybody who may write.
 */
export const managesTeam = (role: MemberRole, visibility: TeamVisibility, teamRole: TeamRole | null): boolean =>
  seesAllTeams(role) || visibility === 'org' || teamRole === 'lead'
