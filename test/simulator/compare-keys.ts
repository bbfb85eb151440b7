/** Keys, alerts and incidents beside the model: what must be equal after a transaction. */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { OUTAGE_KEY } from '../../streams/incident/outages.ts'
import { clock } from './compare.ts'
import { Difference } from './difference.ts'
import type { Episode, KeyFacts, Shared } from './model/incident.ts'
import { holding, type Silence } from './model/routing.ts'
import type { Mass } from './model/together.ts'
import type { Rows } from './rows.ts'
import { ruleIdOf, silenceIdOf, teamOf } from './rule-sets.ts'

interface Standing {
  status: string
  severity: string
  reopened_from: number | null
  reason: string | null
  regions: readonly string[]
  team: string | null
  muted: string | null
}

const words = ({ status, severity, reopened_from, reason, regions, team, muted }: Standing): string =>
  `${status}, ${severity}, of ${reopened_from}, ${reason}, in ${regions.join(' ')}, team ${team}, muted by ${muted}`

/** Of a row. */
const stands = (rows: Rows, one: Incident | Alert): Standing => ({
  status: one.status,
  severity: one.severity,
  reopened_from: one.reopened_from === null ? null : (rows.incidents.get(one.reopened_from)?.number ?? 0),
  reason: one.resolution_reason,
  regions: one.affected_regions,
  team: one.team_id,
  muted: one.routing?.suppressed_by_rule_id ?? null
})

/** Of the model. */
const must = ({ ongoing, severity, reopened_from, reason, regions, team, muted }: Episode | Shared): Standing => ({
  status: ongoing ? 'ongoing' : 'resolved',
  severity,
  reopened_from,
  reason,
  regions,
  team: teamOf(team),
  muted: muted === null ? null : ruleIdOf(muted)
})

function alertText(rows: Rows, alert: Alert): string {
  const { incident_id } = alert
  const incident = incident_id === null ? undefined : rows.incidents.get(incident_id)
  return `an alert of INC-${incident?.number ?? 'none'}: ${words(stands(rows, alert))}`
}

const incidentText = (
  number: number,
  standing: Standing,
  [count, open]: [count: number, open: number | null],
  { storm_until, flapping }: { storm_until: number | null; flapping: boolean }
): string => {
  const alerts = open === null ? 'its own alert' : `${count} alerts, ${open} ongoing`
  return `INC-${number}, ${alerts}: ${words(standing)}, storm until ${clock(storm_until)}, flapping ${flapping}`
}

/** What holds it, in order. `own`: the incident, of what is one. */
function holdsOf(
  { ongoing, severity, n, team, muted }: Episode | Shared,
  own: Pick<Shared, 'silenced_until' | 'storm_until' | 'flapping' | 'waits' | 'bundled' | 'open'> | null,
  silences: readonly Silence[],
  at: number
): string {
  const held = ongoing ? holding(silences, { severity, n, team }, at).map((id) => `matcher_silence ${silenceIdOf(id)}`) : []
  const until = (kind: string, end: number | null): string[] => (ongoing && end !== null && end > at ? [kind] : [])
  return [
    ...until('silence', own?.silenced_until ?? null),
    ...held.slice(0, 20),
    ...(ongoing && own?.open === null && own.waits ? ['dependency'] : []),
    ...(ongoing && own?.open === null && own.bundled ? ['mass_outage'] : []),
    ...until('storm', own?.storm_until ?? null),
    ...(muted === null ? [] : [`rule ${ruleIdOf(muted)}`]),
    ...(ongoing && own?.flapping ? ['flap'] : [])
  ].join(', ')
}

const heldText = (rows: Rows, subject: Incident | Alert, at: number): string =>
  rows
    .holds(subject, at)
    .map(({ kind, id }) => (kind === 'matcher_silence' || kind === 'rule' ? `${kind} ${id}` : kind))
    .join(', ')

function differ(rule: string, what: string, found: string, expected: string): void {
  if (found !== expected) throw new Difference(rule, `${what}: ${found || 'nothing'}\n    expected: ${expected || 'nothing'}`)
}

/** An incident and its alerts: the rows agree with the model, and with each other. */
function compareIncident(
  rows: Rows,
  key: string,
  incident: Incident | null,
  shared: Shared,
  silences: readonly Silence[],
  at: number
): void {
  const found = incident
    ? incidentText(incident.number, stands(rows, incident), [incident.alert_count, incident.ongoing_alerts], incident)
    : 'none'
  differ('incident', `the incident of ${key}`, found, incidentText(shared.number, must(shared), [shared.count, shared.open], shared))
  if (!incident) return
  differ('holds', `what holds INC-${incident.number}`, heldText(rows, incident, at), holdsOf(shared, shared, silences, at))
  if (incident.ongoing_alerts === null) return
  const alerts = [...(rows.members.get(incident.incident_id) ?? [])].flatMap((id) => rows.alerts.get(id) ?? [])
  const ongoing = alerts.filter(({ status }) => status === 'ongoing').length
  if (alerts.length !== incident.alert_count || ongoing !== incident.ongoing_alerts || (ongoing === 0) !== (incident.status === 'resolved'))
    throw new Difference('members', `INC-${incident.number} counts ${found}, and has ${alerts.length} alerts, ${ongoing} ongoing`)
}

/**
 * The rows of a key with its newest alert and incident, after a transaction that touched them.
 * `silences`: of its workspace; `at`: Postgres's time.
 */
export function compareKey(rows: Rows, facts: KeyFacts, silences: readonly Silence[], at: number): void {
  const row = rows.signal(facts)
  const alert = rows.alertOf(row)
  const incident = rows.newest(row)
  const episode = facts.episodes.at(-1)
  const isOwn = episode?.incident?.open === null
  const wanted = !episode || isOwn ? 'no row' : `an alert of INC-${episode.incident?.number ?? 'none'}: ${words(must(episode))}`
  differ('alert', `${facts.dedup_key}, its alert`, alert ? alertText(rows, alert) : 'no row', wanted)
  if (alert && episode)
    differ('holds', `what holds the alert of ${facts.dedup_key}`, heldText(rows, alert, at), holdsOf(episode, null, silences, at))
  if (episode?.incident) compareIncident(rows, facts.dedup_key, incident, episode.incident, silences, at)
  else if (incident) throw new Difference('incident', `${facts.dedup_key} has INC-${incident.number}, expected none`)
  const standing = `${row.last_action}, quiet until ${clock(row.suppressed_until)}, heard ${row.occurrences}`
  differ('signal', facts.dedup_key, standing, `${facts.last}, quiet until ${clock(facts.quiet_until)}, heard ${facts.heard}`)
}

/** The mass outage of a workspace, beside the model's. */
export function compareMass(rows: Rows, tenant_id: string, mass: Mass | null): void {
  const incident = rows.newest(rows.signal({ tenant_id, dedup_key: OUTAGE_KEY }))
  const found = incident ? `INC-${incident.number}, ${incident.status}, ${incident.resolution_reason}` : 'none'
  const wanted = mass ? `INC-${mass.number}, ${mass.ongoing ? 'ongoing' : 'resolved'}, ${mass.reason}` : 'none'
  differ('mass outage', 'the mass outage', found, wanted)
}
