/**
 * Sends the outcomes of trials to the service: at once, one by one, and separate from the results.
 * Somebody waits for each outcome, but only for a moment. So it is tried a few times and then given
 * up.
 * Source: docs/design/api/prober.md#pr-4.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Result } from '../../schemas/http/prober.ts'
import type { Log } from '../process/log.ts'
import { backOff } from './back-off.ts'
import type { Service } from './service.ts'

const MAX_TRIES = 4

export interface TrialsOptions {
  service: Pick<Service, 'trial'>
  instance: string
  /** Aborts what is not sent yet. */
  signal: AbortSignal
  log: Log
}

export interface Trials {
  send(result: Result): void
  /** Resolves when everything passed to `send` has been sent or given up. */
  ended(): Promise<void>
}

export function createTrials({ service, instance, signal, log }: TrialsOptions): Trials {
  const underWay = new Set<Promise<void>>()

  async function offer(text: string): Promise<void> {
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        const { status } = await service.trial(text, signal)
        // A request that is refused for its shape or its credential would be refused again.
        if (status < 500 && status !== 429) return
      } catch (error) {
        if (signal.aborted) return
        if (tries >= MAX_TRIES) log.warn({ err: error }, 'the service does not take what a trial came to')
      }
      if (tries >= MAX_TRIES) return
      await wait(backOff(tries, Math.random()), undefined, { signal })
    }
  }

  return {
    send(result) {
      const sending = offer(JSON.stringify({ instance_id: instance, result }))
        .catch((error: unknown) => {
          if (!signal.aborted) log.error({ err: error }, 'a trial failed by a fault of the prober')
        })
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    async ended() {
      await Promise.all(underWay)
    }
  }
}
