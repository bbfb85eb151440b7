/**
 * Checks the rows of Postgres against two replays of the rules: one over alerts.inbound.v1 from an
 * empty state with the routing rules of the run, and one over each incident's and alert's events
 * from their stored causes, without any routing rules.
 *
 * Ids follow from their causes, so the first replay must find the very same incidents. It leaves
 * out what it cannot know: numbers and storms (they depend on how partitions interleaved) and the
 * effects of commands. When a person ended or declared an incident, only the second replay checks
 * its key. Which alert opened a group also depends on how partitions interleaved: the first replay
 * knows the alerts of a group, but not the incident.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Alert, AlertEvent, Incident, IncidentEvent } from '../../schemas/generated/events.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Input } from '../../streams/define.ts'
import { groupsOf, incidentFold, nameOf } from '../../streams/incident/fold.ts'
import { type Replayed, replayAlert, replayIncident, wasBefore } from '../../streams/incident/replay.ts'
import { keyOf, type SignalRow } from '../../streams/incident/signals.ts'
import { row } from '../streams/incident/build.ts'
import type { Evidence } from './checks.ts'

/** The value without classes and prototypes, so that only its data is compared. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** Names of the fields that differ. */
export const differences = (left: object, right: object): string[] => {
  const [one, other] = [plain(left), plain(right)] as [Record<string, unknown>, Record<string, unknown>]
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => !isDeepStrictEqual(one[name], other[name]))
}

export function checkReplay(evidence: Evidence): void {
  replayTheLog(evidence)
  replayTheCauses(evidence)
}

/** Keys of groups never come from a sender. */
const isGroup = ({ dedup_key }: { dedup_key: string }): boolean => dedup_key.startsWith('grp:')

function replayTheLog(evidence: Evidence): void {
  const { rows, inbound, rules, count, must } = evidence
  const inputs = inbound.map(({ record, alert }): Input => {
    const { topic, partition, offset, timestamp, key } = record
    return { record: 'InboundAlert', value: alert, topic, partition, offset, timestamp, key }
  })
  const signals = new Map<string, SignalRow>()
  const counters = new Map<string, number>()
  const stored = new Map<string, number>()
  for (const input of inputs) {
    const key = keyOf(input)
    if (!key) continue
    const name = nameOf(key)
    stored.set(name, (stored.get(name) ?? 0) + 1)
    signals.set(name, row(key))
    counters.set(key.tenant_id, 0)
  }
  for (const key of groupsOf(inputs, rules, uuidv5)) signals.set(nameOf(key), row(key))
  const { saved, refused } = incidentFold(uuidv5)(
    {
      signals,
      incidents: new Map(),
      counters,
      traffic: new Map(),
      rules,
      policies: new Map(),
      windows: new Map(),
      depends: new Map(),
      parents: new Set<string>(),
      outages: new Map(),
      alerts: new Map(),
      members: new Map()
    },
    inputs
  )
  must(refused.length === 0, () => `the rules refuse ${refused.length} records of the log: ${refused[0]?.reason}`)

  let occurrences = 0
  for (const row of saved.signals) {
    if (isGroup(row)) continue
    const found = rows.signals.get(nameOf(row))
    occurrences += found?.occurrences ?? 0
    must(
      found?.occurrences === stored.get(nameOf(row)),
      () => `${nameOf(row)}: ${stored.get(nameOf(row))} alerts on the log, ${found?.occurrences} applied or recorded`
    )
  }
  const strange = [...rows.signals]
    .filter(([name, { dedup_key }]) => !stored.has(name) && !dedup_key.startsWith('man:') && !isGroup({ dedup_key }))
    .map(([name]) => name)
  must(strange.length === 0, () => `${strange.length} keys in Postgres have no alert on the log, first ${strange[0]}`)

  const commandedKeys = new Set([...rows.commanded].map((id) => rows.incidents.get(id)?.dedup_key))
  const expected = new Map<string, Incident>()
  for (const { incident } of saved.incidents)
    if (!isGroup(incident) && !commandedKeys.has(incident.dedup_key)) expected.set(incident.incident_id, incident)
  for (const row of saved.signals) {
    if (isGroup(row) || commandedKeys.has(row.dedup_key)) continue
    const found = rows.signals.get(nameOf(row))
    const differ = differences(row, found ?? {}).filter((name) => name !== 'incident_id' || row.alert_id === null)
    must(differ.length === 0, () => `signals row of ${nameOf(row)} differs from the log's replay in ${differ.join(', ')}`)
  }
  for (const [id, incident] of expected) {
    const found = rows.incidents.get(id)
    const unknowable = new Set([
      'number',
      'storm_until',
      ...(rows.acknowledged.has(id) ? ['ver', 'acknowledged_at', 'acknowledged_by', 'assignee_id', 'updated_at'] : [])
    ])
    const differ = differences(incident, found ?? {}).filter((name) => !unknowable.has(name))
    must(differ.length === 0, () =>
      found ? `incident ${id} differs from the log's replay in ${differ.join(', ')}` : `incident ${id} of the log's replay is not there`
    )
  }
  for (const [id, incident] of rows.incidents) {
    must(
      isGroup(incident) || expected.has(id) || commandedKeys.has(incident.dedup_key),
      () => `incident ${id} is there, and the log's replay opens none such`
    )
  }
  sameAlerts(evidence, new Map(saved.alerts.map(({ alert }) => [alert.alert_id, alert])))
  count('signals_counted_in_postgres', occurrences)
  count('incidents', rows.incidents.size)
  count('incidents_equal_to_the_replay', expected.size)
  count('keys_that_people_had_a_say_in', commandedKeys.size)
}

