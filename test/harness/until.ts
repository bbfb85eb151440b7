/** Helpers to wait in tests: for a condition, never for a fixed time. */

/**
 * On a busy machine, something short may take long. A condition that never comes true is still
 * reported before the file's own limit.
 */
const LIMIT_MS = 120_000

const [SOONEST_MS, LATEST_MS] = [10, 500]
/**
 * Asking takes at most a tenth of the time, so that it does not slow down what the test waits for.
 */
const PAUSES = 9

/** Returns the pause, in ms, after a question that took `ms`. */
export const pauseAfter = (ms: number, atLeast = SOONEST_MS): number => Math.max(atLeast, Math.min(PAUSES * ms, LATEST_MS))

/**
 * Calls `find` until it returns something other than null, undefined or false. Rejects after
 * `timeoutMs` and names `what` it waited for.
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
