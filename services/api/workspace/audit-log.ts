/**
 * Shows the workspace's admins who did what in it.
 * Source: docs/design/api/account.md#ac-15.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type AuditEntry, AuditList, AuditQuery } from '../../../schemas/http/audit.ts'
import { iso } from '../../../schemas/http/common.ts'
import { planOf } from '../../../schemas/plans.ts'
import { actorNames } from '../../store/actor-names.ts'
import { type AuditRow, appOf, listAudit, objectNames } from '../../store/audit-reads.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { cursorOf, positionOf } from '../http/cursor.ts'
import { on } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { instant } from '../incidents/query.ts'
import type { Services } from '../services.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const actorOf = ({ actor_kind, actor_id }: AuditRow): string => `${actor_kind}:${actor_id}`

/** A person as an object is named like an actor. */
const objectAsActor = ({ object_type, object_id }: AuditRow): string | null => (object_type === 'user' ? `user:${object_id}` : null)

function toEntry(row: AuditRow, actors: ReadonlyMap<string, string>, objects: ReadonlyMap<string, string>): AuditEntry {
  const { audit_id, at, actor_kind, actor_id, action, object_type, object_id, via, diff, request_id } = row
  const person = objectAsActor(row)
  const name = person === null ? objects.get(`${object_type} ${object_id}`) : actors.get(person)
  return {
    id: audit_id,
    at: iso(at),
    actor: { kind: actor_kind, id: actor_id, name: actors.get(actorOf(row)) ?? null },
    action,
    object: { type: object_type, id: object_id, name: name ?? null },
    via,
    app: via === 'chat' ? appOf(diff) : null,
    diff,
    request_id
  }
}

export const auditLogRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listAuditLog', { querystring: AuditQuery, response: { 200: AuditList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const { cursor, per_page = 50, from, to, actor_id, object_id, ...rest } = request.query
        const filter = {
          ...rest,
          actor_id: actor_id?.toLowerCase(),
          object_id: object_id?.toLowerCase(),
          from: instant(from, 'from'),
          to: instant(to, 'to')
        }
        const now = Date.now()
        const list = ['audit', tenant_id, filter]
        const [, before = null] = cursor === undefined ? [] : positionOf(cursor, list, ['number', 'string'], now).keys
        if (before !== null && !UUID.test(String(before))) throw new ApiError('BAD_REQUEST', 'cursor: does not belong to this list')
        const kept_days = planOf(caller.plan).limits.audit_retention_days
        const page = { before: before === null ? null : String(before), limit: per_page + 1, kept_days }
        return tenantTransaction(pool, caller, async (tx) => {
          const rows = await listAudit(tx, tenant_id, filter, page)
          const shown = rows.slice(0, per_page)
          const actors = await actorNames(tx, tenant_id, [...shown.map(actorOf), ...shown.map(objectAsActor)])
          const objects = await objectNames(
            tx,
            tenant_id,
            shown.map(({ object_type, object_id: id }) => ({ type: object_type, id }))
          )
          const last = rows.length > per_page ? shown.at(-1) : undefined
          return {
            items: shown.map((row) => toEntry(row, actors, objects)),
            per_page,
            next_cursor: last ? cursorOf(list, { from: 0, to: now, keys: [last.at, last.audit_id] }, now) : null,
            kept_days
          }
        })
      }
    })
  }
