/**
 * Finds bodies that arrive too slowly. Each may take `bodyMs`, or longer while it arrives at
 * `bodyBytesPerSecond`. Checked once a second.
 */
export interface Pace {
  bodyMs: number
  bodyBytesPerSecond: number
}

interface Reading {
  /** By performance.now(). */
  readonly started: number
  /** Received so far. */
  readonly bytes: number
}

/**
 * Calls `onSlow` for every member of `reading` that is too slow; it must then remove itself from
 * `reading`. Returns a function that ends the watch.
 */
export function watchPace<R extends Reading>(
  reading: ReadonlySet<R>,
  { bodyMs, bodyBytesPerSecond }: Pace,
  onSlow: (slow: R) => void
): () => void {
  const sweep = setInterval(() => {
    const now = performance.now()
    for (const one of reading) {
      const elapsed = now - one.started
      if (elapsed > bodyMs && one.bytes < (bodyBytesPerSecond * elapsed) / 1000) onSlow(one)
    }
  }, 1000)
  sweep.unref()
  return () => clearInterval(sweep)
}
