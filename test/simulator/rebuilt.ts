/**
 * Rebuilds every incident and alert from the causes that its events store, without any rules. The
 * events and the row must be the same.
 */
import type { Code } from './code.ts'
import { Difference } from './difference.ts'
import { idOf } from './log.ts'
import type { Service } from './service.ts'

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export function checkRebuilt({ rows }: Service, code: Code): void {
  for (const [id, events] of rows.events) {
    const incident = rows.incidents.get(id)
    const isIncident = incident !== undefined && events.some((event) => 'incident' in event)
    const again = isIncident
      ? code.replay.replayIncident(events, incident.number, idOf)
      : code.replay.replayAlert(events, { opened_in: null, was: null }, idOf)
    const what = isIncident ? `INC-${incident.number}` : `the alert ${id}`
    if (again.fault) throw new Difference('rebuilt', `${what}: ${again.fault}`)
    const nth = events.findIndex((event, at) => !same(event, again.events[at]))
    if (nth >= 0) throw new Difference('rebuilt', `${what}: version ${nth + 1} does not follow from its stored cause`)
  }
}
