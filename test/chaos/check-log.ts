/**
 * Checks what the relay put on the log against the rows that it was made from: events, states,
 * versions, numbers.
 */
import { uuidv5 } from '../../schemas/uuid.ts'
import { differences, plain } from './check-replay.ts'
import type { Evidence } from './checks.ts'
import type { EventRow } from './rows.ts'

export function checkLog(evidence: Evidence): void {
  checkLifecycles(evidence)
  checkEvents(evidence)
  checkStates(evidence)
  const { rows, must } = evidence
  must(rows.deadLetters.length === 0, () => `${rows.deadLetters.length} dead letters, first ${rows.deadLetters[0]}`)
  must(rows.refusedByTheLog.length === 0, () => `${rows.refusedByTheLog.length} outgoing rows refused, first ${rows.refusedByTheLog[0]}`)
}

/** A key has at most one ongoing incident, the newest; versions and numbers have no gap. */
function checkLifecycles({ rows, count, must }: Evidence): void {
  let ongoing = 0
  for (const [key, incidents] of rows.byKey) {
    const open = incidents.filter(({ status }) => status === 'ongoing')
    ongoing += open.length
    must(open.length <= 1, () => `${key} has ${open.length} ongoing incidents`)
    const newest = incidents.at(-1)
    must(open.length === 0 || open[0] === newest, () => `${key}: an incident before the newest is ongoing`)
  }
  for (const [id, incident] of rows.incidents) {
    const versions = (rows.events.get(id) ?? []).map(({ ver }) => ver)
    must(
      versions.length === incident.ver && versions.every((ver, index) => ver === index + 1),
      () => `incident ${id} has version ${incident.ver} and events ${versions.join(', ')}`
    )
    const first = rows.events.get(id)?.[0]
    must(first?.change === 'created', () => `incident ${id} begins with ${first?.change}`)
  }
  const numbers = new Map<string, number[]>()
  for (const { tenant_id, number } of rows.incidents.values()) numbers.set(tenant_id, [...(numbers.get(tenant_id) ?? []), number])
  for (const [tenant_id, given] of numbers) {
    const gapless = given.sort((left, right) => left - right).every((number, index) => number === index + 1)
    must(
      gapless && rows.counters.get(tenant_id) === given.length,
      () => `workspace ${tenant_id}: ${given.length} incidents, counter ${rows.counters.get(tenant_id)}, numbers not 1 to that`
    )
  }
  count('incidents_ongoing', ongoing)
}

/**
 * The distinct events of the log equal the rows, every copy of an event is the same, and those of
 * each incident are in the order of ver.
 */
function checkEvents({ rows, events, count, must }: Evidence): void {
  const seen = new Map<string, EventRow & { text: string }>()
  const reached = new Map<string, number>()
  let repeats = 0
  for (const { record, event } of events) {
    const { event_id, incident_id, ver, change } = event
    const text = JSON.stringify(event)
    const before = seen.get(event_id)
    if (before) {
      repeats += 1
      must(before.text === text, () => `event ${event_id} is on the log in two forms`)
      continue
    }
    const { tenant_id, at, cause, comment, config_versions, alert_id } = plain(event)
    seen.set(event_id, { tenant_id, incident_id, ver, event_id, change, at, cause, comment, config_versions, alert_id, text })
    must(event_id === uuidv5(incident_id, String(ver)), () => `event ${event_id} does not have the id of ${incident_id} ${ver}`)
    must(
      ver === (reached.get(incident_id) ?? 0) + 1,
      () => `incident.events.v1: ${incident_id} goes from version ${reached.get(incident_id) ?? 0} to ${ver}`
    )
    reached.set(incident_id, ver)
    const { headers, key } = record
    must(
      key === incident_id &&
        headers.event_id === event_id &&
        headers.ver === String(ver) &&
        headers.event_type === `incident.${change}` &&
        headers.tenant_id === tenant_id,
      () => `event ${event_id}: key or headers do not say what the record says`
    )
  }
  let rowCount = 0
  for (const list of rows.events.values()) {
    for (const row of list) {
      rowCount += 1
      const found = seen.get(row.event_id)
      const { text: _, ...event } = found ?? { text: '' }
      const differ = differences(row, event)
      must(differ.length === 0, () =>
        found
          ? `event ${row.event_id} differs between row and log in ${differ.join(', ')}`
          : `event ${row.event_id} (${row.change} of ${row.incident_id}) is not on the log`
      )
    }
  }
  must(seen.size === rowCount, () => `${seen.size} distinct events on the log, ${rowCount} rows`)
  count('events_in_postgres', rowCount)
  count('events_on_the_log', seen.size)
  count('events_repeated_on_the_log', repeats)
}

/** The newest record of each key of incident.state.v1 is the row. */
function checkStates({ rows, states, count, must }: Evidence): void {
  const newest = new Map(states.map(({ record, incident }) => [record.key, incident]))
  for (const [id, row] of rows.incidents) {
    const found = newest.get(id)
    const differ = differences(row, found ?? {})
    must(differ.length === 0, () =>
      found ? `incident.state.v1 of ${id} differs from the row in ${differ.join(', ')}` : `incident.state.v1 has no record of ${id}`
    )
  }
  must(newest.size === rows.incidents.size, () => `${newest.size} keys on incident.state.v1, ${rows.incidents.size} incidents`)
  count('states_on_the_log', newest.size)
}
