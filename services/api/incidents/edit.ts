/**
 * Edits an incident by hand. When it moves to a private team, or is private itself and moves, most
 * people lose sight of it: people who saw it get `incident.removed`, and those who still see it
 * read it again.
 * Source: docs/design/api/incidents.md#in-10.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { EditIncidentBody, IncidentDetail, IncidentParams } from '../../../schemas/http/incidents.ts'
import type { Owned } from '../../../schemas/http/visibility.ts'
import { audienceOf } from '../../../streams/audience.ts'
import type { Edits } from '../../../streams/incident/editing.ts'
import { storable } from '../../../streams/incident/rules.ts'
import { actorText } from '../../store/audit.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { insertOutgoing } from '../../store/outbox.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { readTeam } from '../../store/teams.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { incidentAsSeen } from '../routing/hidden.ts'
import type { Services } from '../services.ts'
import { removedFrames } from '../teams/frames.ts'
import { givenTeam } from '../teams/rules.ts'
import { beforeNaming } from '../workspace/naming.ts'
import { command } from './commands.ts'
import { toDetail } from './detail.ts'

/**
 * Reads the edits of a body, except the team. Texts are cleaned so that every store accepts them.
 */
function editsOf({ title, summary, labels, links, tags, team_id: _team, ...fields }: Static<typeof EditIncidentBody>): Edits {
  const storableLabels = (given: Record<string, string>) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, storable(value)]))
  return {
    ...fields,
    ...(title !== undefined && { title: storable(title) }),
    ...(summary !== undefined && { summary: summary && storable(summary) }),
    ...(labels && { labels: storableLabels(labels) }),
    ...(tags && { tags: tags.map(storable) }),
    ...(links && { links: links.map(({ title: name, url }) => ({ title: storable(name), url: storable(url) })) })
  }
}

export const incidentEditRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('editIncident', { params: IncidentParams, body: EditIncidentBody, response: { 200: IncidentDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const edits = editsOf(request.body)
        const detail = await retrying(() =>
          keyedTransaction(pool, caller, async (tx) => {
            await beforeNaming(tx, tenant_id, { team_id: request.body.team_id })
            const before: Owned = { team_id: null, visibility: 'private' }
            const { incident, now } = await command(
              tx,
              codec,
              request,
              request.params.id,
              async (_tx, locked) => {
                Object.assign(before, { team_id: locked.incident.team_id, visibility: locked.incident.visibility })
                const team_id = await givenTeam(tx, caller, before.team_id, request.body.team_id)
                return { command: 'edit', by: actorText(actor), edits: { ...edits, ...(team_id !== before.team_id && { team_id }) } }
              },
              { alerts: request.body.team_id !== undefined }
            )
            const { incident_id, team_id } = incident
            // Only people who saw the incident before are told its id.
            const audience = team_id === before.team_id ? null : audienceOf(before)
            const isHidden = async (): Promise<boolean> =>
              before.visibility === 'private' || (team_id !== null && (await readTeam(tx, tenant_id, team_id))?.visibility === 'private')
            if (audience && (await isHidden())) {
              const told = { audience, cause: `moved ${incident.ver}`, at: now, src: actorText(actor) }
              await insertOutgoing(tx, removedFrames(tenant_id, [incident], told), codec)
            }
            const after = await readIncident(tx, tenant_id, incident_id)
            if (!after) throw notFound()
            return incidentAsSeen(tx, tenant_id, toDetail(after, await loadHoldFacts(tx, tenant_id, [after], now), now))
          })
        )
        return reply.header('etag', `"${detail.version}"`).send(detail)
      }
    })
  }
