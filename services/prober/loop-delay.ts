/**
 * Measures how long the process was busy with one thing. A look once a second comes late when the
 * event loop is blocked; the figure is the longest such delay since it was last reported.
 * perf_hooks.monitorEventLoopDelay is not used: a reset loses what it learns between a hello and
 * its answer, and it skips the first look after a reset.
 */

/** Not shorter, because each look wakes the process. */
const LOOK_EVERY_MS = 1000

export interface LoopDelay {
  /** The longest delay in ms, including the time since the last look. */
  longest(): number
  /** Marks the delays up to the last `longest()` as reported. */
  told(): void
  close(): void
}

export function watchLoop(): LoopDelay {
  let lookedAt = performance.now()
  let longest = 0
  /** The longest delay since `longest()` was last called; not reported yet. */
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
