/**
 * Creates, changes and ends windows, under the lock of the workspace and of the window. Their times
 * are those of Postgres, by which the notifier judges them.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import type { FastifyRequest } from 'fastify'
import type { Codec } from '../../../schemas/codec.ts'
import type { CreateWindowBody, UpdateWindowBody, WindowPreview } from '../../../schemas/http/maintenance.ts'
import { SETTLE_SECONDS } from '../../../schemas/http/maintenance-words.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { occurrences } from '../../../streams/maintenance/spans.ts'
import type { Scope } from '../../../streams/maintenance/windows.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'
import { CostMeter } from '../../../streams/routing/budget.ts'
import { actorText, difference, insertAudit } from '../../store/audit.ts'
import {
  countDeployments,
  countWindows,
  lockWindow,
  readWindow,
  type StoredWindow,
  spansOfRow,
  targetsOf,
  type WindowSettings,
  windowStateAt
} from '../../store/maintenance.ts'
import { addWindow, changeWindow, type WindowChange } from '../../store/maintenance-turns.ts'
import type { Tx } from '../../store/pool.ts'
import { existingOf } from '../../store/routing.ts'
import { postgresNow } from '../../store/schedule-history.ts'
import { readTeam } from '../../store/teams.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import { checkCost, setLimits } from '../routing/change.ts'
import { teamsIn } from '../routing/sight.ts'
import { checkLimit } from '../workspace/limits.ts'
import { checkedSchedule, checkedScope, occurrencesOf } from './shapes.ts'

/** The lists of a scope that contain ids. */
const named = [
  ['monitor_ids', 'monitor_id', 'monitor'],
  ['heartbeat_ids', 'heartbeat_id', 'heartbeat'],
  ['integration_ids', 'integration_id', 'integration']
] as const

/** Returns the teams that the matchers of a scope name. */
export const teamsOfMatchers = ({ matchers }: Scope): string[] => [...new Set(matchers.flatMap(teamsIn))].sort()

/**
 * Throws VALIDATION_FAILED if the scope names something that the caller does not see: hidden things
 * are treated as unknown. Anything that `before` names is accepted.
 */
export async function checkScope(tx: Tx, { tenant_id }: Caller, scope: Scope, before: Scope | null): Promise<void> {
  const there = await existingOf(tx, tenant_id, {
    monitor_id: scope.monitor_ids,
    heartbeat_id: scope.heartbeat_ids,
    integration_id: scope.integration_ids
  })
  for (const [list, , word] of named)
    for (const [at, id] of scope[list].entries())
      if (!there.has(id) && !before?.[list].includes(id))
        throw invalid(`scope.${list}[${at}]`, `unknown_${word}`, `names no ${word} of this workspace`)
  const known = new Set(before ? teamsOfMatchers(before) : [])
  for (const [at, matcher] of scope.matchers.entries())
    for (const team_id of teamsIn(matcher)) {
      if (known.has(team_id)) continue
      if (!(await readTeam(tx, tenant_id, team_id)))
        throw invalid(`scope.matchers[${at}].value`, 'unknown_team', 'is not a team of this workspace')
      known.add(team_id)
    }
  const meter = new CostMeter()
  for (const [at, matcher] of scope.matchers.entries()) {
    meter.add(matcher)
    checkCost(meter, setLimits, `scope.matchers[${at}]`, 'windows')
  }
}

/** A window that pauses checks must name only what is checked. Throws VALIDATION_FAILED. */
export function checkEffect({ effect, scope }: Pick<WindowSettings, 'effect' | 'scope'>): void {
  if (effect !== 'pause_checks') return
  for (const list of ['integration_ids', 'matchers'] as const)
    if (scope[list].length > 0) throw invalid(`scope.${list}`, 'mutually_exclusive', 'is not checked: pause_checks cannot pause it')
}

function settingsAfter(before: WindowSettings | null, given: UpdateWindowBody, now: number): WindowSettings {
  const scope = given.scope === undefined ? before?.scope : checkedScope(given.scope)
  const schedule = given.schedule === undefined ? before?.schedule : checkedSchedule(given.schedule, before?.schedule ?? null, now)
  const name = given.name ?? before?.name
  if (scope === undefined || schedule === undefined || name === undefined) throw new Error('a window is not whole though its body was')
  const settings: WindowSettings = {
    name,
    reason: given.reason === undefined ? (before?.reason ?? null) : given.reason,
    scope,
    effect: given.effect ?? before?.effect ?? 'suppress_notifications',
    schedule,
    settle_seconds: given.settle_seconds ?? before?.settle_seconds ?? SETTLE_SECONDS,
    count_in_uptime: given.count_in_uptime ?? before?.count_in_uptime ?? false
  }
  checkEffect(settings)
  return settings
}

export const settingsOf = (window: StoredWindow): WindowSettings => ({
  name: window.name,
  reason: window.reason,
  scope: window.scope,
  effect: window.effect,
  schedule: window.schedule,
  settle_seconds: window.settle_seconds,
  count_in_uptime: window.count_in_uptime
})

export const record = (
  tx: Tx,
  { tenant_id, actor }: Caller,
  action: string,
  object_id: string,
  diff: Record<string, [unknown, unknown]> = {}
) => insertAudit(tx, tenant_id, actor, { action, object_type: 'maintenance_window', object_id, diff })

/** Reads the window as the caller sees it. Throws NOT_FOUND. */
export async function seenWindow(
  tx: Tx,
  { tenant_id }: Caller,
  id: string,
  origin: StoredWindow['origin'] | null = null
): Promise<StoredWindow> {
  const window = await readWindow(tx, tenant_id, id)
  if (!window || (origin !== null && window.origin !== origin)) throw notFound()
  return window
}

