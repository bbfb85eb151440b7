/**
 * Helpers for tests of monitors: create them, read their control records, and store what the status
 * fold would store.
 */
import type { MonitorConfig } from '../../../schemas/generated/events.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import type { Tx } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import type { Stand, Workspace } from './stand.ts'

export const MONITORS = '/api/v1/monitors'
const codec = localCodec()

export type Body = Record<string, unknown>
export const good = (over: Body = {}): Body => ({ name: `Shop ${uuidv4()}`, type: 'http', target: 'https://shop.example/health', ...over })

export async function create(s: Stand, who: Workspace, over: Body = {}): Promise<Body & { id: string }> {
  const answer = await s.call(who, 'POST', MONITORS, good(over))
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

/** Returns the control records of a monitor in the outbox, in order. */
export async function configsOf(s: Stand, id: string): Promise<MonitorConfig[]> {
  const { rows } = await s.systemPool.query<{ payload: Buffer }>('SELECT payload FROM outbox WHERE aggregate = $1 ORDER BY id', [
    `monitor-config:${id}`
  ])
  return rows.map(({ payload }) => codec.decode('MonitorConfig', payload))
}

export const rowsOf = async (tx: Tx, sql: string, values: unknown[]): Promise<Body[]> => (await tx.query<Body>(sql, values)).rows

/** Opens the incident that a transition to down opens. */
export const openIncident = (s: Stand, who: Workspace, id: string) => s.incident(who, { dedup_key: `mon:${id}` })

/** Stores a state as the status fold does. */
export async function setState(s: Stand, who: Workspace, id: string, state: Body): Promise<void> {
  const full = {
    tenant_id: who.tenant_id,
    monitor_id: id,
    status: 'up',
    phase: 'ok',
    since: Date.now(),
    ver: 1,
    regions: [],
    last_failure: null,
    last_checked_at: null,
    last_response_time_ms: null,
    certificate_not_after: null,
    ...state
  }
  await s.systemPool.query(
    `INSERT INTO partition_state (processor, partition, key, state) VALUES ('status', 0, $1, $2)
     ON CONFLICT (processor, partition, key) DO UPDATE SET state = excluded.state`,
    [id, JSON.stringify(full)]
  )
}
