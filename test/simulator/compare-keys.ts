/** Compares keys, alerts and incidents with the model: what must be equal after a transaction. */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { OUTAGE_KEY } from '../../streams/incident/outages.ts'
import { clock } from './compare.ts'
import { Difference } from './difference.ts'
import type { Episode, KeyFacts, Shared } from './model/incident.ts'
import { holding, type Silence } from './model/routing.ts'
import type { Mass } from './model/together.ts'
import type { Windows } from './model/windows.ts'
import type { Rows } from './rows.ts'
import { ruleIdOf, silenceIdOf, teamOf } from './rule-sets.ts'
import { windowIdOf } from './windows.ts'

/** What may hold an incident or alert from outside: the silences and windows of its workspace. */
export interface Holding {
  silences: readonly Silence[]
  windows: Windows
  /** Postgres's time. */
  at: number
}

/** How many windows are named at most. */
const MOST_WINDOWS = 20

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

/** What a row says. */
const stands = (rows: Rows, one: Incident | Alert): Standing => ({
  status: one.status,
  severity: one.severity,
  reopened_from: one.reopened_from === null ? null : (rows.incidents.get(one.reopened_from)?.number ?? 0),
  reason: one.resolution_reason,
  regions: one.affected_regions,
  team: one.team_id,
  muted: one.routing?.suppressed_by_rule_id ?? null
})

/** What the model expects. */
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

/** Returns the windows and the silences that hold an alert, if it goes on. */
const mutesOf = ({ severity, n, team, key }: Episode | Shared, tenant_id: string, { silences, windows, at }: Holding) => ({
  maintenance: windows.holding(tenant_id, key, at).map(({ id }) => `maintenance ${windowIdOf(id)}`),
  silences: holding(silences, { severity, n, team }, at).map((id) => `matcher_silence ${silenceIdOf(id)}`)
})

/** Whether an alert of a group goes on that no window and no silence holds. */
const hasUnmuted = ({ alerts, count }: Pick<Shared, 'alerts' | 'count'>, tenant_id: string, holding: Holding): boolean =>
  count > 1 &&
  alerts.some((alert) => {
    const { maintenance, silences } = mutesOf(alert, tenant_id, holding)
    return alert.ongoing && maintenance.length + silences.length === 0
  })

/** Returns what holds it, in order. `own`: the incident, if the subject is one. */
function holdsOf(one: Episode | Shared, own: Shared | null, tenant_id: string, holding: Holding): string {
  const { ongoing, muted } = one
  const mutes = ongoing && !(own && hasUnmuted(own, tenant_id, holding)) ? mutesOf(one, tenant_id, holding) : null
  const until = (kind: string, end: number | null): string[] => (ongoing && end !== null && end > holding.at ? [kind] : [])
  return [
    ...(mutes?.maintenance ?? []).slice(0, MOST_WINDOWS),
    ...until('silence', own?.silenced_until ?? null),
    ...(mutes?.silences ?? []).slice(0, 20),
    ...(ongoing && own?.waits ? ['dependency'] : []),
    ...(ongoing && own?.open === null && own.bundled ? ['mass_outage'] : []),
    ...until('storm', own?.storm_until ?? null),
    ...(muted === null ? [] : [`rule ${ruleIdOf(muted)}`]),
    ...(ongoing && own?.flapping ? ['flap'] : [])
  ].join(', ')
}

const named: ReadonlySet<string> = new Set(['maintenance', 'matcher_silence', 'rule'])

const heldText = (rows: Rows, subject: Incident | Alert, at: number): string =>
  rows
    .holds(subject, at)
    .map(({ kind, id }) => (named.has(kind) ? `${kind} ${id}` : kind))
    .join(', ')

function differ(rule: string, what: string, found: string, expected: string): void {
  if (found !== expected) throw new Difference(rule, `${what}: ${found || 'nothing'}\n    expected: ${expected || 'nothing'}`)
}

/**
 * Checks that the rows of an incident and of its alerts agree with the model and with each other.
 */
