/**
 * Who gets the frames of what teams own: the record header `audience`. Whether a team is private
 * now is not known here; the gateway asks the credentials of its sockets (services/gateway/
 * channels.ts).
 * Source: docs/design/architecture.md#s9, schemas/http/visibility.ts.
 */
import type { Owned } from '../schemas/http/visibility.ts'
import type { Audience } from './define.ts'

/** Null: private without a team is for nobody's socket; it must not widen to the workspace. */
export function audienceOf({ team_id, visibility }: Owned): Audience | null {
  if (visibility === 'private') return team_id === null ? null : `team:${team_id}`
  return team_id === null ? 'tenant' : `org-team:${team_id}`
}
