/**
 * Certificates that end soon: members read it in their feed, once for each threshold of the
 * monitor. A sweep, since no check says that a day has passed.
 * Source: docs/design/api/webhooks.md#s19.
 */
import type { Codec } from '../../schemas/codec.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { certificateNotice } from '../../streams/reach/feed-notices.ts'
import type { Log } from '../process/log.ts'
import { type EndingCertificate, endingCertificates } from '../store/certificates.ts'
import { writeEffects } from '../store/effects.ts'
import { type Pool, tenantTransaction } from '../store/pool.ts'
import { startSweep } from './sweep.ts'

const MAX_AT_ONCE = 500
/** Beyond it some are asked for again, and told to nobody twice. */
const MAX_TOLD = 100_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** What this process has told of each monitor, so that the next sweep need not ask. */
export type ToldCertificates = Map<string, string>

const noticeOf = ({ tenant_id, monitor_id, name, team_id, visibility, tls_expiry_days, not_after }: EndingCertificate, at: number) =>
  certificateNotice({ tenant_id, monitor_id, name, about: { team_id, visibility }, not_after, thresholds: tls_expiry_days, at })

/** Tells what nobody was told; one that fails holds up no other. Returns how many were new here. */
export async function tellCertificates(
  pool: Pool,
  codec: Codec,
  log: Pick<Log, 'warn'>,
  told: ToldCertificates,
  at = Date.now()
): Promise<number> {
  let count = 0
  for (let after = FIRST; ; ) {
    const page = await endingCertificates(pool, after, MAX_AT_ONCE)
    for (const one of page) {
      const { tenant_id, monitor_id } = one
      const notice = noticeOf(one, at)
      if (notice === null || told.get(monitor_id) === notice.key) continue
      try {
        await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => writeEffects(tx, { feed: [notice] }, codec))
        if (told.size >= MAX_TOLD) told.clear()
        told.set(monitor_id, notice.key)
        count += 1
      } catch (error) {
        log.warn({ err: error, tenant_id, monitor_id }, 'nobody could be told that a certificate ends soon; trying again')
      }
    }
    const last = page.at(-1)
    if (!last || page.length < MAX_AT_ONCE) return count
    after = last.monitor_id
  }
}

/** Sweeps every `everyMs`. Returns what stops it, after the sweep in hand. */
export function startTellCertificates(pool: Pool, codec: Codec, log: Log, everyMs = 600_000): () => Promise<void> {
  const told: ToldCertificates = new Map()
  return startSweep({
    sweep: () => tellCertificates(pool, codec, log, told),
    everyMs,
    log,
    done: { count: 'told', message: 'certificates that end soon were told of' },
    failed: 'certificates that end soon could not be told of; trying again'
  })
}
