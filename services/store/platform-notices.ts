/**
 * Notices of the service about itself: its own outages that moved deadlines, and clocks that are
 * wrong. Every partition and every door that notices one reports it. The table holds each only
 * once: notices of one kind that overlap, or lie close together, become one row.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { Notice } from '../../streams/define.ts'
import type { Pool, Tx } from './pool.ts'

type Kind = 'ingest_gap' | 'clock'

const kinds: Record<Notice['cause'], Kind> = {
  tick_gap: 'ingest_gap',
  door_refused: 'ingest_gap',
  door_unconfirmed: 'ingest_gap',
  ticks_ignored: 'clock',
  results_skewed: 'clock'
}

export interface PlatformNotice {
  notice_id: string
  kind: Kind
  /** Epoch ms. */
  started_at: number
  ended_at: number
  /** For a wrong clock also its name: docs/operations.md. */
  causes: string[]
}

/**
 * Saves notices in the caller's transaction. Writers take turns, because two that see no row yet
 * must not both make one.
 */
export async function saveNotices(tx: Tx, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return
  for (const { cause, from, to } of notices) await saveNotice(tx, kinds[cause], cause, from, to)
}

async function saveNotice(tx: Tx, kind: Kind, cause: string, from: number, to: number): Promise<void> {
  await tx.query('SELECT save_platform_notice($1, $2, $3, $4, $5)', [uuidv7(), kind, cause, new Date(from), new Date(to)])
}

/**
 * Saves a door's notice of a wrong clock, at the present time of Postgres's clock. Runs as
 * service_tenant, which may save no other notice.
 */
export async function saveClockNotice(pool: Pick<Pool, 'query'>, cause: string): Promise<void> {
  await pool.query('SELECT save_clock_notice($1, $2)', [uuidv7(), cause])
}

/** The newest notices, newest first. */
export async function listNotices(tx: Tx, limit: number): Promise<PlatformNotice[]> {
  const { rows } = await tx.query<PlatformNotice>(
    'SELECT notice_id, kind, started_at, ended_at, causes FROM platform_notices ORDER BY started_at DESC LIMIT $1',
    [limit]
  )
  return rows
}
