/** Work that takes turns: some runs at once, some waits in the order it came, more is refused. */

export interface TurnLimits {
  atOnce: number
  waiting: number
  /** What work is refused with where too much waits. */
  crowded(): Error
}

/**
 * Runs work when its turn comes; rejects with `crowded()` where too much waits, else as the work
 * does.
 */
export function createTurns({ atOnce, waiting, crowded }: TurnLimits): <T>(work: () => T | Promise<T>) => Promise<T> {
  const queue: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnce) running += 1
    else if (queue.length >= waiting) throw crowded()
    // Woken with the slot of the one that ended.
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
