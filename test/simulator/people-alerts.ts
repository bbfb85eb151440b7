/**
 * Applies commands to alerts with rows of their own, over the rows in memory: to one alert, or to
 * all of an incident. The real rules decide. What is read and written around them follows
 * services/store/alert-commands.ts and incident-commands.ts.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import type { JobChange } from '../../streams/define.ts'
import type { AlertCommand, AlertStep } from '../../streams/incident/alerts.ts'
import type { Saved } from '../../streams/incident/fold.ts'
import type { Command, IncidentContext, Step } from '../../streams/incident/rules.ts'
import type { Code } from './code.ts'
import { idOf } from './log.ts'
import type { Rows } from './rows.ts'

/** What a command changes in alerts. */
export interface AlertsStep extends Pick<Saved, 'signals' | 'alerts'> {
  events: AlertStep['events']
  jobs: JobChange[]
}

const nothing = (): AlertsStep => ({ signals: [], alerts: [], events: [], jobs: [] })

export class Members {
  readonly #code: Code
  readonly #rows: Rows
  readonly #reopen_after: number

  constructor(code: Code, rows: Rows, reopen_after: number) {
    this.#code = code
    this.#rows = rows
    this.#reopen_after = reopen_after
  }

  /** Returns the ongoing alerts of an incident, if they have rows of their own. */
  of({ incident_id, ongoing_alerts }: Incident): Alert[] {
    if (ongoing_alerts === null) return []
    const alerts = [...(this.#rows.members.get(incident_id) ?? [])].flatMap((id) => this.#rows.alerts.get(id) ?? [])
    return alerts.filter(({ status }) => status === 'ongoing').sort((one, other) => (one.dedup_key < other.dedup_key ? -1 : 1))
  }

  /** Applies a command on an incident to its alerts. */
  hear(members: readonly Alert[], command: Command, { incident, events }: Step, context: IncidentContext): AlertsStep {
    const all = nothing()
    const ended = events.find(this.#code.rules.endsIncident)
    const asked = askedOf(command, incident, ended?.comment ?? null, ended !== undefined)
    if (!asked) return all
    for (const alert of members) {
      const after = this.#code.alerts.reduceAlert(alert, asked, context)
      if (after.events.length > 0) all.alerts.push({ alert: after.alert, seen: alert.ver })
      all.events.push(...after.events)
      if (ended) this.#quieten(all, alert, command, context.now)
    }
    return all
  }

  #quieten(all: AlertsStep, alert: Alert, command: Command, ended_at: number | null): void {
    const row = this.#rows.signal(alert)
    const { suppressed_until, jobs } = this.#code.reopening.aftermath(row, command, ended_at, this.#reopen_after)
    if (suppressed_until !== row.suppressed_until) all.signals.push({ ...row, suppressed_until })
    all.jobs.push(...jobs)
  }

  /** Applies a command to one alert, as obeyAlert does. Returns false if nothing changed. */
  obey(
    alert: Alert,
    asked: Extract<AlertCommand, { command: 'resolve' | 'close' | 'acknowledge' }>,
    how: { until_recovered: boolean; unwatched: boolean },
    context: IncidentContext
  ): boolean {
    const { code, rows } = { code: this.#code, rows: this.#rows }
    const step = code.alerts.reduceAlert(alert, asked, context)
    if (step.events.length === 0) return false
    const ends = alert.status === 'ongoing' && step.alert.status !== 'ongoing'
    const all: AlertsStep = { ...nothing(), alerts: [{ alert: step.alert, seen: alert.ver }], events: step.events }
    const row = rows.signal(alert)
    const ending = { ...asked, until_recovered: how.until_recovered, ...(how.unwatched && { unwatched: true as const }) }
    const after = code.reopening.aftermath(row, ending, ends ? context.now : null, this.#reopen_after)
    if (after.suppressed_until !== row.suppressed_until) all.signals.push({ ...row, suppressed_until: after.suppressed_until })
    all.jobs.push(...after.jobs)
    const incident = alert.incident_id === null ? null : (rows.incidents.get(alert.incident_id) ?? null)
    const heard = asked.command === 'close' && !ends ? null : this.#heard(incident, asked, step.alert, context)
    this.save(incident, heard ?? { incident: null, events: [], jobs: [] }, all, {})
    return true
  }

  /** Applies a command on an alert to its incident. */
  #heard(
    incident: Incident | null,
    asked: Extract<AlertCommand, { command: 'resolve' | 'close' | 'acknowledge' }>,
    { alert_id, resolution_reason }: Alert,
    context: IncidentContext
  ): Step | null {
    const { rules, members } = this.#code
    if (incident?.status !== 'ongoing') return null
    if (asked.command === 'acknowledge') return incident.alert_count === 1 ? rules.reduceIncident(incident, asked, context) : null
    const reason = resolution_reason ?? 'user'
    const changed = { ...members.noChange(), ended: [alert_id], by: asked.by, reason, comment: asked.note, alert_id }
    return rules.reduceIncident(incident, changed, context)
  }

  /** Writes a step of an incident and of its alerts, as saveWith does. */
  save(before: Incident | null, step: Step, alerts: AlertsStep, more: Partial<Pick<Saved, 'signals' | 'counters' | 'holds'>>): void {
    const { code, rows } = { code: this.#code, rows: this.#rows }
    const told = code.outgoing.outgoingOf(step.events, idOf)
    const toldAlerts = code.outgoing.alertOutgoingOf(alerts.events, idOf)
    const isChanged = step.incident !== null && step.events.length > 0
    rows.save({
      signals: [...(more.signals ?? []), ...alerts.signals],
      incidents: isChanged && step.incident ? [{ incident: step.incident, seen: before?.ver ?? 0 }] : [],
      events: told.events,
      counters: more.counters ?? [],
      alerts: alerts.alerts,
      alertEvents: toldAlerts.events,
      holds: more.holds ?? []
    })
    rows.tell([...told.outgoing, ...toldAlerts.outgoing])
    rows.change([...step.jobs, ...alerts.jobs])
  }
}

function askedOf(command: Command, incident: Incident | null, note: string | null, ends: boolean): AlertCommand | null {
  if (ends && command.command === 'close') return command
  if (ends && incident) return { command: 'resolve', by: command.by, note, reason: incident.resolution_reason ?? 'user' }
  const moves = command.command === 'edit' && 'team_id' in command.edits
  return moves && incident ? { command: 'move', by: command.by, team_id: incident.team_id } : null
}
