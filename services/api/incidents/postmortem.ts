/**
 * The postmortem of an incident, read and written as a whole. Everybody who sees the incident sees
 * it, even as a draft. A person writes to the version that they have seen (If-Match; "0": there is
 * none yet).
 * Source: docs/design/api/incidents.md#in-17.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { iso } from '../../../schemas/http/common.ts'
import { IncidentParams } from '../../../schemas/http/incidents.ts'
import { Postmortem, PostmortemBody, PostmortemQuery } from '../../../schemas/http/postmortems.ts'
import { type Capability, type Plan, planIds, planOf, plans } from '../../../schemas/plans.ts'
import { storable } from '../../../streams/incident/rules.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import {
  namesOf,
  type PostmortemText,
  readPostmortem,
  type StoredPostmortem,
  strangeRefs,
  writePostmortem
} from '../../store/postmortems.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import type { Services } from '../services.ts'
import { checkMember } from './actions.ts'
import { documentOf } from './postmortem-document.ts'

/** Throws TIER_LIMIT_EXCEEDED. A postmortem written under another plan can still be read. */
function checkCapability(plan: Plan): void {
  const capability: Capability = 'postmortems'
  if (plan.capabilities.includes(capability)) return
  const upgrade_to = planIds.find((id) => plans[id].capabilities.includes(capability)) ?? null
  throw new ApiError('TIER_LIMIT_EXCEEDED', 'This plan does not include postmortems.', {
    details: [{ path: '', rule: 'limit', limit_key: capability, limit: 0, actual: 1, plan: plan.id, upgrade_to }]
  })
}

/** Fields that are not sent become empty: a PUT replaces the whole. */
function textOf(body: Static<typeof PostmortemBody>): PostmortemText {
  const { status = 'draft', impact = '', root_cause = '', detection = '', resolution = '', lessons = '' } = body
  return {
    status,
    impact: storable(impact),
    root_cause: storable(root_cause),
    detection: storable(detection),
    resolution: storable(resolution),
    lessons: storable(lessons),
    action_items: (body.action_items ?? []).map(({ title, owner_id = null, due_on = null, done = false, link = null }) => ({
      title: storable(title),
      owner_id: owner_id?.toLowerCase() ?? null,
      due_on,
      done,
      link: link === null ? null : storable(link)
    })),
    timeline_refs: [...new Set((body.timeline_refs ?? []).map((id) => id.toLowerCase()))]
  }
}

/** An item's assignee who has since left the workspace may stay. */
async function checkText(
  tx: Tx,
  { tenant_id, incident_id }: { tenant_id: string; incident_id: string },
  text: PostmortemText,
  before: StoredPostmortem | null
): Promise<void> {
  const known = new Set(before?.action_items.map(({ owner_id }) => owner_id))
  for (const [at, { owner_id, due_on }] of text.action_items.entries()) {
    if (due_on !== null && !isDate(due_on)) throw invalid(`action_items[${at}].due_on`, 'pattern', 'there is no such day')
    if (owner_id === null || known.has(owner_id)) continue
    await checkMember(tx, tenant_id, `action_items[${at}].owner_id`, owner_id)
    known.add(owner_id)
  }
  const [strange] = await strangeRefs(tx, tenant_id, incident_id, text.timeline_refs)
  if (strange !== undefined)
    throw invalid(`timeline_refs[${text.timeline_refs.indexOf(strange)}]`, 'unknown_item', 'is not an item of the timeline')
}

const isDate = (text: string): boolean => {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

const personOf = (actor: string): string | null => (actor.startsWith('user:') ? actor.slice('user:'.length) : null)

async function shown(tx: Tx, stored: StoredPostmortem): Promise<Postmortem> {
  const { tenant_id, incident_id, ver, action_items, updated_by } = stored
  const writer = personOf(updated_by)
  const named = [...action_items.map(({ owner_id }) => owner_id), writer].filter((id) => id !== null)
  const names = await namesOf(tx, tenant_id, named)
  return {
    id: incident_id, // An incident has one at most.
    tenant_id,
    incident_id,
    version: ver,
    status: stored.status,
    impact: stored.impact,
    root_cause: stored.root_cause,
    detection: stored.detection,
    resolution: stored.resolution,
    lessons: stored.lessons,
    action_items: action_items.map(({ title, owner_id, due_on, done, link }) => {
      return { title, owner_id, owner_name: names.get(owner_id ?? '') ?? null, due_on, done, link }
    }),
    timeline_refs: stored.timeline_refs,
    published_at: iso(stored.published_at),
    created_at: iso(stored.created_at),
    created_by: stored.created_by,
    updated_at: iso(stored.updated_at),
    updated_by,
    updated_by_name: names.get(writer ?? '') ?? null
  }
}

/**
 * Returns the names of changed fields without their texts: an audit entry must not be a second
 * copy.
 */
function changesOf(before: StoredPostmortem | null, text: PostmortemText): string[] {
  const fields = Object.keys(text) as (keyof PostmortemText)[]
  return fields.filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(text[field]))
}

const postmortemOrDocument = {
  description: 'The postmortem, as a Markdown document when format=md.',
  content: { 'application/json': { schema: Postmortem }, 'text/markdown': { schema: Type.String() } }
}

export const postmortemRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('readPostmortem', {
        params: IncidentParams,
        querystring: PostmortemQuery,
        response: { 200: postmortemOrDocument }
      }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const { incident, postmortem } = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const found = await readIncident(tx, tenant_id, request.params.id)
          const stored = found && (await readPostmortem(tx, tenant_id, found.incident_id))
          if (!stored) throw notFound()
          return { incident: found, postmortem: await shown(tx, stored) }
        })
        reply.header('etag', `"${postmortem.version}"`)
        if (request.query.format !== 'md') return postmortem
        const key = `INC-${incident.number}`
        reply.header('content-disposition', `attachment; filename="${key}.md"`).type('text/markdown; charset=utf-8')
        const { title, severity, started_at, resolved_at } = incident
        return documentOf(postmortem, { key, title, severity, started_at: iso(started_at), resolved_at: iso(resolved_at) })
      }
    })

    app.route({
      ...on('writePostmortem', { params: IncidentParams, body: PostmortemBody, response: { 200: Postmortem } }),
      handler: async (request, reply) => {
        const { tenant_id, actor, plan } = callerOf(request)
        checkCapability(planOf(plan))
        const text = textOf(request.body)
        const postmortem = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const incident = await readIncident(tx, tenant_id, request.params.id)
          if (!incident) throw notFound()
          const { incident_id } = incident
          const before = await readPostmortem(tx, tenant_id, incident_id)
          checkIfMatch(request, before?.ver ?? 0)
          const changed = changesOf(before, text)
          if (before && changed.length === 0) return shown(tx, before)
          await checkText(tx, incident, text, before)
          if (!(await writePostmortem(tx, tenant_id, incident_id, text, { seen: before?.ver ?? 0, by: actorText(actor) })))
            throw new ApiError('CONFLICT', 'Somebody else has just changed this. Read it again')
          await insertAudit(tx, tenant_id, actor, {
            action: before ? 'postmortem.updated' : 'postmortem.created',
            object_type: 'incident',
            object_id: incident_id,
            diff: {
              ver: [before?.ver ?? 0, (before?.ver ?? 0) + 1],
              status: [before?.status ?? null, text.status],
              fields: [null, changed]
            }
          })
          const after = await readPostmortem(tx, tenant_id, incident_id)
          if (!after) throw notFound()
          return shown(tx, after)
        })
        return reply.header('etag', `"${postmortem.version}"`).send(postmortem)
      }
    })
  }
