/**
 * The jobs that the begins and ends of a maintenance window start. They are started in the
 * transaction that changes the window, or in the one that the window's own job runs in.
 *
 *   job                  one for       when and what
 *   maintenance_turn     a window      each begin, end and end of the settle time, and daily while
 *                                      more comes: works out its next spans, starts the others
 *   maintenance_release  a page of     the settle time is over, or it was changed while it held:
 *                        what it held  tells of the incidents that nothing holds any more
 *   maintenance_promote  an alert      the settle time is over: opens the incident of an alert that
 *                                      the window kept and that still fails
 *   maintenance_watch    a monitor or  a window with pause_checks begins, ends or changes
 *                        heartbeat
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Incident } from '../../schemas/generated/events.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { JobChange, Outgoing } from '../../streams/define.ts'
import { nextTurn, type Span, spansNow, turnsBetween } from '../../streams/maintenance/spans.ts'
import { compileWindows, isCovered, type Scope } from '../../streams/maintenance/windows.ts'
import { tzZones } from '../../streams/on-call/zones.ts'
import { insertConfigVersion } from './config-versions.ts'
import { columnsOf, toIncident } from './incident-rows.ts'
import { changeJobs } from './jobs.ts'
import {
  insertWindow,
  pausedByWindow,
  type ScopeTargets,
  type StoredWindow,
  spansOfRow,
  targetsOf,
  updateWindow,
  watchedIds,
  windowStateAt
} from './maintenance.ts'
import { insertOutgoing } from './outbox.ts'
import { seeingAll, type Tx } from './pool.ts'
import { type HoldEnd, holdsChanged, lockOngoing, RELEASE_PAGE } from './releases.ts'
import { privateTeams } from './silences.ts'

/** The actor of a pause that a window made. */
export const pauserOf = (window_id: string): string => `maintenance:${window_id}`

const turnKey = (window_id: string): string => `maintenance_turn:${window_id}`

const settleMs = ({ settle_seconds }: Pick<StoredWindow, 'settle_seconds'>): number => settle_seconds * 1000

/** A window that is to be written. Its spans are computed from the rest. */
export type WindowChange = Omit<StoredWindow, 'spans' | 'goes_on' | 'turned_at' | 'ver' | 'created_at' | 'updated_at'>

/** Computes the window's spans as of `now`, starting from those that it had. */
export function withSpans(window: WindowChange, before: StoredWindow | null, now: number): StoredWindow {
  const over = window.cancelled_at !== null || window.deleted_at !== null
  const holes = window.holes.map(([starts_at, ends_at]) => ({ starts_at, ends_at }))
  const { spans, goes_on } = spansNow(before ? spansOfRow(before) : [], { schedule: over ? null : window.schedule, holes }, tzZones, now)
  return {
    ...window,
    // A span that is over needs no hole: it is history, and new spans begin later.
    holes: window.holes.filter(([, until]) => until > now),
    spans: spans.map(({ starts_at, ends_at }) => [starts_at, ends_at]),
    goes_on,
    turned_at: now,
    ver: (before?.ver ?? 0) + 1,
    created_at: before?.created_at ?? now,
    updated_at: now
  }
}

/** Returns the mark by which the relay sends the window as it then stands, or a tombstone. */
export const windowMark = (
  { tenant_id, window_id, ver }: Pick<StoredWindow, 'tenant_id' | 'window_id' | 'ver'>,
  src: string
): Extract<Outgoing<'maintenance.windows.v1'>, { body: 'current' }> => ({
  body: 'current',
  tenant_id,
  aggregate: `maintenance:${window_id}`,
  ver,
  topic: 'maintenance.windows.v1',
  key: window_id,
  event_id: uuidv5(window_id, String(ver)),
  event_type: 'maintenance_window',
  src
})

/** Keeps this version of the window for ever, as the rules see it. */
const recordVersion = (tx: Tx, window: StoredWindow, actor: string): Promise<void> => {
  const { tenant_id, window_id: id, version, name, scope, effect, schedule, settle_seconds, count_in_uptime, holes } = window
  const body = { name, scope, effect, schedule, settle_seconds, count_in_uptime, holes, spans: window.spans }
  return insertConfigVersion(tx, tenant_id, { kind: 'maintenance_window', id, version, body, actor })
}

