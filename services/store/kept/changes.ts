/**
 * Listens for changes on one Postgres channel for as long as the process runs. At every pulse it
 * checks that the listening connection still works. A lost connection is replaced; notifications
 * may have been missed in between.
 */
import { type HeldSession, holdSession } from '../held-session.ts'
import type { Pool } from '../pool.ts'
import type { LookupLimits } from './limits.ts'
import type { QuestionLog } from './questions.ts'

export interface Changes {
  listening(): boolean
  close(): void
}

export interface ChangesOptions {
  /** The listener holds one of its connections. */
  pool: Pool
  channel: string
  /** What changes, named for the log: `credentials`. */
  what: string
  log: QuestionLog
  limits: Pick<LookupLimits, 'lookupMs' | 'pulseMs'>
  /**
   * Called with the payload of each notification. Also called with null whenever listening begins,
   * because notifications may have been missed before.
   */
  onNews(payload: string | null): void
}

export function listenForChanges({ pool, channel, what, log, limits, onNews }: ChangesOptions): Changes {
  let session: HeldSession | null = null
  let timer: NodeJS.Timeout | undefined
  let warned = false
  let closed = false
  const listening = (): boolean => session !== null && !session.lost()

  async function listen(): Promise<void> {
    let opening: HeldSession | undefined
    try {
      if (listening() && session) {
        await session.ask((tx) => tx.query('SELECT 1'))
      } else {
        session?.close()
        session = null
        opening = await holdSession(pool, { timeoutMs: limits.lookupMs })
        await opening.listen(channel, onNews)
        session = opening
        onNews(null)
        if (warned) log.info({}, `listening for changed ${what} again`)
        warned = false
      }
    } catch (error) {
      opening?.close()
      session?.close()
      session = null
      if (!warned && !closed) log.warn({ err: error }, `cannot listen for changed ${what}; each is asked for every few seconds meanwhile`)
      warned = true
    }
    if (closed) session?.close()
    else timer = setTimeout(() => void listen(), limits.pulseMs)
  }
  void listen()

  return {
    listening,
    close() {
      closed = true
      clearTimeout(timer)
      session?.close()
    }
  }
}
