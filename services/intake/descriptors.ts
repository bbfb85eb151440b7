/**
 * More senders than descriptors: a door that has handed out its last one can neither accept, nor
 * reach the log or Postgres anew. So some are kept back: close to the limit the door stops
 * listening, and who comes now is refused at once and may try again, or elsewhere; what is
 * connected is served on, and what says nothing is closed by the server within 12 s. Once there is
 * room it listens again.
 *
 *   accepting ──open > limit − kept──► refusing ──open < limit − 2 × kept──► accepting
 *
 * The server has no hook for accepting, so the table of descriptors is looked at a few times a
 * second: a burst between two looks may take them all, and then the look itself fails and counts as
 * full. Logged once when it begins, and once when it has been over for a while. Where the system
 * does not tell (no /proc) nothing is done.
 * Source: docs/design/architecture.md#s6-doors-and-budget, #s11.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { App } from '../http/uws.ts'

const QUIET_MS = 5000

/** The soft limit, or null where there is none or nobody says. */
export function descriptorLimit(limits: () => string = () => readFileSync('/proc/self/limits', 'utf8')): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(limits())?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null // No /proc: not Linux.
  }
}

/** Descriptors in use; all of them, where not even the table can be opened. */
function inUse(limit: number): number {
  try {
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return limit
  }
}

export interface DescriptorsOptions {
  app: Pick<App, 'listen' | 'stopListening'>
  host: string
  port: number
  log: Record<'warn' | 'info' | 'error', (fields: object, message: string) => void>
  onShed?(): void
  limit?: number | null
  open?: (limit: number) => number
  quietMs?: number
}

/** Begins to look; the app listens already. Returns what ends it. */
export function keepDescriptors({
  app,
  host,
  port,
  log,
  onShed,
  limit = descriptorLimit(),
  open = inUse,
  quietMs = QUIET_MS
}: DescriptorsOptions): () => void {
  if (limit === null) return () => undefined
  const kept = Math.min(512, Math.ceil(limit / 5))
  let listening = true
  let listeningAgain = false
  let failed = false
  /** By performance.now(): when it last refused; null outside of an episode. */
  let refusedAt: number | null = null

  function look(most: number): void {
    const now = performance.now()
    const used = open(most)
    if (listening && used > most - kept) {
      app.stopListening()
      listening = false
      onShed?.()
      if (refusedAt === null)
        log.warn({ used, limit: most }, 'more connections than descriptors: new ones are refused until some are closed')
      refusedAt = now
    } else if (!listening) {
      refusedAt = now
      if (used < most - 2 * kept) listen()
    } else if (refusedAt !== null && now - refusedAt > quietMs) {
      refusedAt = null
      log.info({ used, limit: most }, 'there are descriptors for all connections again')
    }
  }

  function listen(): void {
    if (listeningAgain) return
    listeningAgain = true
    app
      .listen(host, port)
      .then(
        () => {
          listening = true
          failed = false
        },
        (error: unknown) => {
          if (!failed) log.error({ err: error }, 'the door cannot listen again; it tries on')
          failed = true
        }
      )
      .finally(() => {
        listeningAgain = false
      })
  }

  const timer = setInterval(() => look(limit), limit < 4096 ? 200 : 1000)
  timer.unref()
  return () => clearInterval(timer)
}