const startTurn = ({ tenant_id, window_id }: StoredWindow, run_at: number): JobChange => ({
  start: 'maintenance_turn',
  idem_key: turnKey(window_id),
  tenant_id,
  run_at,
  payload: { window_id }
})

/**
 * Starts the check of what the window held with `scope`: it may hold it no more. `look_again`: the
 * alerts that it kept are looked at a second time (maintenance-release.ts).
 */
const startRelease = ({ tenant_id, window_id, ver }: StoredWindow, scope: Scope, now: number, look_again: boolean): JobChange => ({
  start: 'maintenance_release',
  idem_key: `maintenance_release:${window_id}:${ver}`,
  tenant_id,
  run_at: now,
  payload: { window_id, scope, after: null, look_again }
})

/**
 * Starts a job for each target that must be checked: what the window covers, and what it has
 * paused.
 */
async function startWatches(tx: Tx, window: StoredWindow, scopes: readonly Scope[], now: number): Promise<JobChange[]> {
  const { tenant_id, window_id, ver } = window
  const found: ScopeTargets[] = [await pausedByWindow(tx, tenant_id, pauserOf(window_id))]
  for (const scope of scopes) found.push(await targetsOf(tx, tenant_id, scope))
  const start = (kind: 'monitor' | 'heartbeat', ids: readonly string[]): JobChange[] =>
    [...new Set(ids)].map((id) => ({
      start: 'maintenance_watch',
      idem_key: `maintenance_watch:${window_id}:${ver}:${id}`,
      tenant_id,
      run_at: now,
      payload: { window_id, kind, id }
    }))
  return [
    ...start(
      'monitor',
      found.flatMap(({ monitors }) => monitors)
    ),
    ...start(
      'heartbeat',
      found.flatMap(({ heartbeats }) => heartbeats)
    )
  ]
}

/** Adds a window and starts its jobs. `actor` is kind:id. */
export async function addWindow(
  tx: Tx,
  codec: Codec,
  change: WindowChange,
  { actor, now, sha256 = null }: { actor: string; now: number; sha256?: Buffer | null }
): Promise<StoredWindow> {
  const window = withSpans(change, null, now)
  await insertWindow(tx, window, sha256)
  await recordVersion(tx, window, actor)
  const next = nextTurn({ spans: spansOfRow(window), goes_on: window.goes_on }, settleMs(window), now)
  const watches =
    window.effect === 'pause_checks' && windowStateAt(window, now) === 'active'
      ? await seeingAll(tx, (tx) => startWatches(tx, window, [window.scope], now))
      : []
  await changeJobs(tx, [...(next === null ? [] : [startTurn(window, next)]), ...watches])
  await insertOutgoing(tx, [windowMark(window, actor)], codec)
  return window
}

/** Changes a window that is locked. What it held before is checked again. */
export async function changeWindow(
  tx: Tx,
  codec: Codec,
  before: StoredWindow,
  change: WindowChange,
  { actor, now }: { actor: string; now: number }
): Promise<StoredWindow> {
  const window = withSpans({ ...change, version: before.version + 1 }, before, now)
  await updateWindow(tx, window)
  await recordVersion(tx, window, actor)
  const settle = settleMs(window)
  const next = nextTurn({ spans: spansOfRow(window), goes_on: window.goes_on }, settle, now)
  const held = (spans: readonly Span[]): boolean =>
    spans.some(({ starts_at, ends_at }) => starts_at <= now && ends_at + settleMs(before) > before.turned_at)
  const pauses = before.effect === 'pause_checks' || window.effect === 'pause_checks'
  await changeJobs(tx, [
    { cancel: turnKey(window.window_id), tenant_id: window.tenant_id },
    ...(next === null ? [] : [startTurn(window, next)]),
    ...(held(spansOfRow(before)) ? [startRelease(window, before.scope, now, before.effect === 'suppress_incidents')] : []),
    ...(pauses ? await seeingAll(tx, (tx) => startWatches(tx, window, [before.scope, window.scope], now)) : [])
  ])
  await insertOutgoing(tx, [windowMark(window, actor)], codec)
  return window
}

