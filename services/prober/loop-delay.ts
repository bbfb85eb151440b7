/**
 * How long the process did nothing else: the longest time by which its event loop came late to a
 * look once a second, since that was last told. Not perf_hooks.monitorEventLoopDelay: what that
 * learns between a hello and its answer is lost when it is reset, and it skips the first look after
 * that.
 */

/** Each look wakes the process. */
const LOOK_EVERY_MS = 1000

export interface LoopDelay {
  /** Milliseconds, the time since the last look included. */
  longest(): number
  /** The delays up to now have been told. */
  told(): void
  close(): void
}

export function watchLoop(): LoopDelay {
  let lookedAt = performance.now()
  let longest = 0
  /** The longest since the figure was last asked for: it has yet to be told. */
  let later = 0

  function look(): void {
    const at = performance.now()
    const late = at - lookedAt - LOOK_EVERY_MS
    longest = Math.max(longest, late)
    later = Math.max(later, late)
    lookedAt = at
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref()

  return {
    longest() {
      look()
      later = 0
      return longest
    },
    told() {
      longest = later
    },
    close: () => clearInterval(timer)
  }
}
