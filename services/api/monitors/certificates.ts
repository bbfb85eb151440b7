/**
 * Lists the certificates that the monitors of a workspace see, ordered by their end: MO-18.
 * Source: docs/design/api/monitors.md#certificates.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type CertificateItem, CertificateList, CertificateQuery } from '../../../schemas/http/certificates.ts'
import { envelope, iso } from '../../../schemas/http/common.ts'
import { certificateHost } from '../../checks/targets.ts'
import { type ListedCertificate, listCertificates } from '../../store/certificates.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'

const DAY_MS = 86_400_000

/** Notices about an earlier certificate are not notices about this one. */
function toItem({ name, status, config, told_days, told_at, told_of, ...one }: ListedCertificate, now: number): CertificateItem {
  const { not_after, last_checked_at, target } = one
  return {
    ...one,
    monitor_name: name,
    monitor_status: status,
    host: certificateHost(target, config),
    not_after: iso(not_after),
    days_left: Math.floor((not_after - now) / DAY_MS),
    last_checked_at: iso(last_checked_at),
    told: told_days === null || told_at === null || told_of !== not_after ? null : { threshold_days: told_days, at: iso(told_at) }
  }
}

export const certificateRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listCertificates', { querystring: CertificateQuery, response: { 200: CertificateList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { team_id, within_days, q } = request.query
        const page = pageOf(request.query)
        const now = Date.now()
        const { items, total } = await tenantTransaction(pool, callerOf(request), (tx) =>
          listCertificates(tx, tenant_id, { team_id, within_days, q }, { ...page, now })
        )
        return envelope(
          items.map((item) => toItem(item, now)),
          total,
          page
        )
      }
    })
  }
