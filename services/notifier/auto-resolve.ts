/**
 * Senders that never say that something is over: an integration, or a routing rule, may resolve
 * alerts `auto_resolve_minutes` after the last repeat. A sweep and no timer for each, since a
 * repeat would have to move its timer, and a change of the setting all of them. What fires again
 * later opens a new one.
 * Source: docs/design/inbound-sources.md#s1-3.
 */

import type { Codec } from '../../schemas/codec.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { type Command, reduceIncident } from '../../streams/incident/rules.ts'
import type { Log } from '../process/log.ts'
import { lockAlert, obeyAlert } from '../store/alert-commands.ts'
import { type Actor, actorText, insertAudit } from '../store/audit.ts'
import { commandContext, lockIncident, saveStep } from '../store/incident-commands.ts'
import { type Pool, type Tx, tenantTransaction } from '../store/pool.ts'
import { quietAlerts, workspacesWithQuiet } from '../store/quiet-alerts.ts'
import { startSweep } from './sweep.ts'

const ACTOR: Actor = { kind: 'system', id: 'auto_resolve', via: 'system', request_id: null }
const PAGE = 100
/** Workspaces at a time: a large one keeps no other waiting. */
const WORKSPACES_AT_ONCE = 3

/**
 * Under the lock of its key. False when it was seen again while we looked, or somebody else
 * resolved it.
 */
function resolveOne(pool: Pool, codec: Codec, tenant_id: string, alert_id: string, minutes: number): Promise<boolean> {
  return tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    const own = await resolveOwn(tx, codec, tenant_id, alert_id, minutes)
    if (own !== null) return own
    const locked = await lockIncident(tx, tenant_id, alert_id)
    // It became one alert of several meanwhile: the next sweep finds that one.
    if (locked && locked.incident.ongoing_alerts !== null) return false
    if (!locked || (locked.signal.last_seen_at ?? 0) > locked.now - minutes * 60_000) return false
    const by = actorText(ACTOR)
    const note = noteOf(minutes)
    const command: Command = { command: 'resolve', by, note, until_recovered: false, reason: 'auto_timeout' }
    const context = commandContext(locked, { kind: 'job', src: 'job:auto_resolve', request_id: null })
    const step = reduceIncident(locked.incident, command, context)
    await saveStep(tx, codec, locked, command, step, context)
    if (step.events.length === 0) return false
    await insertAudit(tx, tenant_id, ACTOR, { action: 'incident.resolved', object_type: 'incident', object_id: alert_id })
    return true
  })
}

const noteOf = (minutes: number): string => `Nothing was heard of it for ${minutes} minutes.`

/** An alert with a row of its own; null: it is an incident. */
async function resolveOwn(tx: Tx, codec: Codec, tenant_id: string, alert_id: string, minutes: number): Promise<boolean | null> {
  const locked = await lockAlert(tx, tenant_id, alert_id)
  if (!locked) return null
  if ((locked.row.last_seen_at ?? 0) > locked.now - minutes * 60_000) return false
  const command = {
    command: 'resolve',
    by: actorText(ACTOR),
    note: noteOf(minutes),
    reason: 'auto_timeout',
    until_recovered: false
  } as const
  const context = commandContext(locked, { kind: 'job', src: 'job:auto_resolve', request_id: null })
  const { events } = await obeyAlert(tx, codec, locked, command, context)
  if (events.length === 0) return false
  await insertAudit(tx, tenant_id, ACTOR, { action: 'alert.resolved', object_type: 'alert', object_id: alert_id })
  return true
}

/** One that fails is told and left for the next sweep: it holds up no other. */
async function resolveOf(pool: Pool, codec: Codec, log: Pick<Log, 'warn'>, tenant_id: string): Promise<number> {
  let resolved = 0
  let after = ''
  for (;;) {
    const page = await quietAlerts(pool, tenant_id, after, PAGE)
    for (const { alert_id, minutes } of page) {
      try {
        if (await resolveOne(pool, codec, tenant_id, alert_id, minutes)) resolved += 1
      } catch (error) {
        log.warn({ err: error, tenant_id, alert_id }, 'an alert of a silent sender could not be resolved; the next sweep tries again')
      }
    }
    if (page.length < PAGE) return resolved
    after = page.at(-1)?.alert_id ?? after
  }
}

/** Resolves all that is quiet for long enough now. Returns how many that were. */
export async function resolveQuiet(pool: Pool, codec: Codec, log: Pick<Log, 'warn'>): Promise<number> {
  const waiting = await workspacesWithQuiet(pool)
  async function lane(): Promise<number> {
    let resolved = 0
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) resolved += await resolveOf(pool, codec, log, next)
    return resolved
  }
  const counts = await Promise.all(Array.from({ length: WORKSPACES_AT_ONCE }, lane))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Sweeps every `everyMs`. Returns what stops it, after the sweep in hand. */
export function startAutoResolve(pool: Pool, codec: Codec, log: Log, everyMs = 30_000): () => Promise<void> {
  return startSweep({
    sweep: () => resolveQuiet(pool, codec, log),
    everyMs,
    log,
    done: { count: 'resolved', message: 'incidents of silent senders were resolved' },
    failed: 'incidents of silent senders could not be resolved; trying again'
  })
}
