/** Decides the next step of a connection, once a second. Instants are in epoch ms. */

const ASK_EVERY_MS = 25_000
const ANSWER_WITHIN_MS = 6_000
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000
/** Each try takes one of the connects that the plan allows a minute. */
const FULL_PAUSE_MS = 120_000
/** The close code of the gateway for too many connections, docs/design/api/realtime.md#rm-1. */
const TOO_MANY = 4429

export interface Moment {
  now: number
  hasSocket: boolean
  /** When to reconnect if there is no socket. */
  retryAt: number
  /** When the unanswered request was sent; null: none is open. */
  askedAt: number | null
  heardAt: number
  isOnline: boolean
  isVisible: boolean
}

/**
 * Returns the next step: `open` a socket, `give up` one that does not answer, `ask` whether the
 * connection still works, or null for nothing.
 */
export function nextStep({ now, hasSocket, retryAt, askedAt, heardAt, isOnline, isVisible }: Moment): 'open' | 'give up' | 'ask' | null {
  if (!hasSocket && now >= retryAt && isOnline) return 'open'
  if (hasSocket && askedAt !== null && now - askedAt > ANSWER_WITHIN_MS) return 'give up'
  return isVisible && now - heardAt > ASK_EVERY_MS ? 'ask' : null
}

/** Returns the state after a socket is gone. `code`: null if the page gave it up itself. */
export const stateAfter = (code: number | null, isOnline: boolean): 'offline' | 'full' | 'reconnecting' =>
  !isOnline ? 'offline' : code === TOO_MANY ? 'full' : 'reconnecting'

/**
 * Returns the ms to wait after `attempts` failed attempts (from 0). `random`, from 0 to 1, scales
 * the step by a half to one and a half.
 */
export const retryPauseMs = (attempts: number, random: number, state: ReturnType<typeof stateAfter> = 'reconnecting'): number =>
  (state === 'full' ? FULL_PAUSE_MS : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts)) * (0.5 + random)
