/**
 * Reactions to feed items. Everybody who received a notice sees the reactions to it.
 *
 * Source: docs/design/api/notifications.md#no-17.
 */
import type { FeedCategory } from '../../schemas/http/feed.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

/** Maximum number of different emoji on one notice. */
export const MAX_KINDS = 20
/** Maximum number of reactions of one notice in an answer. */
const MAX_SHOWN = 200

export interface Reaction {
  emoji: string
  user_id: string
  /** Epoch ms. */
  created_at: number
}

interface Whose {
  tenant_id: string
  user_id: string
  item_id: string
  categories: readonly FeedCategory[]
}

/**
 * Locks the notice: nobody else reacts to it until the transaction ends. Returns null if the person
 * has no such item.
 */
async function lockNotice(tx: Tx, { tenant_id, user_id, item_id, categories }: Whose): Promise<string | null> {
  const { rows } = await tx.query<{ notice_id: string }>(
    'SELECT notice_id FROM feed WHERE tenant_id = $1 AND user_id = $2 AND item_id = $3 AND category = ANY ($4)',
    [tenant_id, user_id, item_id, categories]
  )
  const notice_id = rows[0]?.notice_id ?? null
  if (notice_id !== null) await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 82))', [`${tenant_id}:${notice_id}`])
  return notice_id
}

/** Adds a reaction. An existing one stays as it is. */
export async function react(tx: Tx, whose: Whose, emoji: string): Promise<'done' | 'unknown' | 'full'> {
  const notice_id = await lockNotice(tx, whose)
  if (notice_id === null) return 'unknown'
  const { tenant_id, user_id } = whose
  const { rows } = await tx.query<{ others: number }>(
    'SELECT count(DISTINCT emoji) AS others FROM feed_reactions WHERE tenant_id = $1 AND notice_id = $2 AND emoji <> $3',
    [tenant_id, notice_id, emoji]
  )
  if ((rows[0]?.others ?? 0) >= MAX_KINDS) return 'full'
  await tx.query('INSERT INTO feed_reactions (tenant_id, notice_id, emoji, user_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [
    tenant_id,
    notice_id,
    emoji,
    user_id
  ])
  return 'done'
}

/** Removes the person's own reaction. Returns false if the person has no such item. */
export async function takeBack(tx: Tx, whose: Whose, emoji: string): Promise<boolean> {
  const notice_id = await lockNotice(tx, whose)
  if (notice_id === null) return false
  await tx.query('DELETE FROM feed_reactions WHERE tenant_id = $1 AND notice_id = $2 AND emoji = $3 AND user_id = $4', [
    whose.tenant_id,
    notice_id,
    emoji,
    whose.user_id
  ])
  return true
}

/** Returns the reactions to these notices by notice, oldest first. */
export async function readReactions(tx: Tx, tenant_id: string, notice_ids: readonly string[]): Promise<Map<string, Reaction[]>> {
  if (notice_ids.length === 0) return new Map()
  const { rows } = await tx.query<Reaction & { notice_id: string }>(
    `SELECT r.notice_id, r.emoji, r.user_id, r.created_at FROM unnest($2::uuid[]) AS n (notice_id) CROSS JOIN LATERAL (
       SELECT notice_id, emoji, user_id, created_at FROM feed_reactions WHERE tenant_id = $1 AND notice_id = n.notice_id
        ORDER BY created_at, emoji, user_id LIMIT ${MAX_SHOWN}) r
      ORDER BY r.created_at, r.emoji, r.user_id`,
    [tenant_id, [...new Set(notice_ids)]]
  )
  const found = new Map<string, Reaction[]>()
  for (const { notice_id, ...reaction } of rows) found.set(notice_id, [...(found.get(notice_id) ?? []), reaction])
  return found
}

/** Deletes reactions to notices that have no items left. For service_system. */
export const forgetReactions = (pool: Pool): Promise<number> =>
  forget(pool, 'feed_reactions', 'NOT EXISTS (SELECT FROM feed f WHERE f.tenant_id = x.tenant_id AND f.notice_id = x.notice_id)')