/** Compares alerts with those of the log, which does not say which incident they joined. */
function sameAlerts({ rows, count, must }: Evidence, expected: ReadonlyMap<string, Alert>): void {
  const ofPeople = ['ver', 'acknowledged_at', 'acknowledged_by', 'updated_at']
  // Keys on which a person acted, including later alerts of the same key.
  const commanded = new Set(
    [...rows.alertEvents.values()].flatMap((list) =>
      list.some(({ cause, change }) => cause.kind !== 'signal' && change !== 'acknowledged')
        ? [rows.alerts.get(list[0]?.alert_id ?? '')?.dedup_key]
        : []
    )
  )
  let equal = 0
  for (const [id, alert] of expected) {
    if (commanded.has(alert.dedup_key)) continue
    const found = rows.alerts.get(id)
    const isAcknowledged = found?.acknowledged_at != null
    const differ = differences(alert, found ?? {}).filter((name) => name !== 'incident_id' && !(isAcknowledged && ofPeople.includes(name)))
    must(differ.length === 0, () =>
      found ? `alert ${id} differs from the log's replay in ${differ.join(', ')}` : `alert ${id} of the log's replay is not there`
    )
    must(
      (found?.incident_id === null) === (alert.incident_id === null),
      () => `alert ${id} ${alert.incident_id === null ? 'must have no incident' : 'must have an incident'} by the rules`
    )
    equal += 1
  }
  for (const [id, { dedup_key }] of rows.alerts)
    must(expected.has(id) || commanded.has(dedup_key), () => `alert ${id} is there, and the log's replay opens none such`)
  count('alerts_equal_to_the_replay', equal)
}

/** The records of one incident or alert, each version once, in order. */
function inOrder<Event extends { ver: number }>(events: readonly Event[]): Event[] {
  const versions = new Map(events.map((event) => [event.ver, event]))
  return [...versions.values()].sort((one, other) => one.ver - other.ver)
}

function grouped<Event>(events: readonly Event[], idOf: (event: Event) => string): Map<string, Event[]> {
  const lists = new Map<string, Event[]>()
  for (const event of events) lists.set(idOf(event), [...(lists.get(idOf(event)) ?? []), event])
  return lists
}

/**
 * Replays each incident and alert, version by version, from the causes stored in its events: the
 * rules must give the same result again, without any routing rules.
 */
export function replayTheCauses({ rows, events, alertEvents, count, must }: Evidence): void {
  let replayed = 0
  function judge<Event extends IncidentEvent | AlertEvent>(
    what: string,
    found: readonly Event[],
    { events: again, fault }: Replayed<Event>,
    row: object | undefined,
    after: (event: Event) => object
  ): void {
    for (const [at, event] of found.entries()) {
      if (event.ver !== at + 1) break // A gap: check-log.ts reports it.
      const same = isDeepStrictEqual(plain(again[at] ?? {}), plain(event))
      must(same, () => `event ${what} ${event.ver} does not follow from its stored cause${fault === null ? '' : `: ${fault}`}`)
      replayed += 1
    }
    const last = found.at(-1)
    must(
      row !== undefined && last !== undefined && differences(row, after(last)).length === 0,
      () => `${what} is not what its last event says`
    )
  }
  const byIncident = grouped(
    events.map(({ event }) => event),
    ({ incident_id }) => incident_id
  )
  for (const [id, list] of byIncident) {
    const found = inOrder(list)
    const again = replayIncident(found, found[0]?.incident.number ?? 0, uuidv5)
    judge(`incident ${id}`, found, again, rows.incidents.get(id), ({ incident }) => incident)
  }
  const byAlert = grouped(
    alertEvents.map(({ event }) => event),
    ({ alert_id }) => alert_id
  )
  for (const [id, list] of byAlert) {
    const found = inOrder(list)
    judge(
      `alert ${id}`,
      found,
      replayAlert(found, { opened_in: null, was: wasBefore(byIncident.get(id) ?? [], found[0]) }, uuidv5),
      rows.alerts.get(id),
      ({ alert }) => alert
    )
  }
  count('events_replayed_from_their_causes', replayed)
}
