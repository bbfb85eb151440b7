/**
 * The daily work of the leading clock. It puts every configuration on the log again, in its present
 * version, so that the log of the last days is enough to fold from. It also deletes rows that have
 * reached their age.
 * Source: docs/design/architecture.md#s4 and #s7-ends.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Log } from '../process/log.ts'
import { forgetAudit } from '../store/audit.ts'
import { forgetBacktests } from '../store/backtests.ts'
import { forgetTrials } from '../store/check-trials.ts'
import { type Chore, claimChore } from '../store/chores.ts'
import { forgetDeadLetters } from '../store/dead-letters.ts'
import { forgetDeliveries } from '../store/deliveries.ts'
import { forgetDevices } from '../store/devices.ts'
import { forgetRuns } from '../store/escalation.ts'
import { forgetFeed } from '../store/feed.ts'
import { forgetHolds } from '../store/incident-holds.ts'
import { forgetIgnored } from '../store/intake-facts.ts'
import { forgetIntents } from '../store/intents.ts'
import { forgetInvites } from '../store/invites.ts'
import { forgetDeadJobs } from '../store/jobs.ts'
import { forgetMails } from '../store/mailbox.ts'
import { forgetWindows } from '../store/maintenance.ts'
import { forgetPhones } from '../store/phones.ts'
import type { Pool } from '../store/pool.ts'
import { forgetProbers } from '../store/probers.ts'
import { reemitConfigs } from '../store/reemit-configs.ts'
import { forgetRuleSets } from '../store/routing.ts'
import { forgetSilences } from '../store/silences.ts'
import { forgetVerifications } from '../store/verifications.ts'

const LOOK_EVERY_MS = 600_000

export interface ChoreOptions {
  /** A pool of the role service_system. */
  pool: Pool
  codec: Codec
  leads(): boolean
  log: Log
  everyMs?: number
}

/** Starts the daily work. Returns a function that stops it after the task under way. */
export function startChores({ pool, codec, leads, log, everyMs = LOOK_EVERY_MS }: ChoreOptions): () => Promise<void> {
  const ending = new AbortController()
  let working: Promise<void> = Promise.resolve()

  const chores: Record<Chore, () => Promise<object>> = {
    'reemit-configs': () => reemitConfigs(pool, codec, { signal: ending.signal }),
    'forget-probers': async () => ({ forgotten: await forgetProbers(pool) }),
    'forget-trials': async () => ({ forgotten: await forgetTrials(pool) }),
    'forget-feed': async () => ({ forgotten: await forgetFeed(pool) }),
    'forget-invites': async () => ({ forgotten: await forgetInvites(pool) }),
    'forget-audit': async () => ({ forgotten: await forgetAudit(pool) }),
    'forget-ignored': async () => ({ forgotten: await forgetIgnored(pool) }),
    'forget-routing': async () => ({ forgotten: await forgetRuleSets(pool) }),
    'forget-holds': async () => ({ forgotten: await forgetHolds(pool) }),
    'forget-windows': async () => ({ forgotten: await forgetWindows(pool) }),
    'forget-silences': async () => ({ forgotten: await forgetSilences(pool) }),
    'forget-intents': async () => ({ forgotten: await forgetIntents(pool) }),
    'forget-backtests': async () => ({ forgotten: await forgetBacktests(pool) }),
    'forget-deliveries': () => forgetDeliveries(pool),
    'forget-mails': async () => ({ forgotten: await forgetMails(pool) }),
    'forget-escalations': async () => ({ forgotten: await forgetRuns(pool) }),
    'forget-dead-jobs': async () => ({ forgotten: await forgetDeadJobs(pool) }),
    'forget-dead-letters': async () => ({ forgotten: await forgetDeadLetters(pool) }),
    'forget-verifications': async () => ({ forgotten: await forgetVerifications(pool) }),
    'forget-phones': async () => ({ forgotten: await forgetPhones(pool) }),
    'forget-devices': async () => ({ forgotten: await forgetDevices(pool) })
  }

  async function look(): Promise<void> {
    for (const [name, run] of Object.entries(chores) as [Chore, () => Promise<object>][]) {
      if (ending.signal.aborted || !leads()) return
      if (await claimChore(pool, name)) log.info({ chore: name, ...(await run()) }, 'a daily chore is done')
    }
  }

  const timer = setInterval(() => {
    working = working.then(look).catch((error: unknown) => log.warn({ err: error }, 'a daily chore failed; it is tried again tomorrow'))
  }, everyMs)
  return async () => {
    ending.abort()
    clearInterval(timer)
    await working
  }
}
