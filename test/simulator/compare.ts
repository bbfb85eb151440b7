/** Compares the models with the rows of the folds, field by field, where they must be equal. */
import type { HeartbeatConfig } from '../../schemas/generated/events.ts'
import type { Input, PartitionOutcome } from '../../streams/define.ts'
import type { HeartbeatState } from '../../streams/heartbeat/state.ts'
import { isMonitorRow, type StatusState } from '../../streams/status/state.ts'
import { Difference, same } from './difference.ts'
import { idOf } from './log.ts'
import { HeartbeatModel } from './model/heartbeat.ts'
import { StatusModel } from './model/status.ts'
import type { PartitionModel } from './processors.ts'

/** Groups the records of one kind that a fold emitted by their target. */
function byTarget<T extends { id: string }>(told: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const one of told) {
    const list = found.get(one.id)
    if (list) list.push(one)
    else found.set(one.id, [one])
  }
  return found
}

/** Compares two lists of transitions, target by target. */
function sameTransitions(
  rule: string,
  found: readonly { id: string; text: string }[],
  expected: readonly { id: string; text: string }[]
): void {
  if (found.length + expected.length === 0) return
  const [left, right] = [byTarget(found), byTarget(expected)]
  for (const id of new Set([...left.keys(), ...right.keys()])) {
    const text = (list: readonly { text: string }[] | undefined): string => (list ?? []).map((one) => one.text).join('; ') || 'nothing'
    const [told, must] = [text(left.get(id)), text(right.get(id))]
    if (told !== must) throw new Difference(rule, `${id} told: ${told}\n    expected:  ${must}`)
  }
}

const detail = (name: string, value: string | null): string => (value === null ? '' : `, ${name} ${value}`)

/** Returns the instant as a time of day, which is easier to compare by eye. */
export const clock = (ms: number | null): string => (ms === null ? 'never' : new Date(ms).toISOString().slice(11, 23))

/** The part of each comparison that only calls its model. */
abstract class Comparison {
  abstract readonly model: StatusModel | HeartbeatModel

  touched(): Iterable<string> {
    return this.model.touched
  }

  save(keys: Iterable<string>): void {
    this.model.save(keys)
  }

  reload(): void {
    this.model.reload()
  }

  lagging(): string | null {
    return this.model.lagging()
  }
}

export class StatusComparison extends Comparison implements PartitionModel<StatusState> {
  readonly model = new StatusModel()

  compare(inputs: readonly Input[], { outgoing }: PartitionOutcome<StatusState>): void {
    const expected = this.model.take(inputs)
    if (expected.length + outgoing.length === 0) return
    const found: { id: string; text: string }[] = []
    for (const one of outgoing) {
      if (one.topic !== 'monitor.transitions.v1' || one.body !== 'record' || one.record !== 'MonitorTransition') continue
      const {
        monitor_id: id,
        ver,
        at,
        previous_status,
        status,
        previous_phase,
        phase,
        vote,
        started_at,
        event_id,
        affected_regions,
        joined_region,
        resolution_reason,
        advisory_regions,
        flapping
      } = one.value
      same('ids', `id of version ${ver} of ${id}`, event_id, idOf(id, String(ver)))
      same('votes', `affected regions of ${id}`, affected_regions.length, vote.down)
      const votes = `${vote.configured}/${vote.fresh}/${vote.down}/${vote.up}`
      const text = `${ver}. ${previous_status}/${previous_phase} to ${status}/${phase} at ${clock(at)}, votes ${votes}`
      found.push({
        id,
        text: `${text}${detail('since', started_at === null ? null : clock(started_at))}${detail('joined', joined_region)}${detail('ends', resolution_reason)}${detail('advised', advisory_regions.join(',') || null)}${flapping ? ', flapping' : ''}`
      })
    }
    const wanted = expected.flatMap(({ id, ver, at, from, to, phase_from, phase, votes, started_at, joined, ends, advised, flapping }) => {
      const text = `${ver}. ${from}/${phase_from} to ${to}/${phase} at ${clock(at)}, votes ${votes}`
      return [
        {
          id,
          text: `${text}${detail('since', started_at === null ? null : clock(started_at))}${detail('joined', joined)}${detail('ends', ends)}${detail('advised', advised)}${flapping ? ', flapping' : ''}`
        }
      ]
    })
    sameTransitions('status', found, wanted)
  }

