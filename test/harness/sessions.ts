/** Ends Postgres sessions from outside, as an operator or a fail-over would. */
import type { Tx } from '../../services/store/pool.ts'

/**
 * Only in the test's own database: other files run on the same server, with roles of the same
 * names. `tx` must be the owner's.
 */
export async function endSessions(tx: Tx, application_name: string): Promise<void> {
  await tx.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()', [
    application_name
  ])
}
