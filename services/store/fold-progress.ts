/**
 * How late the notifier's work and the folds are, and what still waits for the relay. The notifier
 * asks after an outage (services/notifier/catch-up.ts).
 */
import type { TopicName } from '../../schemas/topics.ts'
import { uuidv4 } from '../../schemas/uuid.ts'
import { type Pool, transaction } from './pool.ts'

/**
 * Returns, in ms, how late the oldest due job of these kinds or the oldest due delivery of an
 * incident is (`work`), and how long ago these processors last stored a position (`folds`). 0 when
 * nothing is due, or nothing was ever stored. Work that somebody holds, or that is tried again
 * later, does not count.
 */
export async function overdue(
  pool: Pool,
  kinds: readonly string[],
  processors: readonly string[]
): Promise<{ work: number; folds: number }> {
  const { rows } = await pool.query<{ work: number; folds: number }>(
    `SELECT (extract(epoch FROM now() - coalesce(least(
              (SELECT run_at FROM jobs WHERE run_at <= now() AND lease_until <= now() AND kind = ANY ($1) ORDER BY run_at LIMIT 1),
              (SELECT min(next_at) FROM deliveries WHERE open AND lane = 0 AND state <> 'sending' AND next_at <= now())
            ), now())) * 1000)::float8 AS work,
            (extract(epoch FROM now() - coalesce((SELECT max(updated_at) FROM stream_offsets WHERE processor = ANY ($2)), now())) * 1000)::float8 AS folds`,
    [kinds, processors]
  )
  return rows[0] ?? { work: 0, folds: 0 }
}

/** Returns the id of the newest outbox row for these topics; null when no row waits. */
export async function newestOutgoing(pool: Pool, topics: readonly TopicName[]): Promise<number | null> {
  const { rows } = await pool.query<{ id: number | null }>('SELECT max(id) AS id FROM outbox WHERE topic = ANY ($1)', [topics])
  return rows[0]?.id ?? null
}

/** Returns the oldest outbox row for these topics with an id up to `id`; null when none waits. */
export async function oldestOutgoing(pool: Pool, topics: readonly TopicName[], id: number): Promise<number | null> {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM outbox WHERE id <= $2 AND topic = ANY ($1) ORDER BY id LIMIT 1', [
    topics,
    id
  ])
  return rows[0]?.id ?? null
}

/**
 * Resolves when Postgres takes a write: a row that nobody else sees, and that is gone with the
 * commit. The commit waits for the disk, and for a synchronous standby, as that of a job does.
 */
export async function tryToWrite(pool: Pool): Promise<void> {
  const name = uuidv4()
  await transaction(pool, async (tx) => {
    await tx.query("INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ($1, '', 0, 0, '')", [name])
    await tx.query('DELETE FROM stream_offsets WHERE processor = $1', [name])
  })
}

/**
 * Returns Postgres's time, epoch ms, until which everything for the topic is on the log: `seconds`
 * ago, or the time of the oldest outbox row that waits for the relay, if that is earlier.
 */
export async function appendedUntil(pool: Pool, topic: TopicName, seconds: number): Promise<number> {
  const { rows } = await pool.query<{ at: number }>(
    `SELECT least(clock_timestamp() - make_interval(secs => $1), (SELECT min(created_at) FROM outbox WHERE topic = $2)) AS at`,
    [seconds, topic]
  )
  return rows[0]?.at ?? 0
}
