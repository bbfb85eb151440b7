/**
 * Says who receives the frames about things that teams own: the record header `audience`. This file
 * does not know whether a team is private at the moment. The gateway checks that with the
 * credentials of its sockets (services/gateway/channels.ts).
 *
 * Source: docs/design/architecture.md#s9, schemas/http/visibility.ts.
 */
import type { Owned } from '../schemas/http/visibility.ts'
import type { Audience } from './define.ts'

/**
 * Returns the audience. Null for something private that has no team: no socket may receive it, and
 * it must not widen to the whole workspace.
 */
export function audienceOf({ team_id, visibility }: Owned): Audience | null {
  if (visibility === 'private') return team_id === null ? null : `team:${team_id}`
  return team_id === null ? 'tenant' : `org-team:${team_id}`
}
