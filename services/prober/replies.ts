/**
 * Reads a reply over a connection whose protocol only the monitor's owner knows. Reading stops when
 * the reply is what is expected, when it ends, or when there is enough of it.
 */
import type { Socket } from 'node:net'
import { type Facts, TINY_BYTES } from './assertions.ts'
import type { Edge, Running } from './attempt.ts'
import { CheckFailure } from './failure.ts'
import { Body, textOf } from './http-body.ts'
import type { Judged } from './judging.ts'

/** Bytes after this limit are not read. */
const MAX_REPLY_BYTES = 65_536
/** Without an expectation, a reply has ended when nothing came for this long. */
const QUIET_MS = 200
/** Time before the end of the attempt at which what has arrived is judged. */
const LAST_MS = 50
/** Number of times that a growing reply is looked at. After that, it is judged at its end. */
const MAX_LOOKS = 8

/** Whether what has arrived is what is expected; null: the monitor expects nothing special. */
export type IsEnough = ((reply: Body) => Promise<boolean>) | null

/** Returns the test for the setting `expect` of a plan; null if it is not set. */
export function enoughOf(plan: Judged, facts: Omit<Facts, 'body'>, { pool, abort }: Edge): IsEnough {
  const { expectAt = null, share, monitor, assertions } = plan
  if (expectAt === null) return null
  const own = plan.planned[expectAt]
  return async (reply) => {
    if (own?.place === 'tiny' && reply.length <= TINY_BYTES) {
      return own.evaluate({ ...facts, body: textOf(reply.first(TINY_BYTES), undefined) }, () => undefined).ok
    }
    const { pieces } = reply
    const [found] = await pool.evaluate(
      { share, monitor, assertions, asked: [expectAt], facts, body: pieces, contentType: undefined },
      abort
    )
    return found?.ok === true
  }
}

/**
 * Reads a reply. Rejects if the connection breaks, or if it ends or the time is over before any
 * data came.
 */
export function readReply(socket: Socket, { watch, signal, deadlineAt }: Running, isEnough: IsEnough): Promise<Body> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    let looks = 0
    let isLooking = false
    let firstAt = 0
    let lastAt = 0
    let quiet: NodeJS.Timeout | undefined
    const last = setTimeout(() => bytes > 0 && given(), Math.max(0, deadlineAt - performance.now() - LAST_MS))

    function settle(tell: () => void): void {
      clearTimeout(quiet)
      clearTimeout(last)
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', fail)
      signal.removeEventListener('abort', onAbort)
      tell()
    }
    const done = (): void => settle(() => resolve(new Body(pieces)))
    /** Ends a wait for more of the reply. The target's time ended with what came last. */
    function given(): void {
      watch.stopAs('download', lastAt - firstAt)
      done()
    }
    const fail = (error: unknown): void => settle(() => reject(error))
    const onAbort = (): void => fail(signal.reason)

    function onEnd(): void {
      if (bytes > 0) done()
      else fail(new CheckFailure('protocol', 'The connection was closed before a reply came'))
    }

    async function look(isThere: Exclude<IsEnough, null>): Promise<void> {
      if (isLooking || looks >= MAX_LOOKS) return
      isLooking = true
      looks++
      const seen = bytes
      try {
        if (await isThere(new Body([...pieces]))) return done()
      } catch (error) {
        return fail(error)
      }
      isLooking = false
      if (bytes > seen) await look(isThere)
    }

    function onData(chunk: Buffer): void {
      lastAt = performance.now()
      if (bytes === 0) {
        firstAt = lastAt
        watch.enter('download')
      }
      const piece = chunk.subarray(0, MAX_REPLY_BYTES - bytes)
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= MAX_REPLY_BYTES) done()
      else if (isEnough) void look(isEnough)
      else {
        clearTimeout(quiet)
        quiet = setTimeout(given, QUIET_MS)
      }
    }

    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', fail)
  })
}
