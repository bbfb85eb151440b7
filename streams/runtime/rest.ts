/** A loop's wait that its owner can end early. */
export interface Rest {
  /** Resolves after `ms`, or with the next `wake`. One wait at a time: whoever rests has one loop. */
  rest(ms: number): Promise<void>
  /** Ends the wait under way; without one it does nothing, and the next wait is as long as it says. */
  wake(): void
}

export function createRest(): Rest {
  let end: (() => void) | null = null
  return {
    rest: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(done, ms)
        end = done
        function done(): void {
          clearTimeout(timer)
          end = null
          resolve()
        }
      }),
    wake: () => end?.()
  }
}
