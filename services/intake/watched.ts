/**
 * Looks up the target of a ping or a check result: heartbeats by ping token, or by slug and the
 * workspace or its ping key; monitors by id. Results are cached, and dropped when they change, by
 * LISTEN watched_changed. services/store/kept-lookups.ts says how long each entry is served, and
 * what applies while Postgres is down.
 */
import { type Check, createLookups, type LookupLimits, type Table } from '../store/kept-lookups.ts'
import { findMonitors, findNamedHeartbeat, findPingSlug, findPingToken, type MonitorOwnerRow, type PingedRow } from '../store/lookups.ts'
import type { Pool, Tx } from '../store/pool.ts'

export interface Watched {
  /**
   * Looks up by a ping token (a UUID in lower case), by `ping_key/slug`, or by `tenant_id/slug`.
   */
  heartbeat(by: 'token' | 'slug' | 'name', key: string): Check<PingedRow>
  /** Looks up by ids (UUIDs in lower case); null for one that does not exist. */
  monitors(ids: readonly string[]): ReadonlyMap<string, MonitorOwnerRow | null> | Promise<ReadonlyMap<string, MonitorOwnerRow | null>>
  /** True while the connection for changes is listening. */
  listening(): boolean
  /** The number of cached entries, by kind. */
  sizes(): Record<string, number>
  close(): void
}

export interface WatchedOptions {
  /** A pool of role service_tenant; one of its connections is held for LISTEN. */
  pool: Pool
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
  limits?: Partial<LookupLimits>
}

export function createWatched({ pool, log, limits = {} }: WatchedOptions): Watched {
  const lookups = createLookups({
    pool,
    log,
    what: 'heartbeats and monitors',
    channel: 'watched_changed',
    onChange(payload) {
      const colon = payload.indexOf(':')
      const id = payload.slice(colon + 1)
      switch (payload.slice(0, colon)) {
        case 'heartbeat':
          return tokens.drop(id)
        case 'slugs':
          slugs.dropGroup(id)
          return names.dropGroup(id)
        case 'monitor':
          return monitors.drop(id)
      }
    },
    limits
  })
  const tokens = lookups.table<PingedRow, PingedRow>({
    async find(tx, keys) {
      const found = new Map<string, PingedRow>()
      for (const key of keys) {
        const row = await findPingToken(tx, key)
        if (row) found.set(key, row)
      }
      return found
    },
    rowTo: (row) => row
  })
  /** Finds by the parts before and after the slash of a key. */
  const bySlug = (find: (tx: Tx, owner: string, slug: string) => Promise<PingedRow | null>): Table<PingedRow> =>
    lookups.table<PingedRow, PingedRow>({
      async find(tx, keys) {
        const found = new Map<string, PingedRow>()
        for (const key of keys) {
          const slash = key.indexOf('/')
          const row = await find(tx, key.slice(0, slash), key.slice(slash + 1))
          if (row) found.set(key, row)
        }
        return found
      },
      rowTo: (row) => row,
      groupOf: (row) => row.tenant_id
    })
  const slugs = bySlug(findPingSlug)
  const names = bySlug(findNamedHeartbeat)
  const monitors = lookups.table<MonitorOwnerRow, MonitorOwnerRow>({
    find: async (tx, keys) => new Map((await findMonitors(tx, keys)).map((row) => [row.monitor_id, row])),
    rowTo: (row) => row
  })
  return {
    heartbeat: (by, key) => ({ token: tokens, slug: slugs, name: names })[by].get(key),
    monitors: (ids) => monitors.getAll(ids),
    listening: lookups.listening,
    sizes: () => ({ ping_token: tokens.size(), ping_slug: slugs.size() + names.size(), monitor: monitors.size() }),
    close: lookups.close
  }
}
