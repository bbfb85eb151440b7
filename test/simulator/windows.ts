/**
 * Maintenance windows of a history over the rows in memory: what people create and change, and the
 * jobs that follow. The real rules (streams/maintenance) decide. What is read and written around
 * them follows services/store/maintenance-turns.ts and the jobs maintenance-*.ts. Each call is one
 * transaction.
 */
import type { Schedule, Span } from '../../streams/maintenance/spans.ts'
import type { MaintenanceWindow } from '../../streams/maintenance/windows.ts'
import { tzZones } from '../../streams/on-call/zones.ts'
import type { Code } from './code.ts'
import type { IncidentModel } from './model/incident.ts'
import type { Effect, Scope } from './model/windows.ts'
import type { Kind, Operation } from './operations.ts'
import type { Rows, Start } from './rows.ts'
import { idFor, integration, tenantOf, tenants } from './targets.ts'

const MINUTE_MS = 60_000

type Made = Extract<Operation, { op: 'window' }>

interface Row {
  id: number
  tenant_id: string
  version: number
  effect: Effect
  scope: Scope
  settle_ms: number
  /** null: it was deleted. */
  schedule: Schedule | null
  holes: Span[]
  spans: Span[]
  goes_on: boolean
  turned_at: number
}

/** A target that a window may pause. */
interface Watched {
  kind: Kind
  n: number
  paused: boolean
  /** The window that paused it. */
  paused_by: number | null
}

export interface WindowsOptions {
  code: Code
  rows: Rows
  model: IncidentModel
  /** Returns all targets that exist. */
  watched(): Watched[]
  /** `resume_at` in Postgres's time. */
  pause(target: Pick<Watched, 'kind' | 'n'>, by: number, resume_at: number): void
  resume(target: Pick<Watched, 'kind' | 'n'>): void
}

export const windowIdOf = (id: number): string => `0190ccce-0000-7000-8000-${String(id).padStart(12, '0')}`

/** A parent as windows see it: no matcher covers it (services/store/dependencies.ts). */
const quiet = {
  severity: 'critical',
  title: '',
  summary: null,
  source_kind: 'monitor',
  source_type: null,
  integration_id: null,
  heartbeat_id: null,
  region: null,
  affected_regions: [],
  priority: null,
  labels: {},
  links: [],
  team_id: null,
  visibility: 'org',
  escalation_policy_id: null
} as const

const scopeOf = (scope: Scope): MaintenanceWindow['scope'] => ({
  all: 'all' in scope,
  monitor_ids: 'monitors' in scope ? scope.monitors.map((n) => idFor('monitor', n)) : [],
  heartbeat_ids: 'heartbeats' in scope ? scope.heartbeats.map((n) => idFor('heartbeat', n)) : [],
  integration_ids: 'inbound' in scope ? [integration] : [],
  tags: [],
  matchers: 'keys' in scope ? [{ field: 'label.n', op: 'in', value: scope.keys.map(String) }] : []
})

/** A window that pauses checks must name targets that are checked. */
const isRefused = (effect: Effect, scope: Scope): boolean => effect === 'pause_checks' && ('inbound' in scope || 'keys' in scope)

export class Windows {
  readonly #o: WindowsOptions
  readonly #rows: Row[] = []
  /** Cached maintenance of parents, valid while no window changes. */
  readonly #maintenance = new Map<string, [number, number][]>()
  /** Time of the last change. Windows never go back in time, even if Postgres's clock does. */
  #now = 0
  #changes = 0

  constructor(options: WindowsOptions) {
    this.#o = options
    options.rows.maintenanceOf = (tenant_id, monitor_id) => this.#maintenanceOf(tenant_id, monitor_id)
  }

  /**
   * Ends the windows that run, which then settle. Deletes those that recur or are still to come.
   */
  endAll(now: number): void {
    for (const row of this.#rows) {
      if (!row.schedule) continue
      const isOnce = row.schedule.kind === 'once' && row.spans.some(({ starts_at }) => starts_at <= now)
      this.change({ op: 'change window', nth: row.id, does: isOnce ? 'end now' : 'delete' }, now)
    }
  }

