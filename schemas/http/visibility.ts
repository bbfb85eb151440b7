/**
 * The single rule for what a person may see of the objects that teams own: incidents, monitors,
 * heartbeats, integrations, and the teams themselves. Row-level security
 * (schemas/postgres/0028_teams.sql), frames, feed and analytics all use the lists in a person's
 * `Sight` and decide nothing themselves.
 *
 * An object is private when its own visibility says so, or when its team is private now. So when a
 * team turns private, everything that it already owned becomes private too, including resolved
 * incidents.
 * Source: docs/design/api/on-call.md#teams, docs/design/specification.md#s5-7.
 */
import type { MemberRole } from './endpoints.ts'
import { seesAllTeams } from './rights.ts'

export const teamVisibilities = ['org', 'private'] as const
export type TeamVisibility = (typeof teamVisibilities)[number]

export const teamRoles = ['member', 'lead'] as const
export type TeamRole = (typeof teamRoles)[number]

/** The fields that decide who may see an object. */
export interface Owned {
  team_id: string | null
  visibility: TeamVisibility
}

/**
 * The teams whose objects a person sees. `'all'` is for owners, admins and the service itself.
 * Otherwise: `own` are the teams that the person belongs to, and `hidden` are the private teams
 * that they do not belong to, including deleted ones. A team in neither list is open to everybody
 * in the workspace.
 */
export type Sight = 'all' | { readonly own: readonly string[]; readonly hidden: readonly string[] }

/** The team lists in a credential. */
export interface TeamLists {
  own_teams: readonly string[]
  hidden_teams: readonly string[]
}

/** A workspace, and the person who looks at it. */
export interface Viewer {
  readonly tenant_id: string
  /** The person whose teams decide what is visible. Null: all teams are visible. */
  readonly seen_by: string | null
}

/** Returns the viewer for the service's own work, and for what counts against a plan. */
export const wholeWorkspace = (tenant_id: string): Viewer => ({ tenant_id, seen_by: null })

/** Returns the person whose teams decide what this role sees. Null: the role sees all teams. */
export const seenBy = (role: MemberRole, user_id: string): string | null => (seesAllTeams(role) ? null : user_id)

export const sightOf = (role: MemberRole, { own_teams, hidden_teams }: TeamLists): Sight =>
  seesAllTeams(role) ? 'all' : { own: own_teams, hidden: hidden_teams }

/**
 * Returns whether an object is visible. A private object without a team is visible only to those
 * who see all teams.
 */
export function isVisible(sight: Sight, { team_id, visibility }: Owned): boolean {
  if (sight === 'all') return true
  if (visibility === 'private') return team_id !== null && sight.own.includes(team_id)
  return team_id === null || !sight.hidden.includes(team_id)
}

/**
 * Returns whether a person may change a team's members, name and visibility, and the integrations
 * that bring its alerts. For a private team only owners, admins and the team's leads may. For an
 * open team everybody who has the right to write may.
 */
export const managesTeam = (role: MemberRole, visibility: TeamVisibility, teamRole: TeamRole | null): boolean =>
  seesAllTeams(role) || visibility === 'org' || teamRole === 'lead'
