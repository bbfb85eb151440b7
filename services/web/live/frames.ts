/**
 * Applies frames to what is shown. A frame says only what changed. A monitor's row takes the new
 * status at once, and all data that a frame affects is read again: at most once a second for each
 * list, or every four seconds while frames keep coming. Twenty frames a second thus cost one
 * request. A reading under way is not broken off: it ends, and what it read is read once more, so a
 * list is read however slow the answers are. A frame older than the cached row changes nothing, so
 * data that an action's own answer has already updated is not read again.
 *
 * `incident.removed` says that some people no longer see an incident. Owners and admins see every
 * team, so for them it is only read again. For everybody else it is removed at once, and people who
 * still see it read it again a moment later.
 * Source: docs/design/api/realtime.md#rm-1.
 */
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import { seesAllTeams } from '../../../schemas/http/rights.ts'
import type { Heartbeat, Incident, Monitor, Session, TimelineItem } from '../api/shapes.ts'
import type { Frame } from './frame.ts'

/**
 * How long frames are collected before the page applies them, in ms, so that many frames cost one
 * render.
 */
const GATHER_MS = 120
/**
 * Pauses between two readings of the same list, in ms. The longer one applies while changes keep
 * coming, because the smallest plan allows 120 requests a minute.
 */
const READ_EVERY_MS = 1_000
const READ_ON_AND_ON_MS = 4_000
/** How many readings use the short pause. A long enough silence starts the count again. */
const SOON = 5

interface Row {
  id: string
}

type Cached = { items: Row[] } | InfiniteData<{ items: Row[] }> | Row[] | undefined

/** Returns the cached list with rows replaced, or the same object if it contains none of them. */
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

