/**
 * Says hello at the start and then at a fixed interval. While the service does not answer, it
 * retries with growing pauses that are never longer than the interval.
 */
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import { backOff } from './back-off.ts'

export interface HelloLoopOptions {
  /** Rejects when the service did not answer. */
  say(): Promise<void>
  everyMs: number
  /** Ends the loop. */
  signal: AbortSignal
  log: Log
}

export interface HelloLoop {
  /** Says hello now, unless a hello is in progress. */
  wake(): void
  ended: Promise<void>
}

export function startHelloLoop({ say, everyMs, signal, log }: HelloLoopOptions): HelloLoop {
  const { rest, wake, end } = createRest()
  signal.addEventListener('abort', end, { once: true })

  async function run(): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      try {
        await say()
        if (failures > 0) log.info('the service answers again')
        failures = 0
      } catch (error) {
        failures++
        if (failures === 1) log.warn({ err: error }, 'the service does not answer hello: checks go on with what is held')
      }
      await rest(failures > 0 ? Math.min(everyMs, backOff(failures, Math.random())) : everyMs)
    }
  }
  return { wake, ended: run() }
}
