/**
 * From frames to what is shown. A frame says what changed, not everything: a monitor's row takes
 * the new status at once, and whatever a frame touches is read again, at most once a second for
 * each list (every four seconds while they keep coming), so that twenty frames a second cost one
 * request. A frame older than the row that was read changes nothing: what an action's own answer
 * has shown already is not read again.
 *
 * `incident.removed` says that some people no longer see an incident. For owners and admins, who
 * see every team, it is only read again. From everybody else it is taken at once: whoever still
 * sees it reads it again a moment later. Source: docs/design/api/realtime.md#rm-1.
 */
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import { seesAllTeams } from '../../../schemas/http/rights.ts'
import type { Heartbeat, Incident, Monitor, Session, TimelineItem } from '../api/shapes.ts'
import type { Frame } from './frame.ts'

/** How long frames gather before the page takes them, ms: one render for many. */
const GATHER_MS = 120
/**
 * Between two readings of the same list, ms; while changes go on and on, the longer pause: the
 * least plan allows 120 requests a minute.
 */
const READ_EVERY_MS = 1_000
const READ_ON_AND_ON_MS = 4_000
/** So many readings at the short pause, and again after as long a silence. */
const SOON = 5

interface Row {
  id: string
}

type Cached = { items: Row[] } | InfiniteData<{ items: Row[] }> | Row[] | undefined

/** The cached list with rows replaced; the same object where none of them is in it. */
function patched(cached: Cached, changes: ReadonlyMap<string, (row: Row) => Row>): Cached {
  const rows = (items: Row[]): Row[] => {
    let touched = false
    const next = items.map((row) => {
      const change = changes.get(row.id)
      const changed = change ? change(row) : row
      touched ||= changed !== row
      return changed
    })
    return touched ? next : items
  }
  if (!cached) return cached
  if (Array.isArray(cached)) return rows(cached)
  if ('items' in cached) {
    const items = rows(cached.items)
    return items === cached.items ? cached : { ...cached, items }
  }
  const pages = cached.pages.map((page) => {
    const items = rows(page.items)
    return items === page.items ? page : { ...page, items }
  })
  return pages.some((page, at) => page !== cached.pages[at]) ? { ...cached, pages } : cached
}

