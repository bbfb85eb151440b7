/** Waiting in tests: for a condition, never for a time. */

/**
 * What takes a moment may take long on a machine that does much else. What never comes is told all
 * the same before a file's time is over.
 */
const LIMIT_MS = 120_000

const [SOONEST_MS, LATEST_MS] = [10, 500]
/** Asking takes a tenth of the time that is waited: it is the machine that is waited for. */
const PAUSES = 9

/** The pause after a question that took `ms`. */
export const pauseAfter = (ms: number, atLeast = SOONEST_MS): number => Math.max(atLeast, Math.min(PAUSES * ms, LATEST_MS))

/**
 * Asks `find` until it gives something (not null, undefined or false). Rejects after `timeoutMs`,
 * naming `what` was waited for.
 */
export async function until<T>(
  what: string,
  find: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  timeoutMs = LIMIT_MS
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const asked = performance.now()
    const found = await find()
    if (found !== null && found !== undefined && found !== false) return found
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    const pause = pauseAfter(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
