/** Puts the alerts of an incident into words. Pure. */
import type { Incident } from '../../api/shapes.ts'
import { incidentsText } from '../../texts/incidents.ts'

export const alertsInWords = (count: number): string =>
  count === 1 ? incidentsText('members.one') : incidentsText('members.some', { count })

/**
 * `12 alerts, 3 ongoing`. Null when the incident has at most one alert, which then has the same
 * state as the incident.
 */
export function membersInWords({ alert_count, ongoing_alerts, status }: Pick<Incident, 'alert_count' | 'ongoing_alerts' | 'status'>) {
  if (alert_count < 2) return null
  const alerts = alertsInWords(alert_count)
  return status === 'resolved' ? alerts : incidentsText('members.counted', { alerts, ongoing: ongoing_alerts })
}

const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

/** `3 alerts joined, 1 ended; the severity rose to critical`. */
export function changeOfMembers(data: Readonly<Record<string, unknown>>): string {
  const [joined, ended] = [countOf(data.joined), countOf(data.ended)]
  const came = joined === 1 ? incidentsText('timeline.joined_one') : incidentsText('timeline.joined', { count: joined })
  const went = ended === 1 ? incidentsText('timeline.ended_one') : incidentsText('timeline.ended', { count: ended })
  const both = `${came}, ${incidentsText('timeline.also_ended', { count: ended })}`
  const nothing = incidentsText('timeline.alerts_changed')
  const what = joined > 0 && ended > 0 ? both : joined > 0 ? came : ended > 0 ? went : nothing
  return typeof data.severity === 'string' ? incidentsText('timeline.worse', { what, severity: data.severity }) : what
}
