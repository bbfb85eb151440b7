/** A loop's wait that its owner can end early. */
export interface Rest {
  /**
   * Resolves after `ms`, or with the next `wake`; at once after `end`. One wait at a time: whoever
   * rests has one loop.
   */
  rest(ms: number): Promise<void>
  /**
   * Ends the wait under way; without one it does nothing, and the next wait is as long as it says.
   */
  wake(): void
  /**
   * Ends the wait under way and every later one: the loop is to end, and may be in the middle of
   * its work just now.
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
