/** Ends sessions with Postgres from outside, as an operator or a fail-over would. */
import type { Tx } from '../../services/store/pool.ts'

/**
 * In the test's own database only: other files run beside it on the same server, with roles of the
 * same names. `tx` as the owner.
 */
export async function endSessions(tx: Tx, application_name: string): Promise<void> {
  await tx.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()', [
    application_name
  ])
}
