/**
 * Integrations that have ignored everything for a day: people of the workspace who may set them up
 * read it once in their feed. A delivery that is processed ends the stretch; the next one is told
 * again. A sweep, since what counts is moved by every delivery.
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

/** What is said of a stretch. Pure. */
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
 * Tells of what nobody was told of, 500 integrations at most: the next sweep goes on. One that
 * fails holds up no other. Returns how many.
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

/** Sweeps every `everyMs`. Returns what stops it, after the sweep in hand. */
export function startTellIgnoring(pool: Pool, codec: Codec, log: Log, everyMs = 300_000): () => Promise<void> {
  return startSweep({
    sweep: () => tellIgnoring(pool, codec, log),
    everyMs,
    log,
    done: { count: 'told', message: 'integrations that ignore everything were told of' },
    failed: 'integrations that ignore everything could not be told of; trying again'
  })
}
