/**
 * Reminds people of an incident that a monitor opened, as long as it is ongoing and not
 * acknowledged. Reminders go to channels that were told of the failure and whose messages are plain
 * notes; kinds that keep an alert or a ticket remind by themselves. They begin once the failure was
 * told (incident-notify.ts), with the monitor's setting at that time.
 * Source: docs/design/api/monitors.md#reminders.
 */
import { uuidv5 } from '../../../schemas/uuid.ts'
import { reminderSaid, reminding } from '../../../streams/reach/reminders.ts'
import { channels as kinds } from '../../channels/kinds/index.ts'
import { writeEffects } from '../../store/effects.ts'
import { lockTellings, readTellingFacts, type TellingChannel } from '../../store/tellings.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { holdsNow } from '../holds-now.ts'
import { payloadNumber, payloadText, type RunJob } from '../job.ts'
import { reminderIntents } from '../who-hears.ts'

const families = new Set(['chat', 'email', 'push'])
/** Channel kinds whose messages are only read: they keep no alert or ticket open. */
const notes = new Set<string>(Object.values(kinds).flatMap(({ kind, family }) => (families.has(family) ? [kind] : [])))

export const run: RunJob = async (tx, job, { codec }) => {
  const { tenant_id } = job
  const incident_id = payloadText(job, 'incident_id')
  const every_seconds = payloadNumber(job, 'every_seconds')
  const nth = payloadNumber(job, 'nth')
  // Under this lock, telling and reminding run one after the other.
  const own = [{ tenant_id, incident_id }]
  await lockTellings(tx, own)
  const [[facts], workspace] = await Promise.all([readTellingFacts(tx, own), readWorkspace(tx, tenant_id)])
  if (!facts || !workspace) return
  const { incident, now } = facts
  const holds = await holdsNow(tx, incident, now)
  const { told, again } = reminding({ incident, holds, every_ms: every_seconds * 1000, now })
  if (again === null) return
  if (told) {
    const { name, slug } = workspace
    const said = { ...reminderSaid(incident, { now, again }), path: `/incidents/${incident_id}`, workspace: { name, slug } }
    const routed = incident.routing?.channel_ids ?? []
    // Channels that only an escalation policy named hear the steps of the policy again.
    const isChosen = ({ is_default, channel_id }: TellingChannel): boolean => is_default || routed.includes(channel_id)
    const channels = facts.channels.filter((one) => notes.has(one.kind) && isChosen(one))
    const intents = reminderIntents({ ...facts, channels, uuidv5 }, said, { nth, expires_at: again })
    await writeEffects(tx, { intents }, codec)
  }
  return { at: again, payload: { incident_id, every_seconds, nth: nth + 1 } }
}
