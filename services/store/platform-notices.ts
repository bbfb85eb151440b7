/**
 * What the service says about itself: outages of ours that moved deadlines. Every partition and
 * every door that saw one reports it; the rows hold each outage once, since notices that overlap,
 * or lie closer together than a tick gap is long, are one.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { Notice } from '../../streams/define.ts'
import type { Tx } from './pool.ts'

export interface PlatformNotice {
  notice_id: string
  kind: 'ingest_gap'
  /** Epoch ms. */
  started_at: number
  ended_at: number
  causes: Notice['cause'][]
}

/**
 * Notices this close to one another are the same outage: doors and partitions come back one after
 * the other.
 */
const SAME_OUTAGE_SECONDS = 30

const OVERLAPS = `started_at <= $2::timestamptz + interval '${SAME_OUTAGE_SECONDS} seconds' AND ended_at >= $1::timestamptz - interval '${SAME_OUTAGE_SECONDS} seconds'`

/**
 * In the transaction of whoever noticed. Writers take turns: two that see no row yet must not both
 * make one.
 */
export async function saveNotices(tx: Tx, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return
  await tx.query("SELECT pg_advisory_xact_lock(hashtext('platform_notices'))")
  for (const { cause, from, to } of notices) {
    const span = [new Date(from), new Date(to)]
    const { rows } = await tx.query<{ notice_id: string }>(
      `SELECT notice_id FROM platform_notices WHERE kind = 'ingest_gap' AND ${OVERLAPS} ORDER BY started_at`,
      span
    )
    const [first, ...others] = rows.map((row) => row.notice_id)
    if (first === undefined) {
      await tx.query(
        "INSERT INTO platform_notices (notice_id, kind, started_at, ended_at, causes) VALUES ($1, 'ingest_gap', $2, $3, ARRAY[$4])",
        [uuidv7(), ...span, cause]
      )
      continue
    }
    // One that lies between two makes them one.
    await tx.query(
      `UPDATE platform_notices n
          SET started_at = least(m.started_at, $3), ended_at = greatest(m.ended_at, $4), updated_at = now(),
              causes = (SELECT array_agg(DISTINCT c ORDER BY c) FROM unnest(m.causes || $5::text) AS c)
         FROM (SELECT min(p.started_at) AS started_at, max(p.ended_at) AS ended_at, array_agg(DISTINCT c) AS causes
                 FROM platform_notices p, unnest(p.causes) AS c WHERE p.notice_id = ANY ($2::uuid[])) AS m
        WHERE n.notice_id = $1`,
      [first, [first, ...others], ...span, cause]
    )
    if (others.length > 0) await tx.query('DELETE FROM platform_notices WHERE notice_id = ANY ($1::uuid[])', [others])
  }
}

/** The newest notices, newest first. */
export async function listNotices(tx: Tx, limit: number): Promise<PlatformNotice[]> {
  const { rows } = await tx.query<PlatformNotice>(
    'SELECT notice_id, kind, started_at, ended_at, causes FROM platform_notices ORDER BY started_at DESC LIMIT $1',
    [limit]
  )
  return rows
}
