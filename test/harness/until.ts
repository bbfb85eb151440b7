/** Waiting in tests: for a condition, never for a time. */

/**
 * What takes a moment may take long on a machine that does much else. What never comes is told all
 * the same before a file's time is over.
 */
const LIMIT_MS = 60_000

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
    const found = await find()
    if (found !== null && found !== undefined && found !== false) return found
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
