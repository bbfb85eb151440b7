/**
 * Wakes the workers when something was committed. Whatever makes a job due at once also writes to
 * the outbox, whose insert notifies in any case; so no writer notifies for the sake of jobs, and a
 * writer that dies after its commit has woken them all the same. Without a session the workers'
 * poll remains.
 * Source: docs/decisions/0064-workers-wake-by-the-outbox.md.
 */
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import { type HeldSession, holdSession } from '../store/held-session.ts'
import type { Pool } from '../store/pool.ts'

const RETRY_MS = 5000

/** Takes a connection of the pool. Returns what ends it. */
export function startWaking(pool: Pool, wake: () => void, log: Log): () => Promise<void> {
  const { rest, end, wake: lost } = createRest()
  let closing = false
  let session: HeldSession | null = null

  async function loop(): Promise<void> {
    while (!closing) {
      try {
        session = await holdSession(pool, { onLost: lost })
        await session.listen('outbox', wake)
        while (!closing && !session.lost()) await rest(RETRY_MS)
      } catch (error) {
        log.warn({ err: error }, 'the workers cannot listen to Postgres; they poll, and it is tried again')
      }
      session?.close()
      if (!closing) await rest(RETRY_MS)
    }
  }

  const looping = loop()
  return async () => {
    closing = true
    end()
    await looping
  }
}
