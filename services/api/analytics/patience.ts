/**
 * Figures from analytics that are shown beside an object as an extra. They are asked for with a
 * short timeout, and are missing if no answer comes. After a failure nobody asks for a while, so
 * that lists do not wait for a part of the service that is down.
 */
import type { Queries, QueryAnswer, QueryName } from '../../../schemas/analytics.ts'
import type { Analytics } from './client.ts'

const PATIENCE_MS = 300
const PAUSE_MS = 10_000

export interface Patience {
  patienceMs?: number
  pauseMs?: number
}

/** Returns the rows of an answer, or null if there is none. Never throws. */
export type AskPatiently = <N extends QueryName>(
  name: N,
  tenant_id: string,
  params: Queries[N]['params']
) => Promise<QueryAnswer<N>['rows'] | null>

export function askPatiently(
  analytics: Pick<Analytics, 'ask'>,
  { patienceMs = PATIENCE_MS, pauseMs = PAUSE_MS }: Patience = {}
): AskPatiently {
  let askAgainAt = 0
  return async (name, tenant_id, params) => {
    if (performance.now() < askAgainAt) return null
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, patienceMs, null)
    })
    // The analytics client itself logs and counts failures.
    const answer = analytics.ask(name, tenant_id, params).catch(() => null)
    const given = await Promise.race([answer, late])
    clearTimeout(timer)
    if (!given) askAgainAt = performance.now() + pauseMs
    return given?.rows ?? null
  }
}
