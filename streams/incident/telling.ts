/**
 * Which changes of an incident people may have to be told of: each batch starts one job for an
 * incident (services/notifier/jobs/incident-notify.ts), which tells of all that is new, in order.
 * Source: docs/design/api/notifications.md#s8-5, docs/design/api/decision-rules.md#s23-12.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { JobChange } from '../define.ts'
import { type Event, endsIncident } from './rules.ts'

/** As signals.ts writes its title. */
export const isDegraded = ({ source_kind, title, original_title }: Pick<Incident, 'source_kind' | 'title' | 'original_title'>): boolean =>
  source_kind === 'monitor' && (original_title ?? title).endsWith(' is degraded')

/** An update is told of where a degraded monitor is down now: another update changes words only. */
function isTold(event: Pick<Event, 'change' | 'incident'>): boolean {
  switch (event.change) {
    case 'created':
    case 'acknowledged':
    case 'assigned':
    case 'unsilenced':
      return true
    case 'updated':
      return event.incident.source_kind === 'monitor' && event.incident.status === 'ongoing'
    default:
      return endsIncident(event)
  }
}

/** One for each incident, by its last change that is told of. */
export function tellingJobs(
  events: readonly Pick<Event, 'tenant_id' | 'incident_id' | 'ver' | 'at' | 'change' | 'incident'>[]
): JobChange[] {
  const last = new Map<string, (typeof events)[number]>()
  for (const event of events) if (isTold(event)) last.set(event.incident_id, event)
  return [...last.values()].map(({ at, ...event }) => tellingJobOf(event, at))
}

/** Of an incident as of this version, at `at` (epoch ms). */
export const tellingJobOf = ({ tenant_id, incident_id, ver }: Pick<Event, 'tenant_id' | 'incident_id' | 'ver'>, at: number): JobChange => ({
  start: 'incident_notify',
  idem_key: `notify:${incident_id}:${ver}`,
  tenant_id,
  run_at: at,
  payload: { incident_id }
})
