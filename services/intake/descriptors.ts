/**
 * Keeps file descriptors free when more senders connect than there are descriptors. A door without
 * a free descriptor can neither accept connections, nor open new ones to the log or Postgres. So
 * some descriptors are reserved: close to the limit the door stops listening. A new sender is then
 * refused at once, and may try again or try another instance. Open connections are still served,
 * and the server closes silent ones within 12 s. Once there is room, the door listens again.
 *
 *   accepting ──open > limit − kept──► refusing ──open < limit − 2 × kept──► accepting
 *
 * The server has no hook for accepting, so the table of descriptors is read at intervals: 200 ms
 * for a limit below 4096, else 1 s. A burst between two reads may take all descriptors; then the
 * read itself fails and counts as full. It is logged once when it begins, and once when it has been
 * over for a while. Without /proc, nothing is done.
 *
 * Source: docs/design/architecture.md#s6-doors-and-budget, #s11.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { App } from '../http/uws.ts'

const QUIET_MS = 5000

/** Returns the soft limit, or null when there is no limit or the system does not report it. */
export function descriptorLimit(limits: () => string = () => readFileSync('/proc/self/limits', 'utf8')): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(limits())?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null // No /proc: not Linux.
  }
}

/** Returns the number of descriptors in use, or `limit` when not even their list can be opened. */
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

/** Starts the checks; the app must already listen. Returns a function that ends them. */
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
  /** By performance.now(): when it last refused connections; null outside of an episode. */
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
