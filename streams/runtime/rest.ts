/** The pause of a loop, which the loop's owner can end early. */
export interface Rest {
  /**
   * Resolves after `ms`, or at the next `wake`; at once after `end`. One wait at a time: an owner
   * has one loop.
   */
  rest(ms: number): Promise<void>
  /** Ends the current wait. Without one it does nothing, and the next wait has its full length. */
  wake(): void
  /**
   * Ends the current wait and every later one: the loop must end, and it may be in the middle of
   * its work.
   */
  end(): void
}

export function createRest(): Rest {
  let stop: (() => void) | null = null
  let ended = false
  const wake = (): void => stop?.()
  return {
    rest: (ms) =>
      new Promise((resolve) => {
        if (ended) return resolve()
        const timer = setTimeout(done, ms)
        stop = done
        function done(): void {
          clearTimeout(timer)
          stop = null
          resolve()
        }
      }),
    wake,
    end() {
      ended = true
      wake()
    }
  }
}
