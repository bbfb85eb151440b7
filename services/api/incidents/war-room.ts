/**
 * War rooms: a person asks for a room at a chat service, and a job creates it. A repeated request
 * returns the first room; a room that failed is replaced by a new one.
 * Source: docs/design/api/incidents.md#in-21.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IncidentParams, OpenWarRoomBody, WarRoom } from '../../../schemas/http/incidents.ts'
import { storable } from '../../../streams/incident/rules.ts'
import { apps } from '../../channels/apps/index.ts'
import { isInstalled } from '../../channels/install.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import { readChannel, type StoredChannel } from '../../store/channels.ts'
import { type IncidentDetail, readIncident } from '../../store/incident-reads.ts'
import { changeJobs } from '../../store/jobs.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { insertWarRoom, isPrivateNow, openRoomJob, readWarRoom, type WarRoom as Stored } from '../../store/war-rooms.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'

const shown = ({ channel_id, state, name, private: isPrivate, url, error }: Stored): WarRoom => ({
  channel_id,
  state,
  name,
  private: isPrivate,
  url,
  error
})

/**
 * Throws VALIDATION_FAILED for a channel that cannot open rooms, or may not be told of the
 * incident.
 */
async function chosenChannel(
  tx: Tx,
  { tenant_id }: Caller,
  channel_id: string,
  incident: IncidentDetail,
  isPrivate: boolean
): Promise<StoredChannel> {
  const refuse = (rule: string, message: string) => invalid('channel_id', rule, message)
  const channel = await readChannel(tx, tenant_id, channel_id)
  if (!channel) throw refuse('unknown_channel', 'is not a channel of this workspace')
  if (!isInstalled(channel.config) || !apps[channel.kind]?.rooms)
    throw refuse('no_app', 'must be a channel of an app that opens rooms, as that of Slack')
  if (!channel.enabled || channel.health_state === 'disabled') throw refuse('disabled', 'is turned off')
  const { team_id } = incident
  const mayHear = !isPrivate || (team_id !== null && (channel.team_id === team_id || channel.allowed_team_ids.includes(team_id)))
  if (!mayHear) throw refuse('not_visible', 'may not hear of this private team: its leads can allow it')
  return channel
}

const DEFAULT_NAME_LENGTH = 80

async function openRoom(tx: Tx, caller: Caller, reference: string, body: OpenWarRoomBody): Promise<{ room: Stored; isNew: boolean }> {
  const { tenant_id, actor } = caller
  const incident = await readIncident(tx, tenant_id, reference)
  if (!incident) throw notFound()
  const { incident_id, number, title, team_id } = incident
  const first = await readWarRoom(tx, tenant_id, incident_id)
  if (first && first.state !== 'failed') return { room: first, isNew: false }
  if (incident.status === 'resolved')
    throw new ApiError('INCIDENT_RESOLVED', 'The incident is resolved. A war room needs an ongoing incident')
  const isPrivate = await isPrivateNow(tx, tenant_id, incident_id)
  const { channel_id } = await chosenChannel(tx, caller, body.channel_id.toLowerCase(), incident, isPrivate)
  const name = storable(body.name ?? `inc-${number}-${title}`).slice(0, DEFAULT_NAME_LENGTH)
  const wanted = { incident_id, channel_id, name, private: isPrivate, team_id: isPrivate ? team_id : null, created_by: actorText(actor) }
  const made = await insertWarRoom(tx, tenant_id, wanted)
  if (!made) {
    // Somebody else asked at the same time.
    const theirs = await readWarRoom(tx, tenant_id, incident_id)
    if (!theirs) throw notFound()
    return { room: theirs, isNew: false }
  }
  await changeJobs(tx, [openRoomJob(made)])
  const diff = { channel_id: [null, channel_id] as [unknown, unknown], private: [null, isPrivate] as [unknown, unknown] }
  await insertAudit(tx, tenant_id, actor, { action: 'incident.war_room_opened', object_type: 'incident', object_id: incident_id, diff })
  return { room: made, isNew: true }
}

export const warRoomRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('openWarRoom', { params: IncidentParams, body: OpenWarRoomBody, response: { 200: WarRoom, 201: WarRoom } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { room, isNew } = await keyedTransaction(pool, caller, (tx) => openRoom(tx, caller, request.params.id, request.body))
        return reply.code(isNew ? 201 : 200).send(shown(room))
      }
    })
  }
