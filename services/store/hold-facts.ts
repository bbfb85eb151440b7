/**
 * Loads the facts that may hold incidents and alerts, apart from their own state: active silences
 * by a pattern, maintenance windows, paused targets, and what their monitors depend on.
 * streams/incident/holds.ts decides from them.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { type HoldFacts, isMutedGroup, isUnmuted, type PausedTarget } from '../../streams/incident/holds.ts'
import { noWindows } from '../../streams/maintenance/windows.ts'
import { noSilences } from '../../streams/routing/silences.ts'
import { loadKeptFor } from './incident-holds.ts'
import { alertColumnsOf, toAlert } from './incident-rows.ts'
import { loadWindows, mayHoldSql, watchedIds } from './maintenance.ts'
import type { Tx } from './pool.ts'
import { activeSql, loadSilences } from './silences.ts'

type Watching = Incident | Alert

/** Most alerts of one incident that are looked at, the newest first. */
const MAX_ALERTS = 200

const PAUSED = `
  SELECT monitor_id AS id, pause_reason = 'entitlement' AS by_plan, resume_at AS until FROM monitors
   WHERE tenant_id = $1 AND monitor_id = ANY ($2::uuid[]) AND paused_at IS NOT NULL
  UNION ALL
  SELECT h.heartbeat_id, h.pause_reason = 'entitlement', h.resume_at FROM heartbeats h
   WHERE h.tenant_id = $1 AND h.heartbeat_id = ANY ($3::uuid[]) AND h.paused_at IS NOT NULL
     -- A ping can have ended the pause already, and its failure can be what opens the incident.
     AND NOT (h.unpause_on_ping AND EXISTS (
       SELECT FROM partition_state p
        WHERE p.processor = 'heartbeat' AND p.key = h.state_key AND p.tenant_id = h.tenant_id
          AND (p.state #>> '{config,version}')::int = h.ver AND p.state ->> 'phase' <> 'paused'))`

/** Returns the targets that are paused and that the transaction sees. */
async function pausedTargets(tx: Tx, tenant_id: string, watching: readonly Watching[]): Promise<HoldFacts['paused']> {
  const monitors = watching.flatMap(({ monitor_id }) => monitor_id ?? [])
  const heartbeats = watching.flatMap(({ heartbeat_id }) => heartbeat_id ?? [])
  if (monitors.length + heartbeats.length === 0) return new Map()
  const { rows } = await tx.query<PausedTarget & { id: string }>({
    name: 'paused-targets',
    text: PAUSED,
    values: [tenant_id, monitors, heartbeats]
  })
  return new Map(rows.map(({ id, ...target }) => [id, target]))
}

/**
 * Returns the ids of those of these incidents with an alert that no window and no silence holds. Of
 * an incident that is over, all alerts count.
 */
async function unmutedOf(
  tx: Tx,
  tenant_id: string,
  incidents: readonly Incident[],
  { silences, windows }: Pick<HoldFacts, 'silences' | 'windows'>,
  at: number
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<Alert>({
    name: 'alerts-of-muted',
    text: `SELECT one.* FROM unnest($2::uuid[], $3::boolean[]) AS k (incident_id, is_over)
      CROSS JOIN LATERAL (
        SELECT ${alertColumnsOf('a')} FROM alerts a
         WHERE a.tenant_id = $1 AND a.incident_id = k.incident_id AND (k.is_over OR a.status = 'ongoing')
         ORDER BY a.opened_at DESC LIMIT ${MAX_ALERTS}) AS one`,
    values: [tenant_id, incidents.map(({ incident_id }) => incident_id), incidents.map(({ status }) => status === 'resolved')]
  })
  const alerts = rows.map(toAlert)
  // The windows that were read know the targets of the incidents only, not those of other alerts.
  const own = windows === noWindows ? noWindows : await loadWindows(tx, tenant_id, watchedIds(alerts), at)
  return new Set(alerts.filter((alert) => isUnmuted(alert, { silences, windows: own }, at)).flatMap(({ incident_id }) => incident_id ?? []))
}

/**
 * Returns those of these workspaces in which a silence is active, or a window may hold, at `at`.
 */
async function holding(tx: Tx, tenant_ids: readonly string[], at: number): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ tenant_id: string }>({
    name: 'workspaces-holding',
    text: `SELECT k.tenant_id FROM unnest($1::uuid[]) AS k (tenant_id)
            WHERE EXISTS (SELECT FROM silences s WHERE s.tenant_id = k.tenant_id AND ${activeSql('$2')})
               OR EXISTS (SELECT FROM maintenance_windows w WHERE w.tenant_id = k.tenant_id AND ${mayHoldSql('$2')})`,
    values: [tenant_ids, new Date(at)]
  })
  return new Set(rows.map(({ tenant_id }) => tenant_id))
}

interface FactsOptions {
  /** False if it is known that there is no active silence and no window. */
  isHolding: boolean
  /** True to ask what would hold an incident that is over if it were ongoing. */
  asOngoing: boolean
}

async function factsOf(
  tx: Tx,
  tenant_id: string,
  watching: readonly Watching[],
  at: number,
  { isHolding, asOngoing }: FactsOptions
): Promise<HoldFacts> {
  // Only an incident that a monitor opened alone can be held because of others.
  const alone = watching.flatMap(({ monitor_id, incident_id }) => (monitor_id !== null && incident_id !== null ? [incident_id] : []))
  const [silences, windows, paused, keptFor] = await Promise.all([
    isHolding ? loadSilences(tx, tenant_id, at) : noSilences,
    isHolding ? loadWindows(tx, tenant_id, watchedIds(watching), at) : noWindows,
    pausedTargets(tx, tenant_id, watching),
    loadKeptFor(tx, tenant_id, alone)
  ])
  const facts = { silences, windows, paused, keptFor, unmuted: new Set<string>() }
  const isMuted = (one: Incident): boolean => isMutedGroup(asOngoing ? { ...one, status: 'ongoing' } : one, facts, at)
  const muted = watching.filter((one): one is Incident => !('alert_id' in one) && isMuted(one))
  return muted.length === 0 ? facts : { ...facts, unmuted: await unmutedOf(tx, tenant_id, muted, facts, at) }
}

/** Loads the facts for some incidents or alerts, at `at` in epoch ms. */
export const loadHoldFacts = (tx: Tx, tenant_id: string, watching: readonly Watching[], at: number): Promise<HoldFacts> =>
  factsOf(tx, tenant_id, watching, at, { isHolding: true, asOngoing: false })

/**
 * Loads the facts as loadHoldFacts does, for several workspaces, and of incidents that are over as
 * if they were ongoing at `at`. Most workspaces have no active silence and no window, so one
 * statement checks all of them for that.
 */
export async function loadHoldFactsOfEach(
  tx: Tx,
  watching: ReadonlyMap<string, readonly Watching[]>,
  at: number
): Promise<Map<string, HoldFacts>> {
  const some = await holding(tx, [...watching.keys()], at)
  const found = await Promise.all(
    [...watching].map(
      async ([tenant_id, own]) =>
        [tenant_id, await factsOf(tx, tenant_id, own, at, { isHolding: some.has(tenant_id), asOngoing: true })] as const
    )
  )
  return new Map(found)
}
