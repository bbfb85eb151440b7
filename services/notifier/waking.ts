/**
 * Wakes the workers when something was committed. Every write that makes a job due at once also
 * writes to the outbox, and an insert there always notifies. So no writer has to notify for jobs,
 * and a writer that dies right after its commit has still woken the workers. Without a session, the
 * workers only poll.
 * Source: docs/decisions/0064-workers-wake-by-the-outbox.md.
 */
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import { type HeldSession, holdSession } from '../store/held-session.ts'
import type { Pool } from '../store/pool.ts'

const RETRY_MS = 5000

/** Takes a connection of the pool. Returns a function that ends it. */
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
