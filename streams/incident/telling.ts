/**
 * Selects the changes of an incident that people may have to be notified of. Each batch starts one
 * job per incident (services/notifier/jobs/incident-notify.ts), which notifies of everything new,
 * in order.
 * Source: docs/design/api/notifications.md#s8-5, docs/design/api/decision-rules.md#s23-12.
 */
import type { JobChange } from '../define.ts'
import { type Event, endsIncident } from './rules.ts'

/**
 * A change of a monitor's incident counts because a degraded monitor may be down now. Other updates
 * change words only.
 */
function isTold(event: Pick<Event, 'change' | 'incident'>): boolean {
  switch (event.change) {
    case 'created':
    case 'acknowledged':
    case 'unacknowledged': // It may have got worse meanwhile.
    case 'assigned':
    case 'unsilenced':
      return true
    case 'updated':
    case 'alerts_changed':
      return event.incident.source_kind === 'monitor' && event.incident.status === 'ongoing'
    default:
      return endsIncident(event)
  }
}

/** Returns one job per incident, for its last change that people may be notified of. */
export function tellingJobs(
  events: readonly Pick<Event, 'tenant_id' | 'incident_id' | 'ver' | 'at' | 'change' | 'incident'>[]
): JobChange[] {
  const last = new Map<string, (typeof events)[number]>()
  for (const event of events) if (isTold(event)) last.set(event.incident_id, event)
  return [...last.values()].map((event) => jobOf(event, String(event.ver), event.at))
}

/**
 * Returns the job that tells of an incident that nothing holds any more, from `at` (epoch ms) on.
 * Its key is its own: the job of the same version may be running, and have read that something
 * holds the incident.
 */
export const releaseJobOf = (incident: Pick<Event, 'tenant_id' | 'incident_id' | 'ver'>, at: number): JobChange =>
  jobOf(incident, `${incident.ver}:${at}`, at)

const jobOf = ({ tenant_id, incident_id }: Pick<Event, 'tenant_id' | 'incident_id'>, what: string, at: number): JobChange => ({
  start: 'incident_notify',
  idem_key: `notify:${incident_id}:${what}`,
  tenant_id,
  run_at: at,
  at_once: true,
  payload: { incident_id }
})
