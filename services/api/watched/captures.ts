/**
 * The stored answer of a failed check, kept for three days. Like payloads of senders, only owners
 * and admins may read it.
 * Source: docs/design/api/monitors.md#mo-19.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { CheckCaptureRow } from '../../../schemas/analytics.ts'
import { CheckCapture } from '../../../schemas/http/analytics.ts'
import { Id, iso } from '../../../schemas/http/common.ts'
import { CAPTURE_KEPT_DAYS } from '../../../schemas/limits.ts'
import { listEntities } from '../../store/entities.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'

const KEPT_MS = CAPTURE_KEPT_DAYS * 86_400_000

const toCapture = ({ prober, captured_at, received_at, status_code, ...row }: CheckCaptureRow): CheckCapture => ({
  ...row,
  prober_instance: prober,
  captured_at: iso(captured_at),
  received_at: iso(received_at),
  kept_until: iso(received_at + KEPT_MS),
  status: status_code
})

export const captureRoutes =
  ({ pool, analytics }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('readCheckCapture', { params: Type.Object({ id: Id, check_id: Id }), response: { 200: CheckCapture } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const filter = { monitor_ids: [request.params.id.toLowerCase()], heartbeat_ids: [] }
        const [monitor] = await tenantTransaction(pool, caller, (tx) => listEntities(tx, caller.tenant_id, filter, 1))
        if (!monitor) throw notFound()
        const check_id = request.params.check_id.toLowerCase()
        const { rows } = await analytics.ask('check_capture', caller.tenant_id, { monitor_id: monitor.id, check_id })
        const [row] = rows
        if (!row) throw notFound()
        return toCapture(row)
      }
    })
  }
