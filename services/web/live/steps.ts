/** What a connection does next, second by second. Instants in epoch ms. */

const ASK_EVERY_MS = 25_000
const ANSWER_WITHIN_MS = 6_000
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000

export interface Moment {
  now: number
  hasSocket: boolean
  /** Without a socket: when to try again. */
  retryAt: number
  /** Since when a question waits for its answer; null: none does. */
  askedAt: number | null
  heardAt: number
  isOnline: boolean
  isVisible: boolean
}

/**
 * `open` a socket, `give up` one that does not answer, `ask` whether the path still lives, or
 * nothing.
 */
export function nextStep({ now, hasSocket, retryAt, askedAt, heardAt, isOnline, isVisible }: Moment): 'open' | 'give up' | 'ask' | null {
  if (!hasSocket && now >= retryAt && isOnline) return 'open'
  if (hasSocket && askedAt !== null && now - askedAt > ANSWER_WITHIN_MS) return 'give up'
  return isVisible && now - heardAt > ASK_EVERY_MS ? 'ask' : null
}

/**
 * How long to wait after `attempts` without success, from 0; `random` from 0 to 1. Half to one and
 * a half of the step.
 */
export const retryPauseMs = (attempts: number, random: number): number =>
  Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts) * (0.5 + random)
