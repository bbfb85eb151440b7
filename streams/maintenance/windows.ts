/**
 * Which maintenance windows cover an alert.
 *
 * In       the windows of a workspace, compiled; an alert; a time in epoch ms
 * Out      the windows that hold it, each with the span that does
 * Source   docs/design/api/maintenance.md#s10-1
 *
 * A window covers what one of its lists names: everything, a monitor, a heartbeat, an integration,
 * a tag of a watched target, or whatever all of its matchers match. It holds from the begin of a
 * span until its settle time after the end has passed. A failure during the settle time also waits
 * for the end of that time. What belongs to a private team is covered only by a window that names
 * it by its id, or that names the team in a matcher: people cannot mute what they cannot see.
 */
import type { WindowEffect } from '../../schemas/http/maintenance-words.ts'
import type { Condition } from '../../schemas/http/routing-words.ts'
import { byText } from '../../schemas/text-order.ts'
import { compileCondition, type Routable, type Test } from '../routing/conditions.ts'
import { type Kept, takesFrom } from '../routing/outcome.ts'
import type { Span } from './spans.ts'

export interface Scope {
  all: boolean
  monitor_ids: readonly string[]
  heartbeat_ids: readonly string[]
  integration_ids: readonly string[]
  tags: readonly string[]
  /** All must match; an empty list matches nothing. */
  matchers: readonly Condition[]
}

/** One version of a window, with its spans. */
export interface MaintenanceWindow {
  window_id: string
  version: number
  effect: WindowEffect
  scope: Scope
  settle_seconds: number
  /** The spans in the order of time. */
  spans: readonly Span[]
  /** Ids of watched targets that have one of its tags, among the ids that were asked about. */
  tagged: readonly string[]
}

interface CompiledWindow {
  window: MaintenanceWindow
  ids: ReadonlySet<string>
  tagged: ReadonlySet<string>
  /** null: there are no matchers, or this version cannot read one. */
  tests: readonly Test[] | null
  /** Teams that its matchers name. */
  names: ReadonlySet<string>
}

/** Compiled windows of a workspace. A set never changes. */
export interface WindowSet {
  windows: readonly CompiledWindow[]
  private_team_ids: ReadonlySet<string>
}

function testsOf(matchers: readonly Condition[]): Test[] | null {
  const tests: Test[] = []
  for (const condition of matchers) {
    const test = compileCondition(condition, 'UTC')
    if (!test) return null
    tests.push(test)
  }
  return tests.length === 0 ? null : tests
}

const beginOf = ({ spans }: MaintenanceWindow): number => spans[0]?.starts_at ?? 0

const inOrder = (a: MaintenanceWindow, b: MaintenanceWindow): number => beginOf(a) - beginOf(b) || byText(a.window_id, b.window_id)

/** `private_team_ids`: private teams, including deleted ones. Never throws. */
export const compileWindows = (windows: readonly MaintenanceWindow[], private_team_ids: readonly string[]): WindowSet => ({
  windows: [...windows].sort(inOrder).map((window) => ({
    window,
    ids: new Set([...window.scope.monitor_ids, ...window.scope.heartbeat_ids, ...window.scope.integration_ids]),
    tagged: new Set(window.tagged),
    tests: testsOf(window.scope.matchers),
    names: takesFrom({ match: { all: window.scope.matchers, any: [], none: [] } })
  })),
  private_team_ids: new Set(private_team_ids)
})

/** The set of a workspace without windows. */
export const noWindows: WindowSet = compileWindows([], [])

const named = (ids: ReadonlySet<string>, { monitor_id, heartbeat_id, integration_id }: Routable): boolean =>
  (monitor_id !== null && ids.has(monitor_id)) ||
  (heartbeat_id !== null && ids.has(heartbeat_id)) ||
  (integration_id !== null && ids.has(integration_id))

const isOpen = ({ team_id, visibility }: Routable, { private_team_ids }: WindowSet): boolean =>
  visibility === 'org' && (team_id === null || !private_team_ids.has(team_id))

/** Whether one of the window's lists names the alert. The spans of the window are not checked. */
function covers({ window, ids, tagged, tests, names }: CompiledWindow, alert: Routable, at: number, set: WindowSet): boolean {
  if (named(ids, alert)) return true
  const open = isOpen(alert, set)
  if (open && (window.scope.all || named(tagged, alert))) return true
  const reached = open || (alert.team_id !== null && names.has(alert.team_id))
  return reached && (tests?.every((test) => test(alert, at)) ?? false)
}

/** Until when a window holds because of a span: the end of the span plus the settle time. */
export const settledAt = ({ settle_seconds }: Pick<MaintenanceWindow, 'settle_seconds'>, { ends_at }: Span): number =>
  ends_at + settle_seconds * 1000

export interface Covering {
  window: MaintenanceWindow
  span: Span
  /** Epoch ms: the end of the span plus the settle time after it. */
  until: number
}

function spanAt(window: MaintenanceWindow, at: number): Covering | null {
  // Takes the last span that holds: the next span may begin during the settle time before it.
  const span = window.spans.findLast((one) => one.starts_at <= at && at < settledAt(window, one))
  return span ? { window, span, until: settledAt(window, span) } : null
}

/** At most `most` windows that hold the alert at that time, in their order. Never throws. */
export function coveringWindows(set: WindowSet, alert: Routable, at: number, most: number): Covering[] {
  const found: Covering[] = []
  for (const one of set.windows) {
    if (found.length >= most) break
    const holding = spanAt(one.window, at)
    if (holding && covers(one, alert, at, set)) found.push(holding)
  }
  return found
}

/** Whether a window covers the alert, whatever its spans are. */
export const isCovered = (set: WindowSet, alert: Routable, at: number): boolean => set.windows.some((one) => covers(one, alert, at, set))

/** The window that keeps the alert from becoming an incident; null: none does. */
export function keepingWindow(set: WindowSet, alert: Routable, at: number): Kept | null {
  const keeping = { ...set, windows: set.windows.filter(({ window }) => window.effect === 'suppress_incidents') }
  const [first] = coveringWindows(keeping, alert, at, 1)
  return first ? { window_id: first.window.window_id, version: first.window.version, until: first.until } : null
}
