/** Who may change what a team owns, by the same rule as in the api. Pure. */
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { managesTeam, type TeamVisibility } from '../../../schemas/http/visibility.ts'

interface Listed {
  id: string
  visibility: TeamVisibility
}

/**
 * Whether a person with this role may change what a team owns. `teams`: the teams that they see;
 * undefined while the list is not read. 'ask': their role in the team decides. Null: not known yet.
 * What no team owns belongs to the whole workspace, and so does what a deleted team owned.
 */
export function managesOwner(role: MemberRole, team_id: string | null, teams: readonly Listed[] | undefined): boolean | 'ask' | null {
  if (team_id === null || managesTeam(role, 'private', null)) return true
  if (!teams) return null
  const team = teams.find(({ id }) => id === team_id)
  return !team || managesTeam(role, team.visibility, null) || 'ask'
}
