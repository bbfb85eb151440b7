/**
 * Looks at the incidents of which nobody was told, or not how much worse they are, because
 * something held them. Most holds end by a command or a timer, and whoever ends one looks at once.
 * Some end by themselves: a silence or a maintenance window with the condition `hour` matches no
 * more at the next hour, and a silence that names no team lets go of a team that turns private.
 * This is a sweep, because no change says so.
 * Source: docs/design/api/incidents.md#held.
 */
import type { Codec } from '../../schemas/codec.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import type { Log } from '../process/log.ts'
import { firstHeld, heldIncidents } from '../store/held-tellings.ts'
import { type Pool, tenantTransaction, transaction } from '../store/pool.ts'
import { holdsChanged, lockOngoing, RELEASE_PAGE } from '../store/releases.ts'
import type { CatchUp } from './catch-up.ts'
import { holdsOfEach } from './holds-now.ts'
import { startSweep } from './sweep.ts'

const PAGE = 200

/** Releases these incidents of one workspace if nothing holds them under their locks either. */
async function release(pool: Pool, codec: Codec, tenant_id: string, incident_ids: readonly string[], at: number): Promise<number> {
  return tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    const locked = await lockOngoing(tx, tenant_id, incident_ids)
    const cause = { at, kind: 'job', src: 'job:held_again', request_id: null } as const
    const ids = locked.map(({ incident_id }) => incident_id)
    return (await holdsChanged(tx, codec, tenant_id, ids, cause)).length
  })
}

/**
 * Releases every held incident that nothing holds any more. Returns how many. A workspace that
 * fails is logged and left for the next sweep.
 */
export async function releaseHeld(pool: Pool, codec: Codec, log: Pick<Log, 'warn'>): Promise<number> {
  let released = 0
  for (let after = firstHeld; ; ) {
    const { free, last, now } = await transaction(pool, async (tx) => {
      const { incidents, now } = await heldIncidents(tx, after, PAGE)
      const holds = incidents.length === 0 ? new Map<string, never[]>() : await holdsOfEach(tx, incidents, now)
      const free = new Map<string, string[]>()
      for (const { tenant_id, incident_id } of incidents)
        if (holds.get(incident_id)?.length === 0) free.set(tenant_id, [...(free.get(tenant_id) ?? []), incident_id])
      return { free, last: incidents.length < PAGE ? null : (incidents.at(-1) ?? null), now }
    })
    for (const [tenant_id, ids] of free) {
      try {
        for (let n = 0; n < ids.length; n += RELEASE_PAGE)
          released += await release(pool, codec, tenant_id, ids.slice(n, n + RELEASE_PAGE), now)
      } catch (error) {
        log.warn({ err: error, tenant_id }, 'incidents that nothing holds any more could not be released; the next sweep tries again')
      }
    }
    if (!last) return released
    after = last
  }
}

/**
 * Sweeps every `everyMs`, but not while `catchUp` waits for the folds: the end of an incident may
 * be on the log, and not yet in Postgres. Returns a function that stops it after the sweep under
 * way.
 */
export function startReleaseHeld(pool: Pool, codec: Codec, log: Log, catchUp: CatchUp, everyMs = 60_000): () => Promise<void> {
  return startSweep({
    sweep: async () => ((await catchUp.mayAct()) ? releaseHeld(pool, codec, log) : 0),
    everyMs,
    log,
    done: { count: 'released', message: 'incidents that nothing holds any more are told of' },
    failed: 'held incidents could not be looked at; trying again'
  })
}
