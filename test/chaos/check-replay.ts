/**
 * The rows of Postgres against the rules run again: over alerts.inbound.v1 from an empty state, and
 * over each incident's events from their stored causes.
 *
 * Ids follow from their causes, so the first replay must meet the very same incidents. What it
 * cannot know is left out: numbers (they depend on how partitions interleaved) and what a command
 * did; an incident that a person ended or declared makes its whole key the second replay's
 * business.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Incident } from '../../schemas/generated/events.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Input } from '../../streams/define.ts'
import { incidentFold, nameOf } from '../../streams/incident/fold.ts'
import { type Command, reduceIncident, type Signal } from '../../streams/incident/rules.ts'
import { keyOf, type SignalRow } from '../../streams/incident/signals.ts'
import { row } from '../streams/incident/build.ts'
import type { Evidence } from './checks.ts'

/** The value without classes and prototypes, so that only what it says is compared. */
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

function replayTheLog({ rows, inbound, count, must }: Evidence): void {
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
  const { saved, refused } = incidentFold(uuidv5)(
    { signals, incidents: new Map(), counters, rules: new Map(), policies: new Map(), alerts: new Map(), members: new Map() },
    inputs
  )
  must(refused.length === 0, () => `the rules refuse ${refused.length} records of the log: ${refused[0]?.reason}`)

  let occurrences = 0
  for (const row of saved.signals) {
    const found = rows.signals.get(nameOf(row))
    occurrences += found?.occurrences ?? 0
    must(
      found?.occurrences === stored.get(nameOf(row)),
      () => `${nameOf(row)}: ${stored.get(nameOf(row))} alerts on the log, ${found?.occurrences} applied or recorded`
    )
  }
  const strange = [...rows.signals]
    .filter(([name, { dedup_key }]) => !stored.has(name) && !dedup_key.startsWith('man:'))
    .map(([name]) => name)
  must(strange.length === 0, () => `${strange.length} keys in Postgres have no alert on the log, first ${strange[0]}`)

  const commandedKeys = new Set([...rows.commanded].map((id) => rows.incidents.get(id)?.dedup_key))
  const expected = new Map<string, Incident>()
  for (const { incident } of saved.incidents) if (!commandedKeys.has(incident.dedup_key)) expected.set(incident.incident_id, incident)
  for (const row of saved.signals) {
    if (commandedKeys.has(row.dedup_key)) continue
    const found = rows.signals.get(nameOf(row))
    const differ = differences(row, found ?? {})
    must(differ.length === 0, () => `signals row of ${nameOf(row)} differs from the log's replay in ${differ.join(', ')}`)
  }
  for (const [id, incident] of expected) {
    const found = rows.incidents.get(id)
    const unknowable = new Set([
      'number',
      ...(rows.acknowledged.has(id) ? ['ver', 'acknowledged_at', 'acknowledged_by', 'assignee_id', 'updated_at'] : [])
    ])
    const differ = differences(incident, found ?? {}).filter((name) => !unknowable.has(name))
    must(differ.length === 0, () =>
      found ? `incident ${id} differs from the log's replay in ${differ.join(', ')}` : `incident ${id} of the log's replay is not there`
    )
  }
  for (const [id, incident] of rows.incidents) {
    must(expected.has(id) || commandedKeys.has(incident.dedup_key), () => `incident ${id} is there, and the log's replay opens none such`)
  }
  count('signals_counted_in_postgres', occurrences)
  count('incidents', rows.incidents.size)
  count('incidents_equal_to_the_replay', expected.size)
  count('keys_that_people_had_a_say_in', commandedKeys.size)
}

/**
 * Each incident again, version by version, from what its events say was their cause: the rules must
 * say the same once more.
 */
function replayTheCauses({ rows, events, count, must }: Evidence): void {
  const byIncident = new Map<string, Map<number, (typeof events)[number]['event']>>()
  for (const { event } of events) {
    const versions = byIncident.get(event.incident_id) ?? new Map()
    byIncident.set(event.incident_id, versions.set(event.ver, event))
  }
  let replayed = 0
  for (const [id, versions] of byIncident) {
    let before: Incident | null = null
    for (let ver = 1; ver <= versions.size; ver++) {
      const event = versions.get(ver)
      if (!event) break // A gap: check-log.ts says so.
      const { cause, at, change, config_versions, incident } = event
      if (cause.input === null) {
        must(false, () => `event ${id} ${ver} has no stored cause`)
        break
      }
      const step = reduceIncident(before, JSON.parse(cause.input) as Signal | Command, {
        now: at,
        cause: { ...cause, input: null },
        versions: config_versions,
        id: (purpose) => uuidv5(cause.event_id ?? '', purpose),
        number: incident.number
      })
      const told = step.events.at(-1)
      must(
        told?.change === change && isDeepStrictEqual(plain(step.incident), plain(incident)),
        () => `event ${id} ${ver} does not follow from its stored cause`
      )
      before = incident
      replayed += 1
    }
    const row = rows.incidents.get(id)
    must(
      row !== undefined && before !== null && differences(row, before).length === 0,
      () => `incident ${id} is not what its last event says`
    )
  }
  count('events_replayed_from_their_causes', replayed)
}
