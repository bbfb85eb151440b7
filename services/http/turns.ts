/** Runs work in turns: some runs at once, some waits in the order it came, and more is refused. */

export interface TurnLimits {
  atOnce: number
  waiting: number
  /** The error with which work is refused when too much waits. */
  crowded(): Error
}

/**
 * Runs work when its turn comes. Rejects with `crowded()` when too much waits, otherwise as the
 * work does.
 */
export function createTurns({ atOnce, waiting, crowded }: TurnLimits): <T>(work: () => T | Promise<T>) => Promise<T> {
  const queue: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnce) running += 1
    else if (queue.length >= waiting) throw crowded()
    // Resolves when work that has ended passes on its slot.
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
