/**
 * A Postgres session that is held for as long as a role works. Advisory locks and LISTEN belong to
 * a session, and end with it.
 *
 * Work done under such a lock must send its statements through `ask`, on this same session. A lost
 * lock is then a failed statement, never an unnoticed one. A statement without an answer for
 * `timeoutMs` counts as a lost session, since nobody can tell whether the server still holds it.
 */
import pg from 'pg'
import type { Pool, Tx } from './pool.ts'

/** The session ended, and with it every lock it held. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/**
 * Returns true when the server refused a statement but the session continues, so a retry may help.
 */
export const isStatementError = (error: unknown): boolean => error instanceof pg.DatabaseError && error.severity === 'ERROR'

export interface HeldSession {
  /**
   * Runs `work` on the session. Rejects with SessionLost once the session is gone, else with what
   * `work` throws. Statements are sent in the order of the calls.
   */
  ask<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Passes the payloads of `channel` to the callback from now on. */
  listen(channel: string, onPayload: (payload: string) => void): Promise<void>
  lost(): boolean
  /** Ends the session; the server frees its locks. */
  close(): void
}

export interface HeldSessionOptions {
  timeoutMs?: number
  /** Called at most once, and not after close. */
  onLost?: () => void
}

/** Takes a connection out of `pool` permanently. Rejects when none is available. */
export async function holdSession(pool: Pool, { timeoutMs = 5000, onLost }: HeldSessionOptions = {}): Promise<HeldSession> {
  const client = await pool.connect()
  const listeners = new Map<string, (payload: string) => void>()
  let over = false
  const end = (lost: boolean): void => {
    if (over) return
    over = true
    client.release(true)
    if (lost) onLost?.()
  }
  client.on('error', () => end(true))
  client.on('end', () => end(true))
  client.on('notification', ({ channel, payload }) => listeners.get(channel)?.(payload ?? ''))
  const session: HeldSession = {
    async ask(work) {
      if (over) throw new SessionLost('the session with Postgres has ended')
      let timer: NodeJS.Timeout | undefined
      const silent = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new SessionLost(`Postgres did not answer within ${timeoutMs} ms`))
          end(true)
        }, timeoutMs)
      })
      try {
        return await Promise.race([work(client), silent])
      } catch (error) {
        throw over && !(error instanceof SessionLost) ? new SessionLost('the session with Postgres has ended', { cause: error }) : error
      } finally {
        clearTimeout(timer)
      }
    },
    async listen(channel, onPayload) {
      listeners.set(channel, onPayload)
      await session.ask((tx) => tx.query(`LISTEN ${channel}`))
    },
    lost: () => over,
    close: () => end(false)
  }
  // A holder whose machine vanishes must not keep its locks for the hours that TCP takes to notice.
  await session.ask((tx) => tx.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'))
  return session
}
