/**
 * Tells what is new about incidents. Jobs of one incident may run in any order, at once or
 * together: the first one tells everything there is, the others find nothing left. A job without a
 * change of the incident (a hold has ended) looks again at what was held. Hundreds of jobs a second
 * may be due, so the jobs of one look are one piece of work: a dozen incidents take as many
 * statements as one.
 * Source: docs/design/api/notifications.md#s8-5,
 * docs/decisions/0084-jobs-of-one-look-are-one-piece-of-work.md.
 */
import { uuidv5 } from '../../../schemas/uuid.ts'
import { joinEffects } from '../../../streams/runtime/effects.ts'
import { channels as kinds } from '../../channels/kinds/index.ts'
import { writeEffects } from '../../store/effects.ts'
import { hurryDeliveries, lockTellings, readTellingFacts, saveTellings, type TellingFacts } from '../../store/tellings.ts'
import { startIncidentChatsOf } from '../../store/war-rooms.ts'
import { holdsOfEach } from '../holds-now.ts'
import { payloadText, type SharedRun } from '../job.ts'
import { isWorse, remindersAfter, whoHears } from '../who-hears.ts'

const families = new Set(['paging', 'ticketing', 'topic', 'webhook'])
/** Kinds whose other side keeps an alert or a ticket open, by the key of the incident. */
const keepers = new Set<string>(Object.values(kinds).flatMap(({ kind, family }) => (families.has(family) ? [kind] : [])))

export const run: SharedRun = {
  lock: ({ payload: { incident_id } }) => (typeof incident_id === 'string' ? incident_id : null),

  async together(tx, jobs, { codec }) {
    const named = jobs.map((job) => ({ tenant_id: job.tenant_id, incident_id: payloadText(job, 'incident_id') }))
    const keys = [...new Map(named.map((key) => [key.incident_id, key])).values()]
    // A second job for the same incident waits here for the locks of the first.
    const [tellings, found] = await Promise.all([lockTellings(tx, keys), readTellingFacts(tx, keys)])
    const open = found.flatMap((facts) => {
      const telling = tellings.get(facts.incident.incident_id)
      const isNews = telling && (facts.changes.length > 0 || telling.held || isWorse({ ...facts, telling }))
      return isNews ? [{ facts, telling }] : []
    })
    const [first] = open
    if (!first) return
    const { now } = first.facts
    const incidentOf = ({ facts }: { facts: TellingFacts }) => facts.incident
    // The end of what was decided before is told whatever holds it.
    const undecided = open.filter(({ facts: { incident }, telling }) => incident.status === 'ongoing' || telling.failing === null)
    const holds = await holdsOfEach(tx, undecided.map(incidentOf), now)
    const told = open.map(({ facts, telling }) => {
      const { incident } = facts
      const ruleChannels = incident.routing?.channel_ids ?? null
      const own = holds.get(incident.incident_id) ?? []
      const heard = whoHears({ ...facts, telling, ruleChannels, holds: own, keepers, uuidv5 })
      return { ...heard, facts, before: telling }
    })
    await hurryDeliveries(tx, told.filter(({ hurry, facts }) => hurry && facts.heard.length > 0).map(incidentOf))
    const effects = told.map(({ intents, feed, facts, telling }) => ({ intents, feed, jobs: remindersAfter(facts, telling) }))
    await Promise.all([
      writeEffects(tx, joinEffects(effects), codec),
      saveTellings(
        tx,
        told.map(({ facts: { incident }, telling }) => ({ tenant_id: incident.tenant_id, incident_id: incident.incident_id, ...telling }))
      ),
      // Before the first telling, no chat shows the incident.
      startIncidentChatsOf(tx, told.filter(({ before }) => before.told_ver > 0).map(incidentOf))
    ])
  }
}