  #at(now: number): number {
    this.#now = Math.max(this.#now, now)
    return this.#now
  }

  #running({ spans }: Row, at: number): Span | null {
    return spans.find(({ starts_at, ends_at }) => starts_at <= at && at < ends_at) ?? null
  }

  make({ tenant, scope, effect, from, minutes, settle, every_days }: Made, now: number): void {
    if (isRefused(effect, scope)) return
    const at = this.#at(now)
    const begin = Math.floor((at + from) / MINUTE_MS) * MINUTE_MS
    const tenant_id = tenants[tenant]
    const schedule: Schedule =
      every_days === null
        ? { kind: 'once', starts_at: Math.max(at, begin), ends_at: begin + minutes * MINUTE_MS }
        : {
            kind: 'recurring',
            rrule: every_days === 1 ? 'FREQ=DAILY' : `FREQ=DAILY;INTERVAL=${every_days}`,
            time_zone: 'UTC',
            starts_on: new Date(begin).toISOString().slice(0, 10),
            at: new Date(begin).toISOString().slice(11, 16),
            duration_minutes: minutes,
            until: null,
            exdates: []
          }
    const settle_ms = settle * 1000
    const row: Row = {
      id: this.#rows.length,
      tenant_id,
      version: 1,
      effect,
      scope,
      settle_ms,
      schedule,
      holes: [],
      spans: [],
      goes_on: false,
      turned_at: at
    }
    this.#rows.push(row)
    this.#o.model.windows.add(tenant_id, { scope, effect, settle_ms, from: begin, until: begin + minutes * MINUTE_MS, every_days }, at)
    this.#span(row, at)
    this.#startTurn(row, at)
    if (effect === 'pause_checks' && this.#running(row, at)) this.#startWatches(row, at)
  }

  /** Ends or deletes a window, or gives it another effect. */
  change({ nth, does }: Extract<Operation, { op: 'change window' }>, now: number): void {
    const row = this.#rows[nth % Math.max(1, this.#rows.length)]
    if (!row?.schedule) return
    const at = this.#at(now)
    const { model } = this.#o
    const before = row.effect
    const running = this.#running(row, at)
    const isOver = !running && !row.goes_on && !row.spans.some(({ starts_at }) => starts_at > at)
    if (does === 'end now' ? !running : does !== 'delete' && (isOver || does === before || isRefused(does, row.scope))) return
    const held = row.spans.some(({ starts_at, ends_at }) => starts_at <= at && ends_at + row.settle_ms > row.turned_at)
    model.lookAgain(row.id, at)
    if (does === 'delete') {
      row.schedule = null
      model.windows.remove(row.id)
    } else if (does === 'end now') {
      if (running) row.holes.push({ starts_at: at, ends_at: running.ends_at })
      model.windows.endNow(row.id, at)
    } else {
      row.effect = does
      model.windows.turnInto(row.id, does)
    }
    row.version += 1
    this.#span(row, at)
    this.#o.rows.change([{ cancel: `maintenance_turn:${row.id}`, tenant_id: row.tenant_id }])
    this.#startTurn(row, at)
    if (held) this.#startRelease(row, at)
    if (before === 'pause_checks' || row.effect === 'pause_checks') this.#startWatches(row, at)
  }

  /** As withSpans does. The change reaches folds and holds. */
  #span(row: Row, at: number): void {
    const { code, rows } = this.#o
    const { schedule, holes } = row
    const { spans, goes_on } = code.spans.spansNow(row.spans, { schedule, holes }, tzZones, at)
    Object.assign(row, { spans, goes_on, turned_at: at })
    row.holes = holes.filter(({ ends_at }) => ends_at > at)
    this.#maintenance.clear()
    const { tenant_id } = row
    const seen = this.#rows.filter((one) => one.tenant_id === tenant_id && one.schedule).map((one) => this.#compiled(one))
    rows.windows.set(tenant_id, code.windows.compileWindows(seen, []))
  }

  #compiled({ id, version, effect, scope, settle_ms, spans }: Row): MaintenanceWindow {
    const known = spans.map((span) => ({ ...span }))
    return { window_id: windowIdOf(id), version, effect, scope: scopeOf(scope), settle_seconds: settle_ms / 1000, spans: known, tagged: [] }
  }

  #startTurn(row: Row, at: number): void {
    const { id, tenant_id, settle_ms, schedule } = row
    const run_at = schedule && this.#o.code.spans.nextTurn(row, settle_ms, at)
    if (run_at === null) return
    this.#o.rows.change([{ start: 'maintenance_turn', idem_key: `maintenance_turn:${id}`, tenant_id, run_at, payload: { window: id } }])
  }

  #startRelease({ id, tenant_id }: Row, at: number): void {
    const idem_key = `maintenance_release:${id}:${this.#changes++}`
    this.#o.rows.change([{ start: 'maintenance_release', idem_key, tenant_id, run_at: at, payload: { window: id } }])
  }

  /** Starts one job for each target that the window covers or has paused. */
  #startWatches({ id, tenant_id, scope }: Row, at: number): void {
    for (const { kind, n, paused_by } of this.#o.watched()) {
      if (tenantOf(n) !== tenant_id || (paused_by !== id && !this.#covers(scope, kind, n))) continue
      const idem_key = `maintenance_watch:${id}:${this.#changes++}`
      this.#o.rows.change([{ start: 'maintenance_watch', idem_key, tenant_id, run_at: at, payload: { window: id, kind, n } }])
    }
  }

  #covers(scope: Scope, kind: Kind, n: number): boolean {
    const { all, monitor_ids, heartbeat_ids } = scopeOf(scope)
    return all || (kind === 'monitor' ? monitor_ids : heartbeat_ids).includes(idFor(kind, n))
  }

  /** Runs one of its jobs at Postgres's time. Returns false if the job is not one of these. */
  run({ start, payload }: Start, now: number): boolean {
    if (start !== 'maintenance_turn' && start !== 'maintenance_release' && start !== 'maintenance_watch') return false
    const row = this.#rows[Number(payload.window)]
    if (!row) return true
    const at = this.#at(now)
    if (start === 'maintenance_turn') this.#turn(row, at)
    else if (start === 'maintenance_release') this.#hurryKept(row, now)
    else this.#watch(row, payload.kind === 'monitor' ? 'monitor' : 'heartbeat', Number(payload.n), at)
    return true
  }

  #turn(row: Row, at: number): void {
    if (!row.schedule) return
    const turns = this.#o.code.spans.turnsBetween(row.spans, row.settle_ms, row.turned_at, at)
    this.#span(row, at)
    if (turns.settles) this.#startRelease(row, at)
    if (row.effect === 'pause_checks' && (turns.begins || turns.ends)) this.#startWatches(row, at)
    this.#startTurn(row, at)
  }

  /** The alerts that the window keeps are checked now. */
  #hurryKept({ id }: Row, now: number): void {
    const { jobs } = this.#o.rows
    for (const [key, job] of jobs) {
      if (job.start !== 'maintenance_promote' || job.payload.window_id !== windowIdOf(id) || job.run_at <= now) continue
      jobs.set(key, { ...job, run_at: now })
    }
  }

  /** As maintenance-watch.ts does: a target that somebody else paused is left alone. */
  #watch(row: Row, kind: Kind, n: number, at: number): void {
    const target = this.#o.watched().find((one) => one.kind === kind && one.n === n)
    if (!target) return
    const isOurs = target.paused && target.paused_by === row.id
    const running = row.schedule && row.effect === 'pause_checks' ? this.#running(row, at) : null
    if (!running) {
      if (isOurs) this.#o.resume(target)
    } else if (isOurs || !target.paused) this.#o.pause(target, row.id, running.ends_at)
  }

  /** Returns when windows cover a monitor that others depend on, including their settle times. */
  #maintenanceOf(tenant_id: string, monitor_id: string): [number, number][] {
    const known = this.#maintenance.get(monitor_id)
    if (known) return known
    const { compileWindows, isCovered, settledAt } = this.#o.code.windows
    const found = this.#rows.flatMap((row): [number, number][] => {
      if (row.tenant_id !== tenant_id || !row.schedule) return []
      const window = this.#compiled(row)
      const set = compileWindows([{ ...window, scope: { ...window.scope, matchers: [] } }], [])
      if (!isCovered(set, { ...quiet, tenant_id, monitor_id }, 0)) return []
      return window.spans.map((span): [number, number] => [span.starts_at, settledAt(window, span)])
    })
    this.#maintenance.set(monitor_id, found)
    return found
  }
}
