/**
 * People who can do something about it read that the plan has refused something: once for each
 * limit and day. The refusal has rolled its own transaction back, so this is one of its own.
 * Source: docs/design/api/webhooks.md#s19.
 */
import type { FastifyRequest } from 'fastify'
import { limitNotice } from '../../../streams/reach/feed-notices.ts'
import { feedJob } from '../../store/feed-jobs.ts'
import { changeJobs } from '../../store/jobs.ts'
import { tenantTransaction } from '../../store/pool.ts'
import type { ApiError } from '../http/errors.ts'
import type { Services } from '../services.ts'

/** Of this process; beyond it notices are asked for anew, and told to nobody twice. */
const MAX_TOLD = 10_000

/** Never rejects: what was refused stays refused, whatever becomes of the notice. */
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
      await tenantTransaction(pool, caller, (tx) => changeJobs(tx, [feedJob(notice)]))
      if (told.size >= MAX_TOLD) told.clear()
      told.add(key)
    } catch (error) {
      request.log.warn({ err: error, request_id: request.id, limit_key }, 'nobody could be told that a limit is reached')
    }
  }
}
