/**
 * Tells people who can act on it that the plan has refused something, once for each limit and day.
 * The refused request has rolled back its own transaction, so the notice is written in another one.
 * Source: docs/design/api/webhooks.md#s19.
 */
import type { FastifyRequest } from 'fastify'
import { limitNotice } from '../../../streams/reach/feed-notices.ts'
import { feedJob } from '../../store/feed-jobs.ts'
import { changeJobs } from '../../store/jobs.ts'
import { keyedTransaction } from '../../store/pool.ts'
import type { ApiError } from '../http/errors.ts'
import type { Services } from '../services.ts'

/**
 * The most notices remembered by this process. Beyond it notices are requested again, but nobody is
 * told twice.
 */
const MAX_TOLD = 10_000

/** Never rejects: the refusal stands, even if the notice fails. */
export function limitTeller({ pool }: Pick<Services, 'pool'>): (request: FastifyRequest, error: ApiError) => Promise<void> {
  const told = new Set<string>()
  return async (request, { code, details: [detail] }) => {
    const { caller } = request
    if (code !== 'TIER_LIMIT_EXCEEDED' || !caller || detail?.limit_key === undefined) return
    const { limit_key, limit = 0, plan = '', upgrade_to = null } = detail
    const { tenant_id } = caller
    const notice = limitNotice({ tenant_id, limit_key, limit, plan, upgrade_to, at: Date.now() })
    const key = `${tenant_id} ${notice.key}`
    if (told.has(key)) return
    try {
      await keyedTransaction(pool, caller, (tx) => changeJobs(tx, [feedJob(notice)]))
      if (told.size >= MAX_TOLD) told.clear()
      told.add(key)
    } catch (error) {
      request.log.warn({ err: error, request_id: request.id, limit_key }, 'nobody could be told that a limit is reached')
    }
  }
}