/** The list, or the pages of one, without these rows, and its count with them. */
function without(cached: { items: Row[]; total?: number } | undefined, ids: ReadonlySet<string>): typeof cached {
  if (!cached) return cached
  const items = cached.items.filter(({ id }) => !ids.has(id))
  const gone = cached.items.length - items.length
  if (gone === 0) return cached
  return { ...cached, items, ...(cached.total !== undefined && { total: Math.max(0, cached.total - gone) }) }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function monitorChange({ data }: Frame): (row: Row) => Row {
  const status = text(data.status) as Monitor['status']
  const phase = (text(data.phase) || (status === 'up' ? 'ok' : status)) as Monitor['phase']
  return (row) => {
    const monitor = row as Monitor
    // What stands in the list was read after the frame was made.
    if (monitor.last_checked_at !== null && text(data.checked_at) !== '' && monitor.last_checked_at > text(data.checked_at)) return row
    return {
      ...monitor,
      status,
      phase,
      last_response_time_ms: typeof data.response_time_ms === 'number' ? data.response_time_ms : monitor.last_response_time_ms,
      last_checked_at: text(data.checked_at) || monitor.last_checked_at
    }
  }
}

function heartbeatChange({ data }: Frame): (row: Row) => Row {
  const at = text(data.last_ping_at)
  return (row) => {
    const heartbeat = row as Heartbeat
    if (at === '' || (heartbeat.last_ping_at !== null && heartbeat.last_ping_at >= at)) return row
    return { ...heartbeat, status: text(data.status) as Heartbeat['status'], last_ping_at: at }
  }
}

/** Changes of who has an incident and of what is said of it: nothing behind it changes. */
const ofPeople: ReadonlySet<unknown> = new Set([
  'incident.acknowledged',
  'incident.assigned',
  'unacknowledged',
  'silenced',
  'unsilenced',
  'comment',
  'comment_deleted',
  'escalated'
])

export function createFrames(queries: QueryClient) {
  const monitors = new Map<string, (row: Row) => Row>()
  const heartbeats = new Map<string, (row: Row) => Row>()
  const removed = new Set<string>()
  /** Keys to be read again, and the version from which on what is here needs no reading. */
  const dirty = new Map<string, { queryKey: QueryKey; ver: number }>()
  let gathering: ReturnType<typeof setTimeout> | null = null
  let reading: ReturnType<typeof setTimeout> | null = null
  let readAt = 0
  let inARow = 0

  function touch(...keys: QueryKey[]): void {
    for (const queryKey of keys) dirty.set(JSON.stringify(queryKey), { queryKey, ver: Number.POSITIVE_INFINITY })
  }

  /** Read again unless it is there in that version, or a newer one, when it would be read. */
  function touchOlder(ver: number, ...keys: QueryKey[]): void {
    for (const queryKey of keys) {
      const before = dirty.get(JSON.stringify(queryKey))?.ver ?? 0
      dirty.set(JSON.stringify(queryKey), { queryKey, ver: Math.max(before, ver) })
    }
  }

  /** The version of an incident, or of the last change of its timeline, as it was read. */
  function verOf(queryKey: QueryKey): number {
    const data = queries.getQueryData<Incident | TimelineItem[]>(queryKey)
    return (Array.isArray(data) ? data.at(-1)?.ver : data?.ver) ?? -1
  }

  function hearIncident({ type, data, ver = Number.POSITIVE_INFINITY }: Frame): void {
    const id = text(data.incident_id)
    const change = type === 'incident.updated' ? data.change : type
    touch(['incidents', 'list'], ['incidents', 'counts'])
    if (ofPeople.has(change)) {
      touchOlder(ver, ['incidents', 'one', id], ['incidents', 'one', id, 'timeline'])
      if (change === 'comment' || change === 'comment_deleted') touch(['incidents', 'one', id, 'comments'])
      if (change === 'silenced' || change === 'unsilenced') touch(['incidents', 'explain', id])
      touch(['alerts', 'list'], ['alerts', 'one'])
      return
    }
    touch(['incidents', 'one', id], ['alerts'], ['integrations', 'list'])
    if (text(data.monitor_id) !== '') touch(['monitors', 'one', text(data.monitor_id)])
    if (text(data.heartbeat_id) !== '') touch(['heartbeats', 'one', text(data.heartbeat_id)], ['heartbeats', 'list'])
    if (type === 'incident.removed') {
      const session = queries.getQueryData<Session | null>(['session'])
      if (!session || !seesAllTeams(session.role)) removed.add(id)
      // The rest of what the team owns goes with it, and what people were told.
      touch(['teams'], ['monitors', 'list'], ['monitors', 'groups'], ['heartbeats', 'list'], ['feed'])
    }
  }

  function take(): void {
    gathering = null
    if (monitors.size > 0) queries.setQueriesData<Cached>({ queryKey: ['monitors', 'list'] }, (cached) => patched(cached, monitors))
    if (heartbeats.size > 0) queries.setQueriesData<Cached>({ queryKey: ['heartbeats', 'list'] }, (cached) => patched(cached, heartbeats))
    monitors.clear()
    heartbeats.clear()
    if (removed.size > 0) takeAway()
    if (reading !== null || dirty.size === 0) return
    if (Date.now() - readAt > 2 * READ_ON_AND_ON_MS) inARow = 0
    const pause = inARow++ < SOON ? READ_EVERY_MS : READ_ON_AND_ON_MS
    reading = setTimeout(read, Math.max(0, readAt + pause - Date.now()))
  }

  /** What was read of them is forgotten, and asked for anew where it is shown. */
  function takeAway(): void {
    const ids = new Set(removed)
    removed.clear()
    queries.setQueriesData<{ items: Row[]; total?: number }>({ queryKey: ['incidents', 'list'] }, (cached) => without(cached, ids))
    void queries.resetQueries({
      queryKey: ['incidents', 'one'],
      // A page that was opened by the key of an incident has it under the key.
      predicate: ({ queryKey, state: { data } }) => ids.has(text(queryKey[2])) || ids.has(text((data as Row | undefined)?.id))
    })
    // Any alert may be one of them.
    void queries.resetQueries({ queryKey: ['alerts'] })
  }

  function read(): void {
    reading = null
    readAt = Date.now()
    const keys = [...dirty.values()]
    dirty.clear()
    for (const { queryKey, ver } of keys) {
      if (ver === Number.POSITIVE_INFINITY) void queries.invalidateQueries({ queryKey })
      // What stands below it has a version of its own.
      else if (verOf(queryKey) < ver) void queries.invalidateQueries({ queryKey, exact: true })
    }
  }

  return (frame: Frame): void => {
    const { type, data } = frame
    if (type === 'monitor.status_changed' || type === 'monitor.phase_changed') {
      const id = text(data.monitor_id)
      monitors.set(id, monitorChange(frame))
      touch(['monitors', 'one', id], ['monitors', 'groups'])
    } else if (type === 'heartbeat.ping_received') {
      const id = text(data.heartbeat_id)
      heartbeats.set(id, heartbeatChange(frame))
      touch(['heartbeats', 'one', id], ['heartbeats', 'list'])
    } else if (type.startsWith('incident.')) hearIncident(frame)
    else if (type === 'oncall.changed') {
      // Who is on call shows in most lists of either.
      touch(['schedules'], ['policies'])
    } else if (frame.channel === 'notifications.feed') touch(['feed'])
    if (gathering === null) gathering = setTimeout(take, GATHER_MS)
  }
}
