/**
 * The clock that budget windows are measured by: epoch ms that never jump back, whatever happens to
 * the wall clock.
 */
export const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now())
