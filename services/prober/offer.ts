/** Offers a batch of results to the service once, and interprets its answer. */
import { backOff } from './back-off.ts'
import type { Reply, Service } from './service.ts'

export type Offered =
  | { kind: 'taken' }
  /** The service refuses the shape, and would refuse the same batch again. */
  | { kind: 'misshapen'; status: number }
  /**
   * The batch was not taken, but may be later. `status` null: there was no answer. `retryAfter` in
   * seconds.
   */
  | { kind: 'away'; status: number | null; error: unknown; retryAfter: number | null }

/** `texts`: the results as JSON. Never rejects. */
export const offer = (
  service: Pick<Service, 'results'>,
  instance: string,
  texts: readonly string[],
  signal: AbortSignal
): Promise<Offered> => send(service, `{"instance_id":${JSON.stringify(instance)},"results":[${texts.join(',')}]}`, signal)

/** `texts`: the captures as JSON; they are sent without results. Never rejects. */
export const offerCaptures = (
  service: Pick<Service, 'results'>,
  instance: string,
  texts: readonly string[],
  signal: AbortSignal
): Promise<Offered> => send(service, `{"instance_id":${JSON.stringify(instance)},"results":[],"captures":[${texts.join(',')}]}`, signal)

async function send(service: Pick<Service, 'results'>, text: string, signal: AbortSignal): Promise<Offered> {
  try {
    return judgeReply(await service.results(text, signal))
  } catch (error) {
    return { kind: 'away', status: null, error, retryAfter: null }
  }
}

export function judgeReply({ status, retryAfter }: Pick<Reply<unknown>, 'status' | 'retryAfter'>): Offered {
  if (status >= 200 && status < 300) return { kind: 'taken' }
  if (status === 400 || status === 413 || status === 422) return { kind: 'misshapen', status }
  return { kind: 'away', status, error: undefined, retryAfter }
}

/**
 * The service itself asks for at most a minute. A proxy that answers in its place may ask for a
 * day.
 */
const MAX_RETRY_AFTER_SECONDS = 60

/**
 * Returns the milliseconds until the next try. `failures`: failures in a row, from 1; `retryAfter`:
 * seconds that the service asks for; `random`: from 0 to 1.
 */
export const pauseMs = (failures: number, retryAfter: number | null, random: number): number =>
  retryAfter === null ? backOff(failures, random) : Math.max(Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS) * 1000, backOff(1, random))
