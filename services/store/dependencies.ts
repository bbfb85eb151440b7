/**
 * Dependencies of monitors, as the incident fold loads them and as people set them. A change holds
 * the workspace's lock, so that two changes cannot make a cycle together.
 *
 * Source: docs/design/api/monitors.md#dependencies, docs/design/api/decision-rules.md#s23-6.
 */
import { type Depends, type Parent, type Wait, type Watched, waitOf } from '../../streams/incident/dependencies.ts'
import { nameOf } from '../../streams/incident/fold.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'
import { isCovered } from '../../streams/maintenance/windows.ts'
import { changeJobs } from './jobs.ts'
import { holdingWindowsSql, type JsonWindow, windowSetOf } from './maintenance.ts'
import type { Tx } from './pool.ts'
import { loadKeys } from './signal-keys.ts'

/**
 * How long monitor `c` waits: its own setting, else the time that its slowest parent takes to be
 * judged.
 */
const WAIT = `coalesce(c.dependency_hold_seconds, (
  SELECT max(greatest((p.confirmation ->> 'min_seconds')::int, (p.confirmation ->> 'rounds')::int * p.interval_seconds) + p.timeout_seconds)
    FROM monitors p WHERE p.tenant_id = c.tenant_id AND p.monitor_id = ANY (c.depends_on) AND p.deleted_at IS NULL), 0)`

/** A deleted parent is not judged any more, so it must not hold anything. */
const PARENTS = `(SELECT json_agg(json_build_object('monitor_id', p.monitor_id, 'team_id', p.team_id, 'visibility', p.visibility)
                                  ORDER BY array_position(c.depends_on, p.monitor_id))
  FROM monitors p WHERE p.tenant_id = c.tenant_id AND p.monitor_id = ANY (c.depends_on) AND p.deleted_at IS NULL)`

/** The JSON that dependsSql makes. */
export interface JsonDepends {
  monitor_id: string
  wait_seconds: number
  parents: { monitor_id: string; team_id: string | null; visibility: 'org' | 'private' }[] | null
  /** The windows that may cover one of the parents. */
  windows: JsonWindow[] | null
}

/**
 * SQL column with the dependencies of some monitors, for a query of workspaces with alias `t`. Null
 * if none of them depends on anything. `ids`: parameter with the monitor ids.
 */
export const dependsSql = (ids: string): string => `(
  SELECT json_agg(json_build_object('monitor_id', c.monitor_id, 'wait_seconds', ${WAIT}, 'parents', ${PARENTS},
                                    'windows', ${holdingWindowsSql('c.depends_on')})) FROM monitors c
   WHERE c.tenant_id = t.tenant_id AND c.monitor_id = ANY (${ids}::uuid[]) AND c.depends_on <> '{}')`

/**
 * The fields of a parent that maintenance windows look at. Matchers cover no parent, because they
 * match things that are failing already.
 */
const quiet = {
  severity: 'critical',
  title: '',
  summary: null,
  source_kind: 'monitor',
  source_type: null,
  integration_id: null,
  heartbeat_id: null,
  region: null,
  affected_regions: [],
  priority: null,
  labels: {},
  links: [],
  escalation_policy_id: null
} as const

/** Returns the spans in which a window covers each parent, including its settle time. */
function maintenanceOf(tenant_id: string, { parents, windows }: JsonDepends): Depends['maintenance'] {
  const found = new Map<string, [number, number][]>()
  for (const window of windows ?? []) {
    const set = windowSetOf([{ ...window, scope: { ...window.scope, matchers: [] } }])
    for (const parent of parents ?? []) {
      if (!isCovered(set, { ...quiet, ...parent, tenant_id }, 0)) continue
      const spans = window.spans.map(([from, until]): [number, number] => [from, until + window.settle_seconds * 1000])
      found.set(parent.monitor_id, [...(found.get(parent.monitor_id) ?? []), ...spans])
    }
  }
  return found
}

const dependsOfOne = (tenant_id: string, depends: JsonDepends): Depends => ({
  parent_ids: (depends.parents ?? []).map(({ monitor_id }) => monitor_id),
  wait_seconds: depends.wait_seconds,
  maintenance: maintenanceOf(tenant_id, depends)
})

/** Returns what monitors depend on, by signal key. */
export function dependsOf(rows: readonly { tenant_id: string; depends: readonly JsonDepends[] | null }[]): Map<string, Depends> {
  const depends = new Map<string, Depends>()
  for (const { tenant_id, depends: found } of rows)
    for (const one of found ?? []) depends.set(nameOf({ tenant_id, dedup_key: `mon:${one.monitor_id}` }), dependsOfOne(tenant_id, one))
  return depends
}

/**
 * Returns the dependencies of some monitors by signal key. Monitors without dependencies are
 * missing.
 */
export async function readDepends(tx: Tx, tenant_id: string, monitor_ids: readonly string[]): Promise<Map<string, Depends>> {
  const { rows } = await tx.query<{ tenant_id: string; depends: JsonDepends[] | null }>(
    `SELECT t.tenant_id, ${dependsSql('$2')} AS depends FROM tenants t WHERE t.tenant_id = $1`,
    [tenant_id, monitor_ids]
  )
  return dependsOf(rows)
}

