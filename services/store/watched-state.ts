/**
 * State of the status fold as rows, which the relay sends to monitor.state.v1. People read it
 * through their workspace (monitors.ts, heartbeats.ts).
 */
import type { MonitorRow } from '../../streams/status/state.ts'
import type { Tx } from './pool.ts'

/** Returns the states by monitor id; a missing one was deleted. For service_system. */
export async function currentMonitors(tx: Tx, monitor_ids: readonly string[]): Promise<Map<string, MonitorRow>> {
  const { rows } = await tx.query<{ key: string; state: MonitorRow }>({
    name: 'monitors-current',
    text: "SELECT key, state FROM partition_state WHERE processor = 'status' AND key = ANY ($1::text[])",
    values: [monitor_ids]
  })
  return new Map(rows.map(({ key, state }) => [key, state]))
}