  compareRows(state: ReadonlyMap<string, StatusState>, keys: Iterable<string>): void {
    for (const key of keys) {
      const row = state.get(key)
      if (!isMonitorRow(row)) {
        if (this.model.monitors.has(key)) throw new Difference('status', `${key} has no row, expected one`)
        continue
      }
      const facts = this.model.monitors.get(key)
      if (!facts) throw new Difference('status', `${key} has a row, expected none`)
      if (row.status !== facts.status || row.since !== facts.since) {
        const expected = `${facts.status} since ${clock(facts.since)}`
        throw new Difference('status', `${key} is ${row.status} since ${clock(row.since)}, expected ${expected}`)
      }
      if (row.phase !== facts.phase || row.ver !== facts.ver || row.flapping !== facts.flapping) {
        const [is, must] = [row, facts].map(({ phase, ver, flapping }) => `${phase}, version ${ver}${flapping ? ', flapping' : ''}`)
        throw new Difference('status', `${key} is ${is}, expected ${must}`)
      }
      for (const [nth, region] of row.regions.entries()) {
        const must = facts.regions[nth]
        const fresh = region.heard_at !== null && !region.stale
        const isSame =
          must && region.vote === must.vote && region.streak === must.run && region.last_seq === must.seq && fresh === must.fresh
        const advised = region.advisory === true
        if (isSame && region.heard_at === must.heard && advised === must.advised) continue
        const found = { vote: region.vote, run: region.streak, seq: region.last_seq, heard: region.heard_at, fresh, advised }
        throw new Difference('votes', `${key} region ${region.region}: ${JSON.stringify(found)}, expected ${JSON.stringify(must)}`)
      }
    }
  }
}

export class HeartbeatComparison extends Comparison implements PartitionModel<HeartbeatState> {
  readonly model = new HeartbeatModel()
  /**
   * Called for each miss that a tick found, with the heartbeat's configuration and the tick's
   * offset.
   */
  onMiss: (config: HeartbeatConfig, offset: number) => void = () => undefined
  /**
   * Configurations as they were on the log, by heartbeat and version. One that comes after the tick
   * decides nothing.
   */
  readonly #configs = new Map<string, HeartbeatConfig>()

  compare(inputs: readonly Input[], { outgoing }: PartitionOutcome<HeartbeatState>): void {
    for (const { record, value } of inputs)
      if (record === 'HeartbeatConfig') this.#configs.set(`${value.heartbeat_id} ${value.version}`, value)
    const expected = this.model.take(inputs)
    if (expected.length + outgoing.length === 0) return
    const found: { id: string; text: string }[] = []
    for (const one of outgoing) {
      if (one.topic !== 'heartbeat.transitions.v1' || one.body !== 'record' || one.record !== 'HeartbeatTransition') continue
      const { heartbeat_id: id, ver, at, previous_status, status, phase, reason, event_id, resolution_reason } = one.value
      same('ids', `id of version ${ver} of ${id}`, event_id, idOf(id, String(ver)))
      const loud = phase === 'failed' || phase === 'unknown' || phase === 'paused' ? phase : null
      found.push({
        id,
        text: `${ver}. ${previous_status} to ${status}, ${loud}, ${reason} at ${clock(at)}${detail('ends', resolution_reason)}`
      })
      if (status !== 'missed' || previous_status !== 'up' || reason !== 'missed') continue
      const config = this.#configs.get(`${id} ${one.value.config_versions.heartbeat}`)
      if (config) this.onMiss(config, Number(one.src.split(':')[2]))
    }
    const wanted = expected.map(({ id, ver, at, from, to, loud, reason, ends }) => ({
      id,
      text: `${ver}. ${from} to ${to}, ${loud}, ${reason} at ${clock(at)}${detail('ends', ends)}`
    }))
    sameTransitions('heartbeat', found, wanted)
  }

  compareRows(state: ReadonlyMap<string, HeartbeatState>, keys: Iterable<string>): void {
    for (const key of keys) {
      const row = state.get(key)
      if (row?.kind !== 'heartbeat') {
        if (this.model.heartbeats.has(key)) throw new Difference('heartbeat', `${key} has no row, expected one`)
        continue
      }
      const facts = this.model.heartbeats.get(key)
      if (!facts) throw new Difference('heartbeat', `${key} has a row, expected none`)
      const must = this.model.deadlineOf(key)
      const isSame = row.status === facts.status && row.ver === facts.ver && row.runs.length === facts.runs.length
      if (isSame && row.deadline_at === must) continue
      const found = `${row.status}, version ${row.ver}, due ${clock(row.deadline_at)}, runs ${row.runs.length}`
      const expected = `${facts.status}, version ${facts.ver}, due ${clock(must)}, runs ${facts.runs.length}`
      throw new Difference('heartbeat', `${key} is ${found}, expected ${expected}`)
    }
  }
}
