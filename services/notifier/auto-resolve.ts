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
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import { lockAlert, obeyAlert } from '../store/alert-commands.ts'
import { type Actor, actorText, insertAudit } from '../store/audit.ts'
import { commandContext, lockIncident, saveStep } from '../store/incident-commands.ts'
import { type Pool, type Tx, tenantTransaction } from '../store/pool.ts'
import { type QuietAlert, quietAlerts, workspacesWithQuiet } from '../store/quiet-alerts.ts'
import type { CatchUp } from './catch-up.ts'
import { createHearOut, type HearOut, type HearOutOptions } from './hear-out.ts'
import { startSweep } from './sweep.ts'

const ACTOR: Actor = { kind: 'system', id: 'auto_resolve', via: 'system', request_id: null }
const PAGE = 100
/** How many workspaces are handled at once, so that a large one does not hold up the others. */
const WORKSPACES_AT_ONCE = 3

/**
 * Resolves one alert under the lock of its key. Returns false when the alert was seen again in the
 * meantime, or when somebody else resolved it.
 */
function resolveOne(pool: Pool, codec: Codec, tenant_id: string, quiet: QuietAlert): Promise<boolean> {
  const { alert_id, minutes, last_seen_at } = quiet
  return tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    const own = await resolveOwn(tx, codec, tenant_id, quiet)
    if (own !== null) return own
    const locked = await lockIncident(tx, tenant_id, alert_id)
    // Meanwhile this became one of several alerts of the incident. The next sweep finds that alert.
    if (locked && locked.incident.ongoing_alerts !== null) return false
    if (!locked || (locked.signal.last_seen_at ?? 0) > last_seen_at) return false
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
async function resolveOwn(tx: Tx, codec: Codec, tenant_id: string, quiet: QuietAlert): Promise<boolean | null> {
  const { alert_id, minutes, last_seen_at } = quiet
  const locked = await lockAlert(tx, tenant_id, alert_id)
  if (!locked) return null
  if ((locked.row.last_seen_at ?? 0) > last_seen_at) return false
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
 * Resolves the quiet alerts of one workspace whose repeats are all known. An alert that fails is
 * logged and left for the next sweep; the others go on.
 */
async function resolveOf(pool: Pool, codec: Codec, log: Pick<Log, 'warn'>, tenant_id: string, hearOut: HearOut): Promise<number> {
  // The broker is asked only if there is something to resolve.
  if ((await quietAlerts(pool, tenant_id, '', 1, null)).length === 0) return 0
  const { at, includes } = await hearOut()
  let resolved = 0
  let after = ''
  for (;;) {
    const page = await quietAlerts(pool, tenant_id, after, PAGE, at)
    for (const quiet of page) {
      const { alert_id, dedup_key } = quiet
      if (!includes({ tenant_id, dedup_key })) continue
      try {
        if (await resolveOne(pool, codec, tenant_id, quiet)) resolved += 1
      } catch (error) {
        log.warn({ err: error, tenant_id, alert_id }, 'an alert of a silent sender could not be resolved; the next sweep tries again')
      }
    }
    if (page.length < PAGE) return resolved
    after = page.at(-1)?.alert_id ?? after
  }
}

/**
 * Resolves every alert that has been quiet for long enough. Returns how many it resolved. A
 * workspace that fails is logged and left for the next sweep.
 */
export async function resolveQuiet(pool: Pool, codec: Codec, log: Pick<Log, 'warn'>, hearOut: HearOut): Promise<number> {
  const waiting = await workspacesWithQuiet(pool)
  let heard: ReturnType<HearOut> | null = null
  const once: HearOut = () => {
    heard ??= hearOut()
    return heard
  }
  async function lane(): Promise<number> {
    let resolved = 0
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      try {
        resolved += await resolveOf(pool, codec, log, next, once)
      } catch (error) {
        log.warn({ err: error, tenant_id: next }, 'alerts of silent senders could not be looked at; the next sweep tries again')
      }
    }
    return resolved
  }
  const counts = await Promise.all(Array.from({ length: WORKSPACES_AT_ONCE }, lane))
  return counts.reduce((sum, count) => sum + count, 0)
}

export interface AutoResolveOptions extends Pick<HearOutOptions, 'pool' | 'endsOf'> {
  codec: Codec
  log: Log
  catchUp: CatchUp
  everyMs?: number
}

/**
 * Sweeps every `everyMs`, but not while `catchUp` waits for the folds: the last repeat of an alert
 * may be on the log, and not yet in Postgres. Returns a function that stops it after the sweep
 * under way.
 */
export function startAutoResolve({ pool, endsOf, codec, log, catchUp, everyMs = 30_000 }: AutoResolveOptions): () => Promise<void> {
  const { rest, end } = createRest()
  const hearOut = createHearOut({ pool, endsOf, log, rest })
  const stop = startSweep({
    sweep: async () => ((await catchUp.mayAct()) ? resolveQuiet(pool, codec, log, hearOut) : 0),
    everyMs,
    log,
    done: { count: 'resolved', message: 'incidents of silent senders were resolved' },
    failed: 'incidents of silent senders could not be resolved; trying again'
  })
  return () => {
    end()
    return stop()
  }
}
