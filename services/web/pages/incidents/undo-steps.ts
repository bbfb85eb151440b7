/**
 * The steps that undo a recent action on incidents: acknowledging, silencing, assigning, editing.
 * Resolving and closing ask for confirmation first and cannot be undone. Pure.
 */
import type { BulkAction, Incident, IncidentChange } from '../../api/shapes.ts'

/** An action that was done, with the incidents as they were before it. */
export type Done =
  | { action: 'acknowledge' | 'silence' | 'assign' | 'take'; before: readonly Incident[] }
  | { action: 'edit'; before: readonly [Incident]; sent: IncidentChange }

export type Step = { bulk: BulkAction } | { edit: IncidentChange; id: string }

const idsOf = (incidents: readonly Incident[]): string[] => incidents.map(({ id }) => id)

/**
 * Unacknowledges only the incidents that were waiting before. The others keep their state: whoever
 * had acknowledged one earlier still has it.
 */
function handBack(before: readonly Incident[]): Step[] {
  const ids = idsOf(before.filter(({ dashboard_state }) => dashboard_state === 'Triggered'))
  return ids.length === 0 ? [] : [{ bulk: { ids, action: 'unacknowledge' } }]
}

/** Assigns the incidents back to their previous assignees, one step for each assignee. */
function assignBack(before: readonly Incident[]): Step[] {
  const assignees = [...new Set(before.map(({ assignee_id }) => assignee_id))]
  return assignees.map((user_id) => ({
    bulk: { ids: idsOf(before.filter(({ assignee_id }) => assignee_id === user_id)), action: 'assign', user_id }
  }))
}

const MINUTE_MS = 60_000

/** Ends the new silences. A silence that was replaced is set again for the rest of its time. */
function silenceBack(before: readonly Incident[], now: number): Step[] {
  const leftOf = ({ silenced_until }: Incident): number =>
    silenced_until === null ? 0 : Math.max(0, Math.ceil((Date.parse(silenced_until) - now) / MINUTE_MS))
  const loud = before.filter((incident) => leftOf(incident) === 0)
  const quiet = before.filter((incident) => leftOf(incident) > 0)
  return [
    ...(loud.length === 0 ? [] : [{ bulk: { ids: idsOf(loud), action: 'unsilence' } } as const]),
    ...quiet.map((incident): Step => ({ bulk: { ids: [incident.id], action: 'silence', duration_minutes: leftOf(incident) } }))
  ]
}

/** Returns the old values of the fields that were sent. */
const editBack = (before: Incident, sent: IncidentChange): IncidentChange =>
  Object.fromEntries(Object.keys(sent).map((field) => [field, Reflect.get(before, field)]))

/**
 * Returns the steps in the order in which they must run. An empty list means that there is nothing
 * to undo.
 */
export function undoSteps(done: Done, now: number): Step[] {
  switch (done.action) {
    case 'acknowledge':
      return handBack(done.before)
    case 'assign':
      return assignBack(done.before)
    case 'take':
      return [...assignBack(done.before), ...handBack(done.before)]
    case 'silence':
      return silenceBack(done.before, now)
    case 'edit': {
      const [before] = done.before
      const edit = editBack(before, done.sent)
      return Object.keys(edit).length === 0 ? [] : [{ edit, id: before.id }]
    }
  }
}
