/** Whether something is hidden from most people, as the api decides it. Pure. */
import type { TeamVisibility } from '../../../schemas/http/visibility.ts'
import type { Team } from '../api/shapes.ts'

/** Private by its own word, or because its team is private now. */
export const isPrivate = (visibility: TeamVisibility, team: Pick<Team, 'visibility'> | undefined): boolean =>
  visibility === 'private' || team?.visibility === 'private'
