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

/** Returns the notice for people, at `at` in epoch ms; null: there is none. */
export function expiryNotice({ tenant_id, window_id, name, deployment, end_used_at, team_ids }: Expired, at: number): FeedNotice | null {
  if (!deployment || deployment.on_expire === 'end' || end_used_at !== null) return null
  const [team_id = null] = team_ids
  return {
    tenant_id,
    key: `deployment:${window_id}:expired`,
    type: 'announcement',
    severity: 'warning',
    title: `A deployment has not ended: ${name}`.slice(0, 200),
    body: 'Its window ended by its bound, and nobody used the end token. What fails is told of again.',
    at,
    audience: 'editors',
    ...(team_id !== null && { about: { team_id, visibility: 'org' } })
  }
}
