/**
 * Comments that people write about an incident. A comment is a change of the incident by its own
 * rules, in one transaction with its text, so everybody who looks at the incident learns of it at
 * once. Its author and the workspace's administrators may delete it.
 * Source: docs/design/api/incidents.md#in-14 and #in-15.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { iso } from '../../../schemas/http/common.ts'
import { Comment, CommentBody, CommentList, CommentParams, IncidentParams, VersionQuery } from '../../../schemas/http/incidents.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { storable } from '../../../streams/incident/rules.ts'
import { actorText } from '../../store/audit.ts'
import { deleteComment, insertComment, listComments, type NamedComment, readComment } from '../../store/incident-comments.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { versionEnvelope, versionsOf } from '../http/version-pages.ts'
import type { Services } from '../services.ts'
import { command } from './commands.ts'

const toComment = ({
  comment_id,
  tenant_id,
  incident_id,
  ver,
  body,
  author,
  author_id,
  author_name,
  created_at
}: NamedComment): Comment => ({
  id: comment_id,
  tenant_id,
  incident_id,
  ver,
  body,
  author,
  author_id,
  author_name,
  created_at: iso(created_at),
  updated_at: iso(created_at) // A comment is written once.
})

export const incidentCommentRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listComments', { params: IncidentParams, querystring: VersionQuery, response: { 200: CommentList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const page = versionsOf(request.query)
        return keyedTransaction(pool, callerOf(request), async (tx) => {
          const incident = await readIncident(tx, tenant_id, request.params.id)
          if (!incident) throw notFound()
          const { items, ...place } = await listComments(tx, tenant_id, incident.incident_id, page)
          return versionEnvelope(items.map(toComment), page, place)
        })
      }
    })

    app.route({
      ...on('createComment', { params: IncidentParams, body: CommentBody, response: { 201: Comment } }),
      handler: async (request, reply) => {
        const { tenant_id, actor, user_id } = callerOf(request)
        const author = actorText(actor)
        const comment_id = uuidv7()
        const comment = await retrying(() =>
          keyedTransaction(pool, callerOf(request), async (tx) => {
            const { incident, now } = await command(
              tx,
              codec,
              request,
              request.params.id,
              () => ({ command: 'comment', by: author, comment_id }),
              { alerts: false }
            )
            const { incident_id, ver } = incident
            const body = storable(request.body.body)
            await insertComment(tx, { tenant_id, incident_id, comment_id, ver, body, author, author_id: user_id, created_at: now })
            return readComment(tx, tenant_id, incident_id, comment_id)
          })
        )
        if (!comment) throw notFound()
        return reply.code(201).send(toComment(comment))
      }
    })

    app.route({
      ...on('deleteComment', { params: CommentParams, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const { tenant_id, actor, user_id, rights } = callerOf(request)
        await retrying(() =>
          keyedTransaction(pool, callerOf(request), async (tx) => {
            await command(
              tx,
              codec,
              request,
              request.params.id,
              async (_tx, { incident }) => {
                const comment = await readComment(tx, tenant_id, incident.incident_id, request.params.cid)
                if (!comment) throw notFound()
                if (comment.author_id !== user_id && !rights.has('admin'))
                  throw new ApiError('FORBIDDEN', 'Only the author or an admin can delete this comment')
                const { comment_id } = comment
                await deleteComment(tx, tenant_id, comment_id)
                return { command: 'delete_comment', by: actorText(actor), comment_id }
              },
              { alerts: false }
            )
          })
        )
        return reply.code(204).send(null)
      }
    })
  }
