/**
 * Wakes waiting probers when there is news for them. One connection listens for changed assignments
 * and on-demand checks, however many requests wait; a waiting request holds no connection. News
 * wakes every waiting request, gathered over a moment so that a burst of changes is read once.
 * While listening fails, everybody is woken every few seconds instead. After a lost connection
 * everybody is woken once, because some news may have been missed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../process/log.ts'
import { type HeldSession, holdSession } from '../../store/held-session.ts'
import type { Pool } from '../../store/pool.ts'
import { ApiError } from '../http/errors.ts'

export interface Assignments {
  /** Counts news. Take the count before a read, so that news during the read is not missed. */
  news(): number
  /**
   * Resolves true with the first news after `seen`. Resolves false when `until` (performance.now())
   * has come, `gone` was aborted or the service shuts down.
   */
  next(seen: number, until: number, gone: AbortSignal): Promise<boolean>
  /**
   * Takes one of the places for waiting requests; throws UNAVAILABLE when all are taken. Returns a
   * function that frees it.
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
  /** The most requests that wait at once. */
  waiting: 1000,
  gatherMs: 100,
  /**
   * Time between checks that the listening connection still works; also the interval of waking
   * while it does not.
   */
  pulseMs: 2000
}

export function createAssignments({ pool, log, limits: given = {} }: AssignmentsOptions): Assignments {
  const limits = { ...defaults, ...given }
  /** Each is called with whether there is news. */
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

  /** Until the service ends: listens, checks that it still does, and tries again. */
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
      // The end of the service ends this wait.
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