/** Returns the list without these rows, and with its total reduced. */
function without(cached: { items: Row[]; total?: number } | undefined, ids: ReadonlySet<string>): typeof cached {
  if (!cached) return cached
  const items = cached.items.filter(({ id }) => !ids.has(id))
  const gone = cached.items.length - items.length
  if (gone === 0) return cached
  return { ...cached, items, ...(cached.total !== undefined && { total: Math.max(0, cached.total - gone) }) }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function monitorChange({ data, at }: Frame): (row: Row) => Row {
  const status = text(data.status) as Monitor['status']
  const phase = (text(data.phase) || (status === 'up' ? 'ok' : status)) as Monitor['phase']
  return (row) => {
    const monitor = row as Monitor
    // The cached row was read after the frame was made.
    if (monitor.last_checked_at !== null && text(data.checked_at) !== '' && monitor.last_checked_at > text(data.checked_at)) return row
    return {
      ...monitor,
      // The row's time and reason are those of the change before.
      ...(status !== monitor.status && {
        last_status_change_at: at ?? (text(data.checked_at) || monitor.last_status_change_at),
        ...(status === 'down' && { last_failure: null })
      }),
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

/**
 * Changes of who handles an incident, or of comments on it. The monitor or heartbeat behind the
 * incident does not change.
 */
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

/**
 * Keys to be read again. Cached data of version `ver` or newer needs no reading. `exact`: without
 * the keys below.
 */
type Dirty = Map<string, { queryKey: QueryKey; ver: number; exact: boolean }>

/** Returns the cached version of an incident, or of the last change in its timeline. */
function verOf(queries: QueryClient, queryKey: QueryKey): number {
  const data = queries.getQueryData<Incident | TimelineItem[]>(queryKey)
  return (Array.isArray(data) ? data.at(-1)?.ver : data?.ver) ?? -1
}

/**
 * Reads everything that is dirty. What is being read already stays dirty: its answer may be older
 * than the frame.
 */
function readAgain(queries: QueryClient, dirty: Dirty): void {
  const keys = [...dirty.values()]
  dirty.clear()
  const underWay = new Set(queries.getQueryCache().findAll({ fetchStatus: 'fetching' }))
  for (const { queryKey, ver, exact } of keys) {
    if (ver !== Number.POSITIVE_INFINITY && verOf(queries, queryKey) >= ver) continue
    for (const query of queries.getQueryCache().findAll({ queryKey, exact }))
      if (underWay.has(query)) dirty.set(query.queryHash, { queryKey: query.queryKey, ver, exact: true })
    void queries.invalidateQueries({ queryKey, exact, predicate: (query) => !underWay.has(query) }, { cancelRefetch: false })
  }
}

export function createFrames(queries: QueryClient) {
  const monitors = new Map<string, (row: Row) => Row>()
  const heartbeats = new Map<string, (row: Row) => Row>()
  const removed = new Set<string>()
  const dirty: Dirty = new Map()
  let gathering: ReturnType<typeof setTimeout> | null = null
  let reading: ReturnType<typeof setTimeout> | null = null
  let readAt = 0
  let inARow = 0

  function touch(...keys: QueryKey[]): void {
    for (const queryKey of keys) dirty.set(JSON.stringify(queryKey), { queryKey, ver: Number.POSITIVE_INFINITY, exact: false })
  }

  /**
   * Marks keys to be read again, unless the cached data has this version or a newer one by then.
   */
  function touchOlder(ver: number, ...keys: QueryKey[]): void {
    for (const queryKey of keys) {
      const before = dirty.get(JSON.stringify(queryKey))
      // The keys below this one have versions of their own.
      dirty.set(JSON.stringify(queryKey), { queryKey, ver: Math.max(before?.ver ?? 0, ver), exact: before?.exact ?? true })
    }
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
      // The team's other objects disappear with the incident, and so do feed items about it.
      touch(['teams'], ['monitors', 'list'], ['monitors', 'groups'], ['heartbeats', 'list'], ['feed'])
    }
  }

  function take(): void {
    gathering = null
    if (monitors.size > 0) {
      queries.setQueriesData<Cached>({ queryKey: ['monitors', 'list'] }, (cached) => patched(cached, monitors))
      // An answer under way may be older than the frames, and would replace what they changed.
      for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: ['monitors', 'list'], fetchStatus: 'fetching' }))
        touch(queryKey)
    }
    if (heartbeats.size > 0) queries.setQueriesData<Cached>({ queryKey: ['heartbeats', 'list'] }, (cached) => patched(cached, heartbeats))
    monitors.clear()
    heartbeats.clear()
    if (removed.size > 0) takeAway()
    readSoon()
  }

  function readSoon(): void {
    if (reading !== null || dirty.size === 0) return
    if (Date.now() - readAt > 2 * READ_ON_AND_ON_MS) inARow = 0
    const pause = inARow++ < SOON ? READ_EVERY_MS : READ_ON_AND_ON_MS
    reading = setTimeout(read, Math.max(0, readAt + pause - Date.now()))
  }

  /** Removes cached data of these incidents. Data that is still shown is requested again. */
  function takeAway(): void {
    const ids = new Set(removed)
    removed.clear()
    // An answer under way would bring them back.
    void queries.cancelQueries({ queryKey: ['incidents', 'list'] })
    queries.setQueriesData<{ items: Row[]; total?: number }>({ queryKey: ['incidents', 'list'] }, (cached) => without(cached, ids))
    void queries.resetQueries({
      queryKey: ['incidents', 'one'],
      // A page that was opened by an incident's key is cached under the key, not the id.
      predicate: ({ queryKey, state: { data } }) => ids.has(text(queryKey[2])) || ids.has(text((data as Row | undefined)?.id))
    })
    // Any cached alert may belong to such an incident.
    void queries.resetQueries({ queryKey: ['alerts'] })
  }

  function read(): void {
    reading = null
    readAt = Date.now()
    readAgain(queries, dirty)
    readSoon()
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
      // Most lists of schedules and of policies show who is on call.
      touch(['schedules'], ['policies'])
    } else if (frame.channel === 'notifications.feed') touch(['feed'])
    if (gathering === null) gathering = setTimeout(take, GATHER_MS)
  }
}