/**
 * Runs the window's own job: handles what began, ended or settled since its last run. Returns when
 * it runs again; null when nothing is to come.
 */
export async function turnWindow(
  tx: Tx,
  codec: Codec,
  before: StoredWindow,
  { now, src }: { now: number; src: string }
): Promise<{ next: number | null; ended: boolean }> {
  const settle = settleMs(before)
  const turns = turnsBetween(spansOfRow(before), settle, before.turned_at, now)
  const window = withSpans(before, before, now)
  await updateWindow(tx, window)
  const pauses = window.effect === 'pause_checks' && (turns.begins || turns.ends)
  await changeJobs(tx, [
    ...(turns.settles ? [startRelease(window, window.scope, now, false)] : []),
    ...(pauses ? await startWatches(tx, window, [window.scope], now) : [])
  ])
  const changed = JSON.stringify([window.spans, window.goes_on]) !== JSON.stringify([before.spans, before.goes_on])
  if (turns.begins || turns.ends || changed) await insertOutgoing(tx, [windowMark(window, src)], codec)
  return { next: nextTurn({ spans: spansOfRow(window), goes_on: window.goes_on }, settle, now), ended: turns.ends }
}

export interface Release {
  /** Id after which the next page begins; null when there is none. */
  after: string | null
}

/**
 * Checks a page of the ongoing incidents after the id `after`, for those that this scope covers.
 */
export async function releaseWindow(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  { window_id, scope, after }: { window_id: string; scope: Scope; after: string | null },
  cause: HoldEnd
): Promise<Release> {
  const { rows } = await tx.query<Incident>(
    `SELECT ${columnsOf('i')} FROM incidents i
      WHERE i.tenant_id = $1 AND i.status = 'ongoing' AND ($2::uuid IS NULL OR i.incident_id > $2) ORDER BY i.incident_id LIMIT $3`,
    [tenant_id, after, RELEASE_PAGE + 1]
  )
  const page = rows.slice(0, RELEASE_PAGE).map(toIncident)
  const tagged = scope.tags.length === 0 ? [] : await taggedOf(tx, tenant_id, scope.tags, watchedIds(page))
  const asItWas = { window_id, version: 0, effect: 'suppress_notifications', scope, settle_seconds: 0, spans: [], tagged } as const
  const set = compileWindows([asItWas], await privateTeams(tx, tenant_id))
  const held = page.filter((incident) => isCovered(set, { ...incident, title: incident.original_title ?? incident.title }, cause.at))
  const locked = await lockOngoing(
    tx,
    tenant_id,
    held.map(({ incident_id }) => incident_id)
  )
  await holdsChanged(
    tx,
    codec,
    tenant_id,
    locked.map(({ incident_id }) => incident_id),
    cause
  )
  return { after: rows.length > RELEASE_PAGE ? (page.at(-1)?.incident_id ?? null) : null }
}

async function taggedOf(tx: Tx, tenant_id: string, tags: readonly string[], ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT monitor_id AS id FROM monitors WHERE tenant_id = $1 AND monitor_id = ANY ($3::uuid[]) AND tags && $2::text[]
     UNION ALL SELECT heartbeat_id FROM heartbeats WHERE tenant_id = $1 AND heartbeat_id = ANY ($3::uuid[]) AND tags && $2::text[]`,
    [tenant_id, tags, ids]
  )
  return rows.map(({ id }) => id)
}

/** Makes the alerts that the window keeps due now, instead of at the window's former end. */
export async function hurryKept(tx: Tx, tenant_id: string, window_id: string): Promise<void> {
  await tx.query(
    `UPDATE jobs SET run_at = now() WHERE tenant_id = $1 AND kind = 'maintenance_promote' AND payload ->> 'window_id' = $2 AND run_at > now()`,
    [tenant_id, window_id]
  )
}
