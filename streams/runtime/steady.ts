/**
 * The clock that waits, deadlines and windows are measured by: epoch ms, near the wall clock's as
 * it was when the process began, and never jumping, whatever happens to that one.
 */
export const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now())
