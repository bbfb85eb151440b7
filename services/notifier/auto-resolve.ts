/**
 * Senders that never say that something is over: an integration may resolve its incidents `auto_resolve_minutes` after the last repeat. A sweep and no
 * timer for each, since a repeat would have to move its timer, and a change of the setting all of them. What fires again later opens a new incident.
 * Source: docs/design/inbound-sources.md#s1-3.
 */
import type { Codec } from '../../schemas/codec.ts'
import { type Command, reduceIncident } from '../../streams/incident/rules.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import { type Actor, actorText, insertAudit } from '../store/audit.ts'
import { commandContext, lockIncident, saveStep } from '../store/incident-commands.ts'
import { quietIncidents } from '../store/incidents.ts'
import { type Pool, tenantTransaction } from '../store/pool.ts'

const ACTOR: Actor = { kind: 'system', id: 'auto_resolve', via: 'system', request_id: null }
const BATCH = 100

/** Resolves what is quiet for long enough now. Returns how many incidents that were. */
export async function resolveQuiet(pool: Pool, codec: Codec): Promise<number> {
  let resolved = 0
  for (const { tenant_id, incident_id, minutes } of await quietIncidents(pool, BATCH)) {
    await tenantTransaction(pool, tenant_id, async (tx) => {
      const locked = await lockIncident(tx, tenant_id, incident_id)
      // Seen again while we looked: it is not quiet.
      if (!locked || (locked.signal.last_seen_at ?? 0) > locked.now - minutes * 60_000) return
      const by = actorText(ACTOR)
      const note = `Nothing was heard of it for ${minutes} minutes.`
      const command: Command = { command: 'resolve', by, note, until_recovered: false, reason: 'auto_timeout' }
      const context = commandContext(locked, { kind: 'job', src: 'job:auto_resolve', request_id: null })
      const step = reduceIncident(locked.incident, command, context)
      await saveStep(tx, codec, locked, command, step)
      if (step.events.length === 0) return
      await insertAudit(tx, tenant_id, ACTOR, { action: 'incident.resolved', object_type: 'incident', object_id: incident_id })
      resolved += 1
    })
  }
  return resolved
}

/** Sweeps every `everyMs`. Returns what stops it, after the sweep in hand. */
export function startAutoResolve(pool: Pool, codec: Codec, log: Log, everyMs = 30_000): () => Promise<void> {
  const { rest, end } = createRest()
  let closing = false
  async function loop(): Promise<void> {
    while (!closing) {
      try {
        const resolved = await resolveQuiet(pool, codec)
        if (resolved > 0) log.info({ resolved }, 'incidents of silent senders were resolved')
      } catch (error) {
        log.warn({ err: error }, 'incidents of silent senders could not be resolved; trying again')
      }
      await rest(everyMs)
    }
  }
  const running = loop()
  return async () => {
    closing = true
    end()
    await running
  }
}
