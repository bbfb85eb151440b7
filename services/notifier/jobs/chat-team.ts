/**
 * Handles a team that became private or open to everybody: looks again at the chat messages of its
 * incidents, some at a time.
 * Source: docs/design/api/notifications.md#s8-6.
 */
import { standingOfTeam, startIncidentChat } from '../../store/war-rooms.ts'
import { payloadText, type RunJob } from '../job.ts'

const AT_ONCE = 100

export const run: RunJob = async (tx, job) => {
  const team_id = payloadText(job, 'team_id')
  const found = await standingOfTeam(tx, job.tenant_id, team_id, payloadText(job, 'after'), AT_ONCE)
  await startIncidentChat(tx, found, `team:${job.job_id}`)
  const last = found.at(-1)
  return found.length < AT_ONCE || !last ? undefined : { at: Date.now(), payload: { team_id, after: last.incident_id } }
}
