/**
 * Tells about integrations that have ignored everything for a day. Members who may set them up read
 * it once in their feed. A delivery that is processed ends the stretch, and the next stretch is
 * told again. This is a sweep, because every delivery changes the counts that decide it.
 */

import type { Codec } from '../../schemas/codec.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import type { FeedNotice } from '../../streams/define.ts'
import type { Log } from '../process/log.ts'
import { writeEffects } from '../store/effects.ts'
import { claimStretch, type Stretch, untoldStretches } from '../store/intake-facts.ts'
import { type Pool, tenantTransaction } from '../store/pool.ts'
import { startSweep } from './sweep.ts'

const MAX_A_SWEEP = 500

/** Returns the feed notice about a stretch of ignored deliveries. Pure. */
export function noticeOf({
  tenant_id,
  integration_id,
  name,
  ignoring_since,
  last_ignored_at,
  reason,
  team_id,
  visibility
}: Stretch): FeedNotice {
  const since = new Date(ignoring_since).toISOString().slice(0, 16).replace('T', ' ')
  const why = reason === null ? '' : ` Most often: ${reason}.`
  return {
    tenant_id,
    key: `ignoring:${integration_id}:${ignoring_since}`,
    type: 'announcement',
    severity: 'warning',
    title: `${name} has ignored everything for a day`,
    body: `Since ${since} UTC every delivery of this integration was understood, and none opened or changed anything.${why} Its page counts them by reason. If alerts should come, look at what the sender is set up to send.`,
    at: last_ignored_at,
    audience: 'editors',
    about: { team_id, visibility }
  }
}

/**
 * Tells about stretches that nobody was told of, at most 500 integrations; the next sweep handles
 * the rest. One that fails does not hold up the others. Returns how many were told.
 */
export async function tellIgnoring(pool: Pool, codec: Codec, log: Pick<Log, 'warn'>): Promise<number> {
  let told = 0
  for (const { tenant_id, integration_id } of await untoldStretches(pool, MAX_A_SWEEP)) {
    try {
      await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
        const stretch = await claimStretch(tx, tenant_id, integration_id)
        if (stretch) await writeEffects(tx, { feed: [noticeOf(stretch)] }, codec)
        told += stretch ? 1 : 0
      })
    } catch (error) {
      log.warn({ err: error, tenant_id, integration_id }, 'nobody could be told that an integration ignores everything; trying again')
    }
  }
  return told
}

/** Sweeps every `everyMs`. Returns a function that stops it after the sweep under way. */
export function startTellIgnoring(pool: Pool, codec: Codec, log: Log, everyMs = 300_000): () => Promise<void> {
  return startSweep({
    sweep: () => tellIgnoring(pool, codec, log),
    everyMs,
    log,
    done: { count: 'told', message: 'integrations that ignore everything were told of' },
    failed: 'integrations that ignore everything could not be told of; trying again'
  })
}
