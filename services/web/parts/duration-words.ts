/** Writes a length of time in words. Pure. */

export const MINUTE = 60
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** `3 min`, `2 h 5 min`, `4 d`. */
export function durationInWords(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < MINUTE) return `${whole} s`
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`
  if (whole < DAY) {
    const minutes = Math.floor((whole % HOUR) / MINUTE)
    return minutes === 0 ? `${Math.floor(whole / HOUR)} h` : `${Math.floor(whole / HOUR)} h ${minutes} min`
  }
  const hours = Math.floor((whole % DAY) / HOUR)
  return hours === 0 || whole >= 10 * DAY ? `${Math.floor(whole / DAY)} d` : `${Math.floor(whole / DAY)} d ${hours} h`
}
