/**
 * The clock for waits, deadlines and windows: epoch ms, near the wall clock's time when the process
 * began. It never jumps, whatever happens to the wall clock.
 */
export const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now())
