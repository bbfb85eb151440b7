/** Whether something is hidden from most people, by the same rule as in the api. Pure. */
import type { TeamVisibility } from '../../../schemas/http/visibility.ts'
import type { Team } from '../api/shapes.ts'

/** Private by its own setting, or because its team is private now. */
export const isPrivate = (visibility: TeamVisibility, team: Pick<Team, 'visibility'> | undefined): boolean =>
  visibility === 'private' || team?.visibility === 'private'