function compareIncident(
  rows: Rows,
  { tenant_id, dedup_key: key }: KeyFacts,
  incident: Incident | null,
  shared: Shared,
  holding: Holding
): void {
  const found = incident
    ? incidentText(incident.number, stands(rows, incident), [incident.alert_count, incident.ongoing_alerts], incident)
    : 'none'
  differ('incident', `the incident of ${key}`, found, incidentText(shared.number, must(shared), [shared.count, shared.open], shared))
  if (!incident) return
  differ('holds', `what holds INC-${incident.number}`, heldText(rows, incident, holding.at), holdsOf(shared, shared, tenant_id, holding))
  if (incident.ongoing_alerts === null) return
  const alerts = [...(rows.members.get(incident.incident_id) ?? [])].flatMap((id) => rows.alerts.get(id) ?? [])
  const ongoing = alerts.filter(({ status }) => status === 'ongoing').length
  if (alerts.length !== incident.alert_count || ongoing !== incident.ongoing_alerts || (ongoing === 0) !== (incident.status === 'resolved'))
    throw new Difference('members', `INC-${incident.number} counts ${found}, and has ${alerts.length} alerts, ${ongoing} ongoing`)
}

/**
 * Compares the rows of a key, with its newest alert and incident, after a transaction that touched
 * them. `holding` is that of its workspace.
 */
export function compareKey(rows: Rows, facts: KeyFacts, holding: Holding): void {
  const row = rows.signal(facts)
  const alert = rows.alertOf(row)
  const incident = rows.newest(row)
  const episode = facts.episodes.at(-1)
  const isOwn = episode?.incident?.open === null
  const wanted = !episode || isOwn ? 'no row' : `an alert of INC-${episode.incident?.number ?? 'none'}: ${words(must(episode))}`
  differ('alert', `${facts.dedup_key}, its alert`, alert ? alertText(rows, alert) : 'no row', wanted)
  if (alert && episode)
    differ(
      'holds',
      `what holds the alert of ${facts.dedup_key}`,
      heldText(rows, alert, holding.at),
      holdsOf(episode, null, facts.tenant_id, holding)
    )
  if (episode?.incident) compareIncident(rows, facts, incident, episode.incident, holding)
  else if (incident) throw new Difference('incident', `${facts.dedup_key} has INC-${incident.number}, expected none`)
  const standing = `${row.last_action}, quiet until ${clock(row.suppressed_until)}, heard ${row.occurrences}`
  differ('signal', facts.dedup_key, standing, `${facts.last}, quiet until ${clock(facts.quiet_until)}, heard ${facts.heard}`)
}

/**
 * Returns how many monitors have been part of a mass outage, and how many are still down, as its
 * title and summary say.
 */
function outageCounts({ title, summary }: Incident): string {
  const [count = ''] = /\d+/.exec(title) ?? []
  const [, left = count] = /(\d+) of them are still down\./.exec(summary ?? '') ?? []
  return `${summary?.endsWith('All are up again.') ? 0 : left} of ${count} down`
}

const inside = (regions: Iterable<string>): string => `, in ${[...regions].sort().join(' ')}`

/** Compares the mass outage of a workspace with the model's. */
export function compareMass(rows: Rows, tenant_id: string, mass: Mass | null): void {
  const incident = rows.newest(rows.signal({ tenant_id, dedup_key: OUTAGE_KEY }))
  const found = incident
    ? `INC-${incident.number}, ${incident.status}, ${incident.resolution_reason}, ${outageCounts(incident)}${inside(incident.affected_regions)}`
    : 'none'
  const standing = (one: Mass): string => `INC-${one.number}, ${one.ongoing ? 'ongoing' : 'resolved'}, ${one.reason}`
  const wanted = mass ? `${standing(mass)}, ${mass.failing.size} of ${mass.count} down${inside(mass.regions)}` : 'none'
  differ('mass outage', 'the mass outage', found, wanted)
}
