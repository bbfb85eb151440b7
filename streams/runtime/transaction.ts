/**
 * One transaction of the loop. Either it is committed, or nothing of it happened, or (when the
 * connection broke at COMMIT) only the stored position can tell.
 */
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import type { RuntimeLog } from './connect.ts'
import { Crash } from './crash-point.ts'

/**
 * Runs `body` and commits. Any throw rolls back and is passed on. A COMMIT without an answer
 * rejects like a broken connection.
 *
 * `first` is sent in one group with BEGIN (services/store/gathering-client.ts), so it never runs
 * without it. The body then begins at once and may send queries (they leave in the same group). It
 * must await `begun`, the answer to `first`, before it writes anything that matters.
 */
export async function transaction<T>(
  pool: Pool,
  isolation: 'READ COMMITTED' | 'REPEATABLE READ',
  log: RuntimeLog,
  body: (tx: PoolClient, begun: Promise<QueryResult>) => Promise<T>,
  first?: QueryConfig
): Promise<T> {
  const client = await pool.connect()
  let broken = true
  // A connection may break between two statements. The next statement reports it, but an error
  // event without a listener would end the process.
  const onError = (error: Error): void => log.debug({ err: error }, 'a connection broke in a transaction')
  client.on('error', onError)
  try {
    const opened = client.query({ name: `begin ${isolation}`, text: `BEGIN ISOLATION LEVEL ${isolation}` })
    const begun = first ? client.query(first) : opened
    // Code that awaits `begun` learns of a failure of either.
    for (const answer of [opened, begun]) answer.catch(() => undefined)
    if (!first) await begun
    try {
      const result = await body(client, begun)
      const committed = await client.query('COMMIT')
      broken = false
      // Postgres answers the COMMIT of a failed transaction with ROLLBACK and no error.
      if (committed.command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed')
      return result
    } catch (error) {
      // Simulates a dead process: no ROLLBACK is sent, the connection just ends.
      if (error instanceof Crash) throw error
      await client.query('ROLLBACK').then(
        () => {
          broken = false
        },
        (rollback: unknown) => log.debug({ err: rollback }, 'rollback failed; the connection is dropped')
      )
      throw error
    }
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}