/** Like seenWindow, and locks the row. */
export async function lockedWindow(tx: Tx, { tenant_id }: Caller, id: string, origin: StoredWindow['origin']): Promise<StoredWindow> {
  const window = await lockWindow(tx, tenant_id, id)
  if (!window || window.origin !== origin) throw notFound()
  return window
}

/** Returns how many monitors and heartbeats the scope covers, of those that the caller sees. */
export async function matchedBy(tx: Tx, { tenant_id }: Caller, scope: Scope): Promise<WindowPreview['matched']> {
  const { monitors, heartbeats } = await targetsOf(tx, tenant_id, scope)
  return { monitors: monitors.length, heartbeats: heartbeats.length }
}

export async function preview(tx: Tx, caller: Caller, body: CreateWindowBody): Promise<WindowPreview> {
  const now = await postgresNow(tx)
  const { scope, schedule } = settingsAfter(null, body, now)
  await checkScope(tx, caller, scope, null)
  return { next_occurrences: occurrencesOf({ schedule, holes: [], cancelled_at: null }, now), matched: await matchedBy(tx, caller, scope) }
}

/** The row of a window that is not stored yet. */
export const newWindow = (
  { tenant_id, actor }: Caller,
  settings: WindowSettings,
  more: Pick<WindowChange, 'origin' | 'deployment' | 'team_ids'>
): WindowChange => ({
  ...settings,
  ...more,
  tenant_id,
  window_id: uuidv7(),
  version: 1,
  holes: [],
  cancelled_at: null,
  deleted_at: null,
  end_used_at: null,
  created_by: actorText(actor)
})

export async function create(tx: Tx, codec: Codec, caller: Caller, body: CreateWindowBody): Promise<StoredWindow> {
  await checkLimit(tx, caller.tenant_id, 'maintenance_windows', countWindows)
  const now = await postgresNow(tx)
  const settings = settingsAfter(null, body, now)
  await checkScope(tx, caller, settings.scope, null)
  const change = newWindow(caller, settings, { origin: 'planned', deployment: null, team_ids: teamsOfMatchers(settings.scope) })
  const window = await addWindow(tx, codec, change, { actor: actorText(caller.actor), now })
  await record(tx, caller, 'maintenance_window.created', window.window_id)
  return seenWindow(tx, caller, window.window_id)
}

export const checkDeployments = (tx: Tx, { tenant_id }: Caller): Promise<void> =>
  checkLimit(tx, tenant_id, 'deployment_windows', countDeployments)

/**
 * Puts `given` over the window's settings, or replaces them. Throws CONFLICT for a window that has
 * ended.
 */
export async function change(
  tx: Tx,
  codec: Codec,
  request: FastifyRequest,
  id: string,
  { given, replaces }: { given: UpdateWindowBody; replaces: boolean }
): Promise<StoredWindow> {
  const caller = callerOf(request)
  const window = await lockedWindow(tx, caller, id, 'planned')
  checkIfMatch(request, window.version)
  const now = await postgresNow(tx)
  const state = windowStateAt(window, now)
  if (state === 'ended' || state === 'cancelled') throw new ApiError('CONFLICT', 'The window has ended. Create a new one')
  const before = settingsOf(window)
  const body = replaces
    ? { reason: null, effect: 'suppress_notifications' as const, settle_seconds: SETTLE_SECONDS, count_in_uptime: false, ...given }
    : given
  const after = settingsAfter(before, body, now)
  const diff = difference(before, after)
  if (Object.keys(diff).length === 0) return window
  await checkScope(tx, caller, after.scope, before.scope)
  const team_ids = teamsOfMatchers(after.scope)
  await changeWindow(tx, codec, window, { ...window, ...after, team_ids }, { actor: actorText(caller.actor), now })
  await record(tx, caller, 'maintenance_window.updated', id, diff)
  return seenWindow(tx, caller, id)
}

/**
 * Ends the occurrence that runs now; a recurring window continues with the next one. Throws
 * CONFLICT if nothing runs.
 */
export async function endNow(tx: Tx, codec: Codec, request: FastifyRequest, id: string): Promise<StoredWindow> {
  const caller = callerOf(request)
  const window = await lockedWindow(tx, caller, id, 'planned')
  checkIfMatch(request, window.version)
  const now = await postgresNow(tx)
  const span = spansOfRow(window).find(({ starts_at, ends_at }) => starts_at <= now && now < ends_at)
  if (!span || window.cancelled_at !== null) throw new ApiError('CONFLICT', 'The window is not active')
  // Occurrences that meet are one span. Those that begin later stay.
  const running = [...occurrences(window.schedule, tzZones, now, now + 1)]
  const until = running.length === 0 ? span.ends_at : Math.min(span.ends_at, Math.max(...running.map(({ ends_at }) => ends_at)))
  const holes: [number, number][] = [...window.holes.map(([from, until]): [number, number] => [from, until]), [now, until]]
  await changeWindow(tx, codec, window, { ...window, holes }, { actor: actorText(caller.actor), now })
  await record(tx, caller, 'maintenance_window.ended', id)
  return seenWindow(tx, caller, id)
}

/** Deletes the window. Its past stays part of the record of uptime. */
export async function remove(tx: Tx, codec: Codec, request: FastifyRequest, id: string): Promise<void> {
  const caller = callerOf(request)
  const window = await lockedWindow(tx, caller, id, 'planned')
  checkIfMatch(request, window.version)
  const now = await postgresNow(tx)
  await changeWindow(tx, codec, window, { ...window, deleted_at: now }, { actor: actorText(caller.actor), now })
  await record(tx, caller, 'maintenance_window.deleted', id)
}
