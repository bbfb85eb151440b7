/**
 * Tells of what is new of an incident. Jobs of one incident may run in any order and at once: the
 * first tells of all that there is, the others find nothing. A job without a change of the incident
 * (a hold has ended) makes it look again at what was held.
 * Source: docs/design/api/notifications.md#s8-5.
 */
import { uuidv5 } from '../../../schemas/uuid.ts'
import { writeEffects } from '../../store/effects.ts'
import { hurryDeliveries, lockTelling, readTellingFacts, saveTelling } from '../../store/tellings.ts'
import { startIncidentChatOf } from '../../store/war-rooms.ts'
import { holdsNow } from '../holds-now.ts'
import { payloadText, type RunJob } from '../job.ts'
import { remindersAfter, whoHears } from '../who-hears.ts'

export const run: RunJob = async (tx, job, { codec }) => {
  const { tenant_id } = job
  const incident_id = payloadText(job, 'incident_id')
  // The second waits for the lock of the first.
  const [telling, facts] = await Promise.all([lockTelling(tx, tenant_id, incident_id), readTellingFacts(tx, tenant_id, incident_id)])
  if (!facts) return
  const { incident, changes, heard } = facts
  if (changes.length === 0 && !telling.held) return
  const now = Date.now()
  const holds = await holdsNow(tx, incident, now)
  const told = whoHears({ ...facts, telling, ruleChannels: incident.routing?.channel_ids ?? null, holds, now, uuidv5 })
  if (told.hurry && heard.length > 0) await hurryDeliveries(tx, tenant_id, incident_id)
  await Promise.all([
    writeEffects(tx, { intents: told.intents, feed: told.feed, jobs: remindersAfter(facts, told.telling, now) }, codec),
    saveTelling(tx, tenant_id, incident_id, told.telling),
    // Before the first telling nothing of it stands anywhere.
    telling.told_ver > 0 ? startIncidentChatOf(tx, incident) : null
  ])
}
