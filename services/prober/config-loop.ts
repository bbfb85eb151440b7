/** Fetches changes of the assignment by long poll. */
import type { ConfigAnswer } from '../../schemas/http/prober.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import { backOff } from './back-off.ts'
import type { Service } from './service.ts'

const POLL_SECONDS = 30
/**
 * Minimum time between two polls that brought nothing new, so that a service that answers at once
 * each time is not asked without a pause.
 */
const MIN_POLL_MS = 1000

export interface ConfigLoopOptions {
  service: Pick<Service, 'config'>
  instance: string
  /** The version that is held; undefined: the whole assignment is wanted. */
  version(): number | undefined
  /** Returns true if the answer brought anything new. */
  apply(answer: ConfigAnswer): boolean
  /** Called when the service did not answer. */
  onFailure(): void
  /** Ends the loop. */
  signal: AbortSignal
  log: Log
}

export interface ConfigLoop {
  /** Aborts the current poll and asks again, because the version that is held has changed. */
  restart(): void
  ended: Promise<void>
}

/** Asks from `begin` on. */
export function startConfigLoop(begin: Promise<void>, options: ConfigLoopOptions): ConfigLoop {
  const { service, instance, version, apply, onFailure, signal, log } = options
  const { rest, end } = createRest()
  let polling: AbortController | undefined
  signal.addEventListener(
    'abort',
    () => {
      end()
      polling?.abort()
    },
    { once: true }
  )

  async function run(): Promise<void> {
    await begin
    let failures = 0
    while (!signal.aborted) {
      const poll = new AbortController()
      polling = poll
      const from = performance.now()
      try {
        const { status, body } = await service.config(instance, version(), POLL_SECONDS, poll.signal)
        if (status >= 300) throw new Error(`The service answers config with the status ${status}`)
        failures = 0
        const isNews = body !== null && apply(body)
        if (!isNews && performance.now() - from < MIN_POLL_MS) await rest(MIN_POLL_MS)
      } catch (error) {
        if (signal.aborted) return
        if (poll.signal.aborted) continue // By `restart`.
        failures++
        if (failures === 1) log.warn({ err: error }, 'the service does not answer for the assignment: checks go on with what is held')
        onFailure()
        await rest(backOff(failures, Math.random()))
      }
    }
  }
  return { restart: () => polling?.abort(), ended: run() }
}
