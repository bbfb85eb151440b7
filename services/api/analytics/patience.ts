/**
 * Figures from analytics that are shown beside an object as an extra. They are asked for with a
 * short timeout, and are missing if no answer comes. After a late answer the workspace does not ask
 * for a while, and while analytics cannot be reached no workspace does, so that lists do not wait
 * for a part of the service that is down.
 */
import type { Queries, QueryAnswer, QueryName } from '../../../schemas/analytics.ts'
import { BoundedMap } from '../../process/bounded-map.ts'
import { ApiError } from '../http/errors.ts'
import { type Analytics, Unreachable } from './client.ts'

const PATIENCE_MS = 300
const PAUSE_MS = 10_000
const MAX_PAUSES = 10_000

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
  let allAskAgainAt = 0
  const askAgainAt = new BoundedMap<string, number>(MAX_PAUSES)
  return async (name, tenant_id, params) => {
    if (performance.now() < Math.max(allAskAgainAt, askAgainAt.get(tenant_id) ?? 0)) return null
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, patienceMs, null)
    })
    // The analytics client itself logs and counts failures.
    const answer = analytics.ask(name, tenant_id, params).catch((error: unknown) => {
      // An ApiError of another kind says that this workspace asked for much.
      if (error instanceof Unreachable || !(error instanceof ApiError)) allAskAgainAt = performance.now() + pauseMs
      return null
    })
    const given = await Promise.race([answer, late])
    clearTimeout(timer)
    if (given) askAgainAt.delete(tenant_id)
    else askAgainAt.set(tenant_id, performance.now() + pauseMs)
    return given?.rows ?? null
  }
}
