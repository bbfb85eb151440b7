/**
 * The notice about a deployment window that reached its bound before anybody reported the end of
 * the deployment.
 * Source: docs/design/api/maintenance.md#dm-1.
 */
import type { FeedNotice } from '../define.ts'

export interface Expired {
  tenant_id: string
  window_id: string
  name: string
  deployment: { on_expire: 'end' | 'alert' } | null
  end_used_at: number | null
  /** Teams of the targets that the window names. */
  team_ids: readonly string[]
}

/**
 * Returns the notice for people, at `at` in epoch ms; null: there is none. A window that names what
 * somebody must not see is not there for them. So a window of one private team is told to that
 * team, and one of several only to those who see all teams.
 */
export function expiryNotice(
  { tenant_id, window_id, name, deployment, end_used_at, team_ids }: Expired,
  private_team_ids: readonly string[],
  at: number
): FeedNotice | null {
  if (!deployment || deployment.on_expire === 'end' || end_used_at !== null) return null
  const hidden = team_ids.filter((id) => private_team_ids.includes(id))
  const [team_id = null] = hidden.length > 0 ? hidden : team_ids
  return {
    tenant_id,
    key: `deployment:${window_id}:expired`,
    type: 'announcement',
    severity: 'warning',
    title: `A deployment has not ended: ${name}`.slice(0, 200),
    body: 'Its window reached its maximum duration, and nobody used the end token. People are notified of failures again.',
    at,
    audience: hidden.length > 1 ? 'admins' : 'editors',
    ...(team_id !== null && hidden.length < 2 && { about: { team_id, visibility: 'org' } })
  }
}
