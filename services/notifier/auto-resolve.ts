/**
 * Resolves alerts of senders that never report an end. An integration or a routing rule may resolve
 * alerts `auto_resolve_minutes` after the last repeat. This is a sweep, not one timer per alert:
 * every repeat would have to move its timer, and a change of the setting would have to move all of
 * them. If the sender fires again later, a new alert opens.
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
import type { CatchUp } from './catch-up.ts'
import { startSweep } from './sweep.ts'

const ACTOR: Actor = { kind: 'system', id: 'auto_resolve', via: 'system', request_id: null }
const PAGE = 100
/** How many workspaces are handled at once, so that a large one does not hold up the others. */
const WORKSPACES_AT_ONCE = 3

/**
 * Resolves one alert under the lock of its key. Returns false when the alert was seen again in the
 * meantime, or when somebody else resolved it.
 */
function resolveOne(pool: Pool, codec: Codec, tenant_id: string, alert_id: string, minutes: number): Promise<boolean> {
  return tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    const own = await resolveOwn(tx, codec, tenant_id, alert_id, minutes)
    if (own !== null) return own
    const locked = await lockIncident(tx, tenant_id, alert_id)
    // Meanwhile this became one of several alerts of the incident. The next sweep finds that alert.
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

/** Resolves an alert that has a row of its own. Returns null when it is an incident instead. */
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

/**
 * Resolves the quiet alerts of one workspace. An alert that fails is logged and left for the next
 * sweep; the others go on.
 */
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

/** Resolves every alert that has been quiet for long enough. Returns how many it resolved. */
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

/**
 * Sweeps every `everyMs`, but not while `catchUp` waits for the folds: the last repeat of an alert
 * may be on the log, and not yet in Postgres. Returns a function that stops it after the sweep
 * under way.
 */
export function startAutoResolve(pool: Pool, codec: Codec, log: Log, catchUp: CatchUp, everyMs = 30_000): () => Promise<void> {
  return startSweep({
    sweep: async () => ((await catchUp.mayAct()) ? resolveQuiet(pool, codec, log) : 0),
    everyMs,
    log,
    done: { count: 'resolved', message: 'incidents of silent senders were resolved' },
    failed: 'incidents of silent senders could not be resolved; trying again'
  })
}
