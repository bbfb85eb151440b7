/**
 * Opens the room that somebody asked for: creates it at the vendor and sets its topic. For a
 * private team the room is private, and the installer is invited. `incident_chat` posts the
 * messages. If the worker dies between the vendor's answer and our commit, a room is left that
 * nobody knows of; the next room gets another name.
 * Source: docs/design/api/incidents.md#in-21.
 */
import type { RoomOutcome } from '../../channels/rooms.ts'
import { SendFailure } from '../../delivery/failure.ts'
import { performSteps } from '../../delivery/steps.ts'
import { readIncident } from '../../store/incident-reads.ts'
import type { Tx } from '../../store/pool.ts'
import { readRoomChannel, readWarRoom, saveFailed, saveOpened, startIncidentChat } from '../../store/war-rooms.ts'
import { appOf, CHAT_LIMITS, openedConfig } from '../chat-app.ts'
import { type Ending, payloadText, type RunJob } from '../job.ts'

/**
 * After these tries, people are told that the vendor does not answer and that they may ask again.
 */
const MAX_TRIES = 4

/** Returns the vendor's answer. A failure on the way counts as `retry`. */
async function answered(work: Promise<RoomOutcome>): Promise<RoomOutcome> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error
    return { outcome: 'retry', why: error.message }
  }
}

const failing =
  (tenant_id: string, incident_id: string, words: string): Ending =>
  async (tx) => {
    await saveFailed(tx, tenant_id, incident_id, words)
    return undefined
  }

export const run: RunJob = async (tx, job, { post }) => {
  const { tenant_id } = job
  const incident_id = payloadText(job, 'incident_id')
  if (!post) throw new Error('war_room_open: this deployment sends nothing')
  const wanted = await readWarRoom(tx, tenant_id, incident_id)
  const incident = await readIncident(tx, tenant_id, incident_id)
  if (wanted?.state !== 'opening' || !incident) return
  const channel = await readRoomChannel(tx, tenant_id, wanted.channel_id)
  const rooms = channel && appOf(channel.kind)?.rooms
  if (!channel?.works || !rooms) {
    await saveFailed(tx, tenant_id, incident_id, 'The channel whose app makes the room is gone, or turned off.')
    return
  }
  const config = openedConfig(post, tenant_id, channel)
  const context = { now: Date.now(), attempt: job.attempts, doubtful: job.attempts > 1, deployment: post.deployment }
  // Everybody at the vendor sees the topic of a public room, also after the incident is private.
  const title = wanted.private ? `: ${incident.title}` : ''
  const topic = `INC-${incident.number}${title} ${post.publicUrl}/incidents/${incident_id}`
  return {
    async outside() {
      const asked = { name: wanted.name, topic, private: wanted.private }
      const outcome = await answered(performSteps(post.http, rooms.open(asked, config, context), CHAT_LIMITS))
      if (outcome.outcome === 'refused') return failing(tenant_id, incident_id, outcome.user_text)
      if (outcome.outcome === 'retry') {
        if (job.attempts < MAX_TRIES) throw new Error(`war_room_open: ${channel.kind} wants it later`)
        return failing(tenant_id, incident_id, 'The chat service does not answer. Try again in a minute.')
      }
      return async (ending: Tx) => {
        await saveOpened(ending, tenant_id, incident_id, { ...outcome, error: outcome.problem })
        await startIncidentChat(ending, [incident], `room:${job.job_id}`)
        return undefined
      }
    }
  }
}
