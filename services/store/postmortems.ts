/**
 * Postmortems: what people write about an incident after it is over. Instants are epoch ms. Every
 * query takes the workspace first.
 * Source: docs/design/api/incidents.md#in-17.
 */
import type { PostmortemPart } from '../../schemas/http/postmortem-words.ts'
import type { ActionItem, postmortemStatuses } from '../../schemas/http/postmortems.ts'
import type { Tx } from './pool.ts'

export type PostmortemStatus = (typeof postmortemStatuses)[number]

/** What a person writes. */
export interface PostmortemText extends Record<PostmortemPart, string> {
  status: PostmortemStatus
  action_items: ActionItem[]
  timeline_refs: string[]
}

export interface StoredPostmortem extends PostmortemText {
  tenant_id: string
  incident_id: string
  ver: number
  created_at: number
  /** kind:id. */
  created_by: string
  updated_at: number
  updated_by: string
  /** When it was published; null: it is not published. */
  published_at: number | null
}

const COLUMNS = `p.tenant_id, p.incident_id, p.ver, p.status, p.impact, p.root_cause, p.detection, p.resolution, p.lessons, p.action_items,
  p.timeline_refs, p.created_at, p.created_by, p.updated_at, p.updated_by, p.published_at`

export async function readPostmortem(tx: Tx, tenant_id: string, incident_id: string): Promise<StoredPostmortem | null> {
  const { rows } = await tx.query<StoredPostmortem>(`SELECT ${COLUMNS} FROM postmortems p WHERE p.tenant_id = $1 AND p.incident_id = $2`, [
    tenant_id,
    incident_id
  ])
  const [row] = rows
  if (!row) return null
  // jsonb does not keep the order of fields. In a fixed order, equal items are equal text.
  const action_items = row.action_items.map(({ title, owner_id, due_on, done, link }) => ({ title, owner_id, due_on, done, link }))
  return { ...row, action_items }
}

export async function postmortemStatus(tx: Tx, tenant_id: string, incident_id: string): Promise<PostmortemStatus | 'none'> {
  const { rows } = await tx.query<{ status: PostmortemStatus }>(
    'SELECT status FROM postmortems WHERE tenant_id = $1 AND incident_id = $2',
    [tenant_id, incident_id]
  )
  return rows[0]?.status ?? 'none'
}

/**
 * Writes the version after `seen` (0: there is none yet). Returns false when somebody else wrote it
 * first.
 */
export async function writePostmortem(
  tx: Tx,
  tenant_id: string,
  incident_id: string,
  text: PostmortemText,
  { seen, by }: { seen: number; by: string }
): Promise<boolean> {
  const { status, impact, root_cause, detection, resolution, lessons, action_items, timeline_refs } = text
  const values = [
    tenant_id,
    incident_id,
    status,
    impact,
    root_cause,
    detection,
    resolution,
    lessons,
    JSON.stringify(action_items),
    timeline_refs,
    by
  ]
  const { rowCount } =
    seen === 0
      ? await tx.query(
          `INSERT INTO postmortems (tenant_id, incident_id, status, impact, root_cause, detection, resolution, lessons, action_items, timeline_refs,
             created_by, updated_by, published_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, CASE WHEN $3 = 'published' THEN now() END)
           ON CONFLICT (tenant_id, incident_id) DO NOTHING`,
          values
        )
      : await tx.query(
          `UPDATE postmortems SET ver = ver + 1, status = $3, impact = $4, root_cause = $5, detection = $6, resolution = $7, lessons = $8,
             action_items = $9, timeline_refs = $10, updated_by = $11, updated_at = now(),
             published_at = CASE WHEN $3 = 'published' THEN coalesce(published_at, now()) END
            WHERE tenant_id = $1 AND incident_id = $2 AND ver = $12`,
          [...values, seen]
        )
  return rowCount === 1
}

/** Returns those of `ids` that are not items of the incident's timeline. */
export async function strangeRefs(tx: Tx, tenant_id: string, incident_id: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM unnest($3::uuid[]) AS id
      WHERE NOT EXISTS (SELECT FROM incident_events e WHERE e.tenant_id = $1 AND e.incident_id = $2 AND e.event_id = id)`,
    [tenant_id, incident_id, ids]
  )
  return rows.map(({ id }) => id)
}

/** Returns the names of people by id. People who have left the workspace are missing. */
export async function namesOf(tx: Tx, tenant_id: string, user_ids: readonly string[]): Promise<Map<string, string>> {
  if (user_ids.length === 0) return new Map()
  const { rows } = await tx.query<{ user_id: string; name: string }>(
    'SELECT u.user_id, u.name FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND m.user_id = ANY ($2::uuid[])',
    [tenant_id, user_ids]
  )
  return new Map(rows.map(({ user_id, name }) => [user_id, name]))
}
