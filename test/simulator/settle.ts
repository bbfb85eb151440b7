/**
 * Checks the end of a history: all faults end and time passes, then people must see what is really
 * the case. Every target that fails has an ongoing incident, or a quiet with an end. No other
 * target has an incident.
 */
import { OUTAGE_KEY } from '../../streams/incident/outages.ts'
import { Difference } from './difference.ts'
import type { Part } from './operations.ts'
import { REOPEN_AFTER } from './people.ts'
import { checkRebuilt } from './rebuilt.ts'
import type { Service } from './service.ts'
import { type Heartbeat, idFor, keyFor, rhythmOf, tenantOf, tenants } from './targets.ts'

const parts: readonly Part[] = ['status', 'heartbeat', 'incident', 'relay', 'notifier', 'clock']

/**
 * Ends all holds and refusals. Clocks stay as they are, except those of probers, because their
 * results would be skewed.
 */
function mend(service: Service): void {
  for (const part of parts) for (const partition of [0, 1]) service.apply({ op: 'hold', part, partition, on: false })
  for (let n = 0; n < 5; n++) service.apply({ op: 'skew', clock: 'prober', n, ms: 0 })
  for (const door of [0, 1, 2]) {
    service.apply({ op: 'latency', door, ms: 20 })
    service.apply({ op: 'refuse', door, on: false })
  }
  service.windows.endAll(service.postgresNow)
  for (const target of service.targets.values()) {
    if (target.kind === 'monitor') {
      const failing = target.failing === 0 ? 0 : 31
      service.apply({ op: 'target', n: target.n, failing, degraded: 0, unreachable: 0 })
    } else if (target.does === 'runs' || target.does === 'starts only') service.apply({ op: 'job', n: target.n, does: 'pings' })
  }
}

/**
 * Whether a silent heartbeat has pinged since its schedule began. Before that, nothing is expected
 * of it.
 */
const isAwaited = ({ expected }: Service, { n, does }: Heartbeat): boolean =>
  does === 'is silent' && expected.some((model) => model.deadlineOf(idFor('heartbeat', n)) !== null)

/** Checks what everybody must see in the end. */
function check(service: Service): void {
  const { rows, targets, deleted } = service
  const lag = service.incident.lag + rows.outbox.length + [...service.status, ...service.heartbeat].reduce((sum, { lag }) => sum + lag, 0)
  if (lag > 0) throw new Difference('lag', `${lag} records are left`)
  for (const target of [...targets.values(), ...deleted.values()]) {
    const { kind, n, config } = target
    const dedup_key = keyFor(kind, n)
    const row = rows.signal({ tenant_id: tenantOf(n), dedup_key })
    // For an alert with a row, whether or not it has an incident.
    const isOngoing = (rows.alertOf(row) ?? rows.newest(row))?.status === 'ongoing'
    if (config.deleted) {
      if (isOngoing) throw new Difference('liveness', `${dedup_key} is deleted and has an ongoing incident`)
    } else if (config.paused) {
      if (target.paused_by !== null) throw new Difference('liveness', `${dedup_key} is paused by a window that is over`)
      if (config.resolve_open && isOngoing) throw new Difference('liveness', `${dedup_key} is paused, and its incident is ongoing`)
    } else {
      const fails = target.kind === 'monitor' ? target.failing !== 0 : target.does === 'fails' || isAwaited(service, target)
      const endsQuiet = row.suppressed_until !== null && rows.jobs.has(`incident_reopen:${row.alert_id ?? row.incident_id}`)
      if (fails && !isOngoing && !endsQuiet) throw new Difference('liveness', `${dedup_key} fails, and no incident is ongoing or will open`)
      if (!fails && isOngoing) throw new Difference('liveness', `${dedup_key} is well, and its incident is ongoing`)
    }
  }
}

/** An incident that waits for others is held while these fail, and no longer. */
function checkHeld({ rows, targets }: Service): void {
  for (const [id, held] of rows.held) {
    const incident = rows.incidents.get(id)
    if (incident?.status !== 'ongoing' || incident.ongoing_alerts !== null) continue
    if ('outage_id' in held) {
      if (rows.incidents.get(held.outage_id)?.status !== 'ongoing')
        throw new Difference('liveness', `INC-${incident.number} is held by a mass outage that is over`)
      continue
    }
    const parents = rows.parentsOf(incident).parents.map(({ monitor_id }) => targets.get(`mon:${monitor_id}`))
    if (!parents.some((target) => target?.kind === 'monitor' && target.failing !== 0 && !target.config.paused))
      throw new Difference('liveness', `INC-${incident.number} is held, and nothing that it depends on fails`)
  }
  for (const tenant_id of tenants) {
    const outage = rows.newest(rows.signal({ tenant_id, dedup_key: OUTAGE_KEY }))
    const fails = [...targets.values()].some(
      (target) => target.kind === 'monitor' && target.config.tenant_id === tenant_id && target.failing !== 0 && !target.config.paused
    )
    if (outage?.status === 'ongoing' && !fails) throw new Difference('liveness', 'all monitors are well, and a mass outage is ongoing')
  }
}

/**
 * All windows are over and have settled: they hold nothing, and keep no alert from becoming an
 * incident.
 */
function checkWindows(service: Service): void {
  const { rows, incidents, postgresNow } = service
  for (const incident of rows.incidents.values()) {
    if (incident.status !== 'ongoing') continue
    const held = rows.holds(incident, postgresNow).some(({ kind }) => kind === 'maintenance')
    if (held) throw new Difference('liveness', `INC-${incident.number} is held by a window that is over`)
  }
  for (const facts of incidents.keys.values()) {
    const newest = facts.episodes.at(-1)
    if (newest?.ongoing && !newest.incident && newest.kept)
      throw new Difference('liveness', `${facts.dedup_key} is kept from an incident by a window that is over`)
    service.compare(facts)
  }
}

/** Sends enough pings for a verdict, whatever a heartbeat tolerates. */
function decide(service: Service): void {
  for (const target of [...service.targets.values()]) {
    if (target.kind !== 'heartbeat' || target.does === 'is silent') continue
    const kind = target.does === 'fails' ? 'fail' : 'success'
    for (let nth = 0; nth < 3; nth++) service.apply({ op: 'ping', n: target.n, kind, code: 0, run: null, door: 0 })
  }
}

export function settle(service: Service): void {
  mend(service)
  // Pauses end, and what was decided before is reported.
  service.pass(130_000, 10_000)
  decide(service)
  // Longer than any slot with its grace, any quiet, any extension by an outage, and any wait for a
  // parent.
  const rhythms = [...service.targets.values()].map((target) => (target.kind === 'heartbeat' ? rhythmOf(target) : 20_000))
  const deadlines = service.expected.flatMap((model) => [...model.heartbeats.keys()].map((id) => model.deadlineOf(id) ?? 0))
  const longest = Math.max(...rhythms, ...deadlines.map((deadline) => deadline - service.world.now), 0)
  service.pass(longest + 110_000 + REOPEN_AFTER * 1000, 10_000)
  service.run() // Processes what the last jobs emitted.
  check(service)
  checkHeld(service)
  checkWindows(service)
  checkRebuilt(service, service.code)
}
