/**
 * Reads what an upgrade must not change, before and after it: positions and decisions from
 * Postgres, by statements that only read; incidents and the session from the public API.
 */
import type { Pool } from '../../services/store/pool.ts'
import { type Product, until } from '../harness/product.ts'

const LIMIT_MS = 300_000
/** The API allows a token 2,400 reads a minute. */
const ASK_EVERY_MS = 500

/** Asks until `ask` finds something; throws naming `what` after five minutes. */
export const eventually = <T>(what: string, ask: () => Promise<T | false>): Promise<T> =>
  until<T>(what, async () => (await ask()) || null, LIMIT_MS, ASK_EVERY_MS)

/** `processor topic partition` → the next offset. */
export type Positions = ReadonlyMap<string, bigint>

export async function positionsOf(pool: Pool): Promise<Positions> {
  const { rows } = await pool.query<{ name: string; next_offset: string }>(
    "SELECT processor || ' ' || topic || ' ' || partition AS name, next_offset::text FROM stream_offsets ORDER BY 1"
  )
  return new Map(rows.map(({ name, next_offset }) => [name, BigInt(next_offset)]))
}

/** Positions of `before` that are missing or smaller now. */
export const fallenBack = (before: Positions, now: Positions): string[] =>
  [...before].flatMap(([name, offset]) => {
    const found = now.get(name)
    return found !== undefined && found >= offset ? [] : [`${name} was ${offset} and is ${found ?? 'missing'}`]
  })

/** True when the partitions that have ticks have moved; ticks move them without any other input. */
export const movedOn = (before: Positions, now: Positions): boolean =>
  [...before].every(([name, offset]) => !/^(status|heartbeat) /.test(name) || (now.get(name) ?? 0n) > offset)

/** The state of a fold, as JSON; null when it keeps none under the key. */
export async function stateOf(pool: Pool, processor: 'status' | 'heartbeat', key: string): Promise<Record<string, unknown> | null> {
  const { rows } = await pool.query<{ state: Record<string, unknown> }>(
    'SELECT state FROM partition_state WHERE processor = $1 AND key = $2',
    [processor, key]
  )
  return rows[0]?.state ?? null
}

/** All decisions, one line each: a record that is folded twice adds a line or changes a count. */
export async function decisionsOf(pool: Pool, watched: { monitor: string; heartbeat: string }): Promise<string[]> {
  const events = await pool.query<{ line: string }>(
    "SELECT 'event ' || incident_id || ' ' || ver || ' ' || change || ' ' || event_id AS line FROM incident_events ORDER BY incident_id, ver"
  )
  const signals = await pool.query<{ line: string }>(
    "SELECT 'signal ' || dedup_key || ' seen ' || occurrences || ' times' AS line FROM signals ORDER BY dedup_key"
  )
  const monitor = await stateOf(pool, 'status', watched.monitor)
  const heartbeat = await stateOf(pool, 'heartbeat', watched.heartbeat)
  return [
    ...events.rows.map(({ line }) => line),
    ...signals.rows.map(({ line }) => line),
    `monitor ${monitor?.status} since ${monitor?.since}, version ${monitor?.ver}`,
    `heartbeat ${heartbeat?.status} after ${heartbeat?.pings} pings, the last at ${heartbeat?.last_ping_at}`
  ]
}

/** Lines that are in one list only, or more often in one than in the other. */
export function differences(before: readonly string[], now: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const line of before) counts.set(line, (counts.get(line) ?? 0) - 1)
  for (const line of now) counts.set(line, (counts.get(line) ?? 0) + 1)
  return [...counts].flatMap(([line, count]) => (count === 0 ? [] : [`${count < 0 ? 'gone' : 'new'}: ${line}`]))
}

export async function occurrencesOf(pool: Pool, dedup_key: string): Promise<number> {
  const { rows } = await pool.query<{ occurrences: number }>('SELECT occurrences FROM signals WHERE dedup_key = $1', [dedup_key])
  return Number(rows[0]?.occurrences ?? 0)
}

export interface Incident {
  id: string
  title: string
  status: string
  dashboard_state: string
  dedup_key: string
  duration_seconds: number | null
  silenced_until: string | null
  resolution: { reason: string } | null
}

/** An incident with its timeline, oldest first. */
export interface Told {
  incident: Incident
  timeline: { type: string; at: string; ver: number }[]
}

/** Reads the body of a GET that must answer 200. */
export async function read<T>(product: Product, path: string): Promise<T> {
  const { status, body } = await product.api('GET', path)
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`)
  return body as T
}

/** All incidents of the workspace, by title. */
export async function incidentsOf(product: Product): Promise<Map<string, Told>> {
  const { items } = await read<{ items: Incident[] }>(product, '/api/v1/incidents?per_page=100&sort=number')
  const told = new Map<string, Told>()
  for (const { id, title } of items) {
    const incident = await read<Incident>(product, `/api/v1/incidents/${id}`)
    const { items: timeline } = await read<{ items: Told['timeline'] }>(product, `/api/v1/incidents/${id}/timeline?per_page=100`)
    told.set(told.has(title) ? `${title} (${id})` : title, { incident, timeline })
  }
  return told
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Paths of fields of `before` that are different now, at any depth. A newer version may have more
 * fields; a list must be as long as it was.
 */
export const changedFields = (before: object, now: object): string[] =>
  Object.entries(before).flatMap(([name, value]) => {
    const found = (now as Record<string, unknown>)[name]
    const isLonger = Array.isArray(value) && Array.isArray(found) && value.length !== found.length
    if (isObject(value) && isObject(found) && !isLonger) return changedFields(value, found).map((fault) => `${name}.${fault}`)
    return JSON.stringify(found) === JSON.stringify(value) ? [] : [`${name} was ${JSON.stringify(value)} and is ${JSON.stringify(found)}`]
  })

/** Logs in; returns the cookie as a browser sends it back. */
export async function logIn({ access }: Product): Promise<string> {
  const answer = await fetch(`${access.base_url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: access.base_url },
    body: JSON.stringify({ email: access.email, password: access.password })
  })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
  if (!answer.ok || !cookie) throw new Error(`the log-in answered ${answer.status}: ${await answer.text()}`)
  return cookie
}

/** What the service says of a session, or the status with which it refuses it. */
export async function whoIs({ access }: Product, cookie: string): Promise<{ status: number; email: string | null }> {
  const answer = await fetch(`${access.base_url}/api/v1/auth/session`, { headers: { cookie } })
  const body = (await answer.json()) as { user?: { email?: string } }
  return { status: answer.status, email: body.user?.email ?? null }
}
