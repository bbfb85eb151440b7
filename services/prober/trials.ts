/**
 * Sends the outcomes of trials to the service: at once, one by one, and separate from the results.
 * Somebody waits for each outcome, but only for a moment. So it is tried a few times and then given
 * up. A prober that closes tries each of them once more.
 * Source: docs/design/api/prober.md#pr-4.
 */
import type { Result } from '../../schemas/http/prober.ts'
import type { Log } from '../process/log.ts'
import { backOff } from './back-off.ts'
import type { Service } from './service.ts'

const MAX_TRIES = 4

export interface TrialsOptions {
  service: Pick<Service, 'trial'>
  instance: string
  log: Log
}

export interface Trials {
  send(result: Result): void
  /**
   * Resolves when everything passed to `send` has been sent or given up, at the latest at
   * `deadlineAt` (performance.now()). Nothing waits for a later try any more.
   */
  close(deadlineAt: number): Promise<void>
}

export function createTrials({ service, instance, log }: TrialsOptions): Trials {
  const underWay = new Set<Promise<void>>()
  const ending = new AbortController()
  /** Each ends a wait for the next try. */
  const waiting = new Set<() => void>()
  let isClosing = false

  /** Resolves after `ms`, or at once if the prober closes. */
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer)
        waiting.delete(go)
        resolve()
      }
      const timer = setTimeout(go, isClosing ? 0 : ms)
      waiting.add(go)
    })

  async function offer(text: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      const isLast = tries >= MAX_TRIES || isClosing
      try {
        const { status } = await service.trial(text, ending.signal)
        // A request that is refused for its shape or its credential would be refused again.
        if (status < 500 && status !== 429) return
      } catch (error) {
        if (isLast) log.warn({ err: error }, 'the service does not take what a trial came to')
      }
      if (isLast || ending.signal.aborted) return
      await pause(backOff(tries, Math.random()))
    }
  }

  return {
    send(result) {
      const sending = offer(JSON.stringify({ instance_id: instance, result }))
        .catch((error: unknown) => log.error({ err: error }, 'a trial failed by a fault of the prober'))
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    async close(deadlineAt) {
      isClosing = true
      for (const go of waiting) go()
      const giveUp = setTimeout(() => ending.abort(), Math.max(0, deadlineAt - performance.now()))
      await Promise.all(underWay)
      clearTimeout(giveUp)
    }
  }
}
