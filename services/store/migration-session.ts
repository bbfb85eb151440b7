/** The session in which migrations run, as the owner. */
import type pg from 'pg'
import { createPool } from './pool.ts'

export interface MigrationSession {
  client: pg.PoolClient
  /** Describes the longest transaction of others on the database. */
  longestTransaction(): Promise<string>
  /** Frees the lock. */
  close(): Promise<void>
}

/**
 * Opens a session and waits for the lock `turn`, by which migrators take turns, as long as it
 * takes. Afterwards a statement that waits `lockWaitMs` for a lock fails with 55P03.
 */
export async function openMigrationSession(ownerUrl: string, turn: number, lockWaitMs: number): Promise<MigrationSession> {
  const pool = createPool(ownerUrl, { application_name: 'migrate', max: 1, statementTimeoutMs: 0 })
  const client = await pool.connect()
  const close = async (): Promise<void> => {
    // The end of the session frees the lock.
    client.release(true)
    await pool.end()
  }
  try {
    await client.query(`SELECT pg_advisory_lock(${turn})`)
    await client.query(`SET lock_timeout = ${lockWaitMs}`)
  } catch (error) {
    await close()
    throw error
  }
  return {
    client,
    close,
    async longestTransaction() {
      const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(
        `SELECT pid, coalesce(nullif(application_name, ''), usename::text, backend_type) AS name, extract(epoch FROM now() - xact_start)::integer AS seconds
           FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 1`
      )
      const [found] = rows
      return found
        ? `the longest transaction now is that of ${found.name} (process ${found.pid}), for ${found.seconds} s`
        : 'no transaction is open now'
    }
  }
}
