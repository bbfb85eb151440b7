/**
 * Judges the credentials of open sockets again: what a verdict means for a socket, and the queue of
 * the sockets that are due.
 *
 * The queue judges some sockets at a time. A socket whose credential could not be judged is due
 * again after a while, so no socket closes because Postgres is down.
 */
import { channelsOf } from '../../schemas/http/rights.ts'
import type { Log } from '../process/log.ts'
import { type Closing, closeCodes } from './close-codes.ts'
import { type Holder, isRefusal, type Verdict } from './identify.ts'

/**
 * Returns what a verdict means for a socket of `holder`: its new holder, why it closes, or `again`
 * when the credential could not be judged. A revocation closes with 4410, the end of a credential
 * with 4401. A credential that may hear less than before closes with 4403; a client that connects
 * again hears what is left. `now` in epoch ms.
 */
export function judged(holder: Holder, verdict: Verdict, now: number): Holder | Closing | 'again' {
  if (!isRefusal(verdict)) {
    const heard = channelsOf(verdict.rights)
    const hearsLess = channelsOf(holder.rights).some((channel) => !heard.includes(channel))
    return hearsLess ? { code: closeCodes.forbidden, reason: 'the credential may hear less' } : verdict
  }
  if (verdict.status === 403) return { code: closeCodes.forbidden, reason: 'forbidden' }
  // A credential that has run out closes the socket even when it could not be judged.
  const hasEnded = holder.expires_at !== null && holder.expires_at <= now
  if (hasEnded) return { code: closeCodes.unauthenticated, reason: 'credential expired' }
  return verdict.status === 503 ? 'again' : { code: closeCodes.revoked, reason: 'credential revoked' }
}

export interface Rechecks<S> {
  /** They are due now. */
  add(sockets: Iterable<S>): void
  remove(socket: S): void
  stop(): void
}

export interface RechecksOptions<S> {
  isOpen(socket: S): boolean
  /** Resolves to false when the credential could not be judged. */
  judge(socket: S): Promise<boolean>
  /** Wait before a credential that could not be judged is asked for again; ms. */
  askAgainMs: number
  logger: Log
}

const MAX_AT_ONCE = 64

export function createRechecks<S>({ isOpen, judge, askAgainMs, logger }: RechecksOptions<S>): Rechecks<S> {
  const due = new Set<S>()
  /** Those that could not be judged, until `again` makes them due. */
  const waiting = new Set<S>()
  let isRunning = false
  let again: NodeJS.Timeout | undefined

  async function one(socket: S): Promise<void> {
    if (!isOpen(socket)) return
    try {
      if (!(await judge(socket))) waiting.add(socket)
    } catch (error) {
      logger.error({ err: error }, 'a credential could not be judged')
      waiting.add(socket)
    }
  }

  function askAgain(): void {
    again = undefined
    for (const socket of waiting) due.add(socket)
    waiting.clear()
    void run()
  }

  /** Judges all sockets that are due, some at a time. */
  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      while (due.size > 0) {
        const sockets = [...due]
        due.clear()
        for (let first = 0; first < sockets.length; first += MAX_AT_ONCE)
          await Promise.all(sockets.slice(first, first + MAX_AT_ONCE).map(one))
      }
    } finally {
      isRunning = false
    }
    if (waiting.size > 0) again ??= setTimeout(askAgain, askAgainMs)
  }

  return {
    add(sockets) {
      for (const socket of sockets) {
        due.add(socket)
        waiting.delete(socket)
      }
      void run()
    },
    remove(socket) {
      due.delete(socket)
      waiting.delete(socket)
    },
    stop() {
      clearTimeout(again)
      due.clear()
      waiting.clear()
    }
  }
}