/** Returns what is known of a monitor's parents. `signals`: the parents' rows by key. */
export const parentsOf = (tenant_id: string, { parent_ids, maintenance }: Depends, signals: ReadonlyMap<string, SignalRow>): Parent[] =>
  parent_ids.map((id) => ({
    monitor_id: id,
    watched: signals.get(nameOf({ tenant_id, dedup_key: `mon:${id}` }))?.facts?.watched ?? null,
    maintenance: maintenance.get(id) ?? []
  }))

/**
 * Returns why the incident of a monitor that opens at `at` (epoch ms) waits, or null if no parent
 * fails. `signals`: the parents' rows by key; a missing row holds nothing.
 */
export async function waitNow(
  tx: Tx,
  tenant_id: string,
  monitor_id: string,
  signals: ReadonlyMap<string, SignalRow>,
  at: number
): Promise<Wait | null> {
  const depends = (await readDepends(tx, tenant_id, [monitor_id])).get(nameOf({ tenant_id, dedup_key: `mon:${monitor_id}` }))
  return depends ? waitOf(parentsOf(tenant_id, depends, signals), depends, at) : null
}

/** Returns those of the monitors that exist and that the transaction sees. */
export async function seenMonitors(tx: Tx, tenant_id: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ monitor_id: string }>(
    'SELECT monitor_id FROM monitors WHERE tenant_id = $1 AND monitor_id = ANY ($2::uuid[]) AND deleted_at IS NULL',
    [tenant_id, ids]
  )
  return new Set(rows.map(({ monitor_id }) => monitor_id))
}

/** Maximum length of a chain of dependencies that is followed. */
const MAX_CHAIN = 10_000

/**
 * Returns which of `parent_ids` depends on the monitor itself, directly or through others, if any
 * does. This includes monitors that the caller does not see. Needs the lock of the workspace.
 */
export async function leadsBack(tx: Tx, tenant_id: string, monitor_id: string, parent_ids: readonly string[]): Promise<string | null> {
  const { rows } = await tx.query<{ first: string }>(
    `WITH RECURSIVE chain AS (
       SELECT p AS first, p AS id FROM unnest($3::uuid[]) AS p
       UNION
       SELECT c.first, p FROM chain c JOIN monitors m ON m.tenant_id = $1 AND m.monitor_id = c.id CROSS JOIN unnest(m.depends_on) AS p
     )
     SELECT first FROM (SELECT * FROM chain LIMIT ${MAX_CHAIN}) AS reached WHERE id = $2 LIMIT 1`,
    [tenant_id, monitor_id, parent_ids]
  )
  return rows[0]?.first ?? null
}

/**
 * Gives the incident fold the state of monitors that others begin to depend on, as the status fold
 * left it. Their keys are locked before the state is read, so that no decision made meanwhile is
 * missed.
 */
export async function beginWatching(tx: Tx, tenant_id: string, monitor_ids: readonly string[]): Promise<void> {
  if (monitor_ids.length === 0) return
  const keys = monitor_ids.map((id) => ({ tenant_id, dedup_key: `mon:${id}` }))
  const { signals } = await loadKeys(tx, keys)
  const { rows } = await tx.query<{ monitor_id: string; watched: Omit<Watched, 'down_until'> }>(
    `SELECT m.monitor_id, json_build_object('status', p.state ->> 'status', 'phase', p.state ->> 'phase', 'ver', (p.state ->> 'ver')::bigint) AS watched
       FROM monitors m JOIN partition_state p ON p.processor = 'status' AND p.key = m.state_key AND p.tenant_id = m.tenant_id
      WHERE m.tenant_id = $1 AND m.monitor_id = ANY ($2::uuid[])`,
    [tenant_id, monitor_ids]
  )
  const newer = rows.filter(({ monitor_id, watched }) => {
    const known = signals.get(nameOf({ tenant_id, dedup_key: `mon:${monitor_id}` }))?.facts?.watched
    return !known || known.ver < watched.ver
  })
  const after = newer.map(({ watched }): Watched => ({ ...watched, down_until: null }))
  await tx.query(
    `UPDATE signals s SET facts = coalesce(s.facts, '{}') || jsonb_build_object('watched', k.watched)
       FROM unnest($2::text[], $3::jsonb[]) AS k (dedup_key, watched)
      WHERE s.tenant_id = $1 AND s.dedup_key = k.dedup_key`,
    [tenant_id, newer.map(({ monitor_id }) => `mon:${monitor_id}`), after.map((watched) => JSON.stringify(watched))]
  )
}

/**
 * Called when the dependencies of a monitor have changed. If its incident is held, the hold is
 * checked again.
 */
export async function lookAtDependent(tx: Tx, tenant_id: string, { monitor_id, ver }: { monitor_id: string; ver: number }): Promise<void> {
  const { rows } = await tx.query<{ incident_id: string }>(
    `SELECT h.incident_id FROM incident_holds h JOIN incidents i USING (tenant_id, incident_id)
      WHERE h.tenant_id = $1 AND h.kind = 'dependency' AND i.monitor_id = $2 AND i.status = 'ongoing'`,
    [tenant_id, monitor_id]
  )
  const jobs = rows.map(({ incident_id }) => ({
    start: 'dependency_end',
    idem_key: `dependency_end:${incident_id}:${ver}`,
    tenant_id,
    run_at: Date.now(),
    at_once: true as const,
    payload: { incident_id }
  }))
  await changeJobs(tx, jobs)
}
