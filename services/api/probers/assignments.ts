/**
 * News for probers that wait: one connection listens for changed assignments and on-demand checks,
 * whatever the number of waiting requests; a request that waits holds no connection. News wakes
 * everybody who waits, gathered over a moment so that a burst of changes is read once; while nobody
 * can listen, everybody is woken every few seconds instead, and after a lost connection once, since
 * some news may have been missed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../process/log.ts'
import { type HeldSession, holdSession } from '../../store/held-session.ts'
import type { Pool } from '../../store/pool.ts'
import { ApiError } from '../http/errors.ts'

export interface Assignments {
  /** Counts news: taken before a read, so that what comes during the read is not missed. */
  news(): number
  /**
   * Resolves true with the first news after `seen`, or false when `until` (performance.now()) has
   * come, `gone` was aborted or the service shuts down.
   */
  next(seen: number, until: number, gone: AbortSignal): Promise<boolean>
  /**
   * Takes a place among those who wait; throws UNAVAILABLE when all are taken. Returns what frees
   * it.
   */
  enter(): () => void
  close(): void
}

export interface AssignmentsOptions {
  pool: Pool
  log: Log
  limits?: Partial<typeof defaults>
}

const defaults = {
  /** Requests that wait at once. */
  waiting: 1000,
  gatherMs: 100,
  /**
   * Between questions whether the listening connection still is one; also the rhythm of waking
   * while it is not.
   */
  pulseMs: 2000
}

export function createAssignments({ pool, log, limits: given = {} }: AssignmentsOptions): Assignments {
  const limits = { ...defaults, ...given }
  /** Each takes whether there is news. */
  const waiters = new Set<(woken: boolean) => void>()
  const closing = new AbortController()
  let count = 0
  let inside = 0
  let session: HeldSession | null = null
  let started = false
  let gathering: NodeJS.Timeout | undefined

  function wake(): void {
    clearTimeout(gathering)
    gathering = undefined
    for (const end of [...waiters]) end(true)
  }

  function news(): void {
    count += 1
    gathering ??= setTimeout(wake, limits.gatherMs)
  }

  /** Until the end of the service: listens, looks whether it still does, tries again. */
  async function listen(): Promise<void> {
    let warned = false
    while (!closing.signal.aborted) {
      let opening: HeldSession | undefined
      try {
        if (session && !session.lost()) await session.ask((tx) => tx.query('SELECT 1'))
        else {
          session?.close()
          session = null
          opening = await holdSession(pool)
          await opening.listen('assignment', news)
          session = opening
          news()
          if (warned) log.info({}, 'listening for changed assignments again')
          warned = false
        }
      } catch (error) {
        opening?.close()
        session?.close()
        session = null
        if (!warned && !closing.signal.aborted)
          log.warn({ err: error }, 'cannot listen for changed assignments; they are asked for every few seconds meanwhile')
        warned = true
        news()
      }
      // The end of the service ends the wait.
      await sleep(limits.pulseMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
    session?.close()
  }

  return {
    news: () => count,
    next(seen, until, gone) {
      if (!started) void listen()
      started = true
      if (closing.signal.aborted || gone.aborted) return Promise.resolve(false)
      const rest = until - performance.now()
      if (count > seen && gathering === undefined) return Promise.resolve(true)
      if (rest <= 0) return Promise.resolve(false)
      return new Promise((resolve) => {
        const end = (woken: boolean): void => {
          clearTimeout(timer)
          waiters.delete(end)
          gone.removeEventListener('abort', leave)
          resolve(woken)
        }
        const leave = (): void => end(false)
        const timer = setTimeout(leave, rest)
        waiters.add(end)
        gone.addEventListener('abort', leave)
      })
    },
    enter() {
      if (inside >= limits.waiting)
        throw new ApiError('UNAVAILABLE', 'Too many probers wait at this instance', { headers: { 'retry-after': '5' } })
      inside += 1
      return () => {
        inside -= 1
      }
    },
    close() {
      closing.abort()
      clearTimeout(gathering)
      for (const end of [...waiters]) end(false)
      session?.close()
    }
  }
}
