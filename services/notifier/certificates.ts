/**
 * Tells about certificates that end soon. Members read it in their feed and channels are notified,
 * once for each threshold of the monitor and once more when the certificate is renewed. This is a
 * sweep, because no check reports that a day has passed. The notice and the record that it was
 * given are written in one transaction. Every id is derived from the certificate, so two processes
 * that sweep at once notify nobody twice.
 * Source: docs/design/api/monitors.md#certificates, docs/design/api/webhooks.md#s19.
 */
import type { Codec } from '../../schemas/codec.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { SaidCertificate } from '../../streams/define.ts'
import { type CertificateTelling, expiryIntents, overIntents } from '../../streams/reach/certificate-intents.ts'
import { type CertificateStep, certificateStep } from '../../streams/reach/certificates.ts'
import { certificateNotice, renewedNotice } from '../../streams/reach/feed-notices.ts'
import { certificateHost } from '../checks/targets.ts'
import type { Log } from '../process/log.ts'
import {
  certificateChannels,
  endingCertificates,
  endToldCertificate,
  endWarnings,
  saveToldCertificate,
  type WatchedCertificate
} from '../store/certificates.ts'
import { writeEffects } from '../store/effects.ts'
import { type Pool, type Tx, tenantTransaction } from '../store/pool.ts'
import { startSweep } from './sweep.ts'

const MAX_AT_ONCE = 500
const FIRST = '00000000-0000-0000-0000-000000000000'
const DAY_MS = 86_400_000

/**
 * Returns the facts that are told about a certificate. `what` names the event, for example the
 * threshold.
 */
function saidOf(one: WatchedCertificate, not_after: number, threshold_days: number, what: string, now: number): SaidCertificate {
  const { monitor_id, name, type, target, tags, labels, issuer, config } = one
  return {
    event_id: uuidv5(monitor_id, `ssl_expiry ${what}`),
    monitor: { id: monitor_id, name, type, target, tags, labels },
    host: certificateHost(target, config),
    issuer,
    not_after,
    days_left: Math.floor((not_after - now) / DAY_MS),
    threshold_days
  }
}

/** Returns the team of a private monitor; null when everybody sees the monitor. */
const ownTeam = ({ is_private, team_id }: WatchedCertificate): string | null => (is_private ? team_id : null)

const tellingOf = (one: WatchedCertificate, certificate: SaidCertificate, channels: CertificateTelling['channels'], at: number) => ({
  tenant_id: one.tenant_id,
  workspace: one.workspace,
  certificate,
  own_channels: one.channel_ids.length > 0,
  channels,
  team_id: one.team_id,
  visibility: one.visibility,
  at,
  uuidv5
})

async function tellExpiry(tx: Tx, codec: Codec, one: WatchedCertificate, threshold: number, now: number): Promise<boolean> {
  const { tenant_id, monitor_id, name, team_id, visibility, channel_ids, not_after } = one
  if (not_after === null) return true
  const channels = await certificateChannels(tx, tenant_id, channel_ids.length > 0 ? channel_ids : null, ownTeam(one))
  const intents = expiryIntents(tellingOf(one, saidOf(one, not_after, threshold, `${not_after} ${threshold}`, now), channels, now))
  const told = intents.flatMap(({ target, suppressed_by }) => ('channel_id' in target && suppressed_by === null ? [target.channel_id] : []))
  const about = { team_id, visibility }
  const feed = [certificateNotice({ tenant_id, monitor_id, name, about, not_after, threshold, at: now })]
  await writeEffects(tx, { feed, intents }, codec)
  await saveToldCertificate(tx, tenant_id, { monitor_id, not_after, threshold, channel_ids: told })
  return true
}

/**
 * Returns false when a warning is being sent. Then the end is not told yet, or it might arrive
 * first.
 */
async function tellOver(tx: Tx, codec: Codec, one: WatchedCertificate, over: 'renewed' | 'unwatched', now: number): Promise<boolean> {
  const { tenant_id, monitor_id, name, team_id, visibility, not_after, told } = one
  if (!told) return true
  const { on_the_way } = await endWarnings(tx, tenant_id, { monitor_id, channel_ids: told.channel_ids }, codec)
  if (on_the_way) return false
  const channels = told.channel_ids.length === 0 ? [] : await certificateChannels(tx, tenant_id, told.channel_ids, ownTeam(one))
  const said = saidOf(one, not_after ?? told.not_after, told.threshold, `${told.not_after} ${told.threshold} ${over}`, now)
  const intents = overIntents(tellingOf(one, said, channels, now), over)
  const about = { team_id, visibility }
  const isRenewed = over === 'renewed' && not_after !== null
  const feed = isRenewed ? [renewedNotice({ tenant_id, monitor_id, name, about, not_after, before: told.not_after, at: now })] : []
  await writeEffects(tx, { feed, intents }, codec)
  await endToldCertificate(tx, tenant_id, monitor_id, told.not_after)
  return true
}

function stepOf(one: WatchedCertificate, now: number): CertificateStep | null {
  const { not_after, tls_expiry_days: thresholds, watched, paused, told } = one
  return certificateStep({ not_after, thresholds, watched, paused }, told, now)
}

/**
 * Tells about certificates that reached a threshold or whose warning is over. One that fails does
 * not hold up the others. `now` is epoch ms. Returns how many were told.
 */
export async function tellCertificates(pool: Pool, codec: Codec, log: Pick<Log, 'warn'>, now = Date.now()): Promise<number> {
  let count = 0
  for (let after = FIRST; ; ) {
    const page = await endingCertificates(pool, after, MAX_AT_ONCE, now)
    for (const one of page) {
      const { tenant_id, monitor_id } = one
      const step = stepOf(one, now)
      if (step === null) continue
      try {
        const done = await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) =>
          'tell' in step ? tellExpiry(tx, codec, one, step.tell, now) : tellOver(tx, codec, one, step.over, now)
        )
        if (done) count += 1
      } catch (error) {
        log.warn({ err: error, tenant_id, monitor_id }, 'nobody could be told that a certificate ends soon or is renewed; trying again')
      }
    }
    const last = page.at(-1)
    if (!last || page.length < MAX_AT_ONCE) return count
    after = last.monitor_id
  }
}

/** Sweeps every `everyMs`. Returns a function that stops it after the sweep under way. */
export function startTellCertificates(pool: Pool, codec: Codec, log: Log, everyMs = 60_000): () => Promise<void> {
  return startSweep({
    sweep: () => tellCertificates(pool, codec, log),
    everyMs,
    log,
    done: { count: 'told', message: 'certificates that end soon or are renewed were told of' },
    failed: 'certificates that end soon could not be told of; trying again'
  })
}
