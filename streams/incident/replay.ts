/**
 * Rebuilds incidents and alerts from the causes stored with their events, version by version. It
 * reads no rule set, silence, row or log: the stored cause has everything that a decision read.
 *
 * In       the stored changes of one incident or alert, in order of `ver`
 * Out      the events as the current rules make them, and the first change that does not follow
 * Source   docs/design/api/data.md#s17-2, docs/design/architecture.md#s6
 */
import type { Alert, AlertEvent, Incident, IncidentEvent } from '../../schemas/generated/events.ts'
import type { Cause, Context } from '../define.ts'
import { type AlertCommand, type AlertReopening, type AlertStep, openAlert, ownAlert, reduceAlert, reopenAlert } from './alerts.ts'
import type { Members } from './members.ts'
import { alertOutgoingOf, outgoingOf, type Uuidv5 } from './outgoing.ts'
import { type Command, reduceIncident, type Signal } from './rules.ts'

/** What is stored with a change, besides the incident or alert after it. */
export interface StoredChange {
  ver: number
  /** Epoch ms. */
  at: number
  cause: Cause
  config_versions: Record<string, number>
}

export interface Replayed<Event> {
  events: Event[]
  /** Why the replay ended before the last change; null: every change followed. */
  fault: string | null
}

const contextOf = ({ at, cause, config_versions }: StoredChange, uuidv5: Uuidv5): Context => ({
  now: at,
  cause: { ...cause, input: null },
  versions: config_versions,
  id: (purpose) => uuidv5(cause.event_id ?? '', purpose)
})

/** Returns the stored input; null: this code cannot read its version. */
function inputOf<T extends object>({ cause }: StoredChange): T | null {
  if (cause.input === null) return null
  try {
    const input: unknown = JSON.parse(cause.input)
    return typeof input === 'object' && input !== null ? (input as T) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * `step` makes the events of one change; it must make exactly one. `first`: `ver` of the first
 * change.
 */
function replay<Event, Input extends object>(
  changes: readonly StoredChange[],
  first: number,
  uuidv5: Uuidv5,
  step: (input: Input, context: Context) => readonly Event[]
): Replayed<Event> {
  const events: Event[] = []
  for (const [index, change] of changes.entries()) {
    const stop = (why: string): Replayed<Event> => ({ events, fault: `version ${first + index} ${why}` })
    if (change.ver !== first + index) return stop('is missing')
    const input = inputOf<Input>(change)
    if (!input) return stop('has no stored cause')
    const [event, ...further] = step(input, contextOf(change, uuidv5))
    if (!event || further.length > 0) return stop('does not follow from its stored cause')
    events.push(event)
  }
  return { events, fault: null }
}

/** `number`: the incident's number, which the counter of the workspace gave it. */
export function replayIncident(changes: readonly StoredChange[], number: number, uuidv5: Uuidv5): Replayed<IncidentEvent> {
  let incident: Incident | null = null
  return replay(changes, 1, uuidv5, (input: Signal | Command | Members, context) => {
    const step = reduceIncident(incident, input, { ...context, number })
    incident = step.incident
    return outgoingOf(step.events, uuidv5).events
  })
}

/** How an alert with a row of its own began. */
export interface Beginning {
  /** The incident in which it opened, for older versions that did not store it with the signal. */
  opened_in: string | null
  /**
   * The incident with the same id that the alert was before a merge, as it stood then; null: the
   * alert had its own row from its opening.
   */
  was: Incident | null
}

export function replayAlert(changes: readonly StoredChange[], { opened_in, was }: Beginning, uuidv5: Uuidv5): Replayed<AlertEvent> {
  let alert: Alert | null = null
  const stepOf = (input: Signal | AlertCommand | AlertReopening, context: Context): AlertStep | null => {
    if ('command' in input && input.command === 'reopen') return alert ? null : reopenAlert(input, context)
    if (alert) return reduceAlert(alert, input, context)
    if ('command' in input) return was && input.command === 'join' ? ownAlert(was, input, context) : null
    const { joins, ...signal } = input
    return joins === undefined ? replacingInput(openAlert(signal, opened_in, context), input) : openAlert(signal, joins, context)
  }
  return replay(changes, (was?.ver ?? 0) + 1, uuidv5, (input: Signal | AlertCommand | AlertReopening, context) => {
    const step = stepOf(input, context)
    if (!step) return []
    alert = step.alert
    return alertOutgoingOf(step.events, uuidv5).events
  })
}

/**
 * Returns the incident that an alert was before a merge gave it a row of its own. `ver` of the
 * row's first change follows that of the incident.
 */
export const wasBefore = (
  events: readonly Pick<IncidentEvent, 'ver' | 'incident'>[],
  first: Pick<StoredChange, 'ver'> | undefined
): Incident | null => (first && first.ver > 1 ? events.find(({ ver }) => ver === first.ver - 1)?.incident : null) ?? null

/** Puts the input into the events as it was stored. */
const replacingInput = ({ alert, events }: AlertStep, input: Signal): AlertStep => ({
  alert,
  events: events.map((event) => ({ ...event, cause: { ...event.cause, input: JSON.stringify(input) } }))
})
