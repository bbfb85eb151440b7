/** What happens by itself: the clock's ticks, the checks of probers, the pings of cron jobs. */
import type { Doors, Shared } from './doors.ts'
import type { Lane } from './log.ts'
import { type Heartbeat, type Monitor, rhythmOf } from './targets.ts'

const boot = '0190abcd-0000-7000-8000-000000000002'

/**
 * A cron job pings this long after its slot. A ping that a door's clock puts before the slot counts
 * for the previous slot.
 */
const CRON_STARTS_MS = 7000

const isTimed = ({ topic }: Lane): boolean => topic === 'checks.results.v1' || topic === 'heartbeat.pings.v1'

/** Follows Postgres's clock by at most a tenth of a second for each second. */
export class Clock {
  /** How far Postgres's clock is ahead, in ms. */
  ahead = 0
  stopped = false
  #ownAhead = 0
  readonly #world: Shared
  readonly #late = new Map<Lane, { until: number; waits: boolean }>()

  constructor(world: Shared) {
    this.#world = world
    world.queue.add(world.now, () => this.#second())
  }

  /** Delays the next tick of a partition. Ticks until then are left out. */
  delay(lane: Lane, ms: number): void {
    this.#late.set(lane, { until: this.#world.now + ms, waits: false })
  }

  #second(): void {
    const { log, queue, now } = this.#world
    this.#ownAhead += Math.max(-100, Math.min(100, this.ahead - this.#ownAhead))
    queue.add(now + 1000, () => this.#second())
    if (this.stopped) return
    const t = now + this.#ownAhead
    for (const lane of log.lanes) {
      if (!isTimed(lane)) continue
      const late = this.#late.get(lane)
      if (late === undefined || late.until <= now) {
        this.#late.delete(lane)
        this.#tick(lane, t)
      } else if (!late.waits) {
        late.waits = true
        queue.add(late.until, () => this.#tick(lane, t))
      }
    }
  }

  #tick(lane: Lane, t: number): void {
    this.#world.log.append(lane, 'Tick', { t, boot }, 'tick', this.#world.now, t)
  }
}

/** Starts the rhythm of a monitor's regions. */
export function probe(world: Shared, doors: Doors, monitor: Monitor): void {
  const { queue } = world
  const rhythm = ++monitor.rhythm
  const isOver = (): boolean => {
    const { deleted, paused, type } = monitor.config
    return monitor.rhythm !== rhythm || deleted || (paused && type !== 'external')
  }
  const every = monitor.config.interval_seconds * 1000
  monitor.config.regions.forEach((_, region) => {
    const slot = (): void => {
      if (isOver()) return
      const scheduled = world.now
      queue.add(scheduled + every, slot)
      const bit = 1 << region
      if ((monitor.unreachable & bit) !== 0) return
      const outcome = (monitor.failing & bit) !== 0 ? 'failure' : (monitor.degraded & bit) !== 0 ? 'degraded' : 'success'
      queue.add(scheduled + 90 + 37 * region, () => {
        if (!isOver()) doors.result(monitor, region, outcome, scheduled, region)
      })
    }
    queue.add(world.now + 500 + 131 * monitor.n + 977 * region, slot)
  })
}

/** Starts the rhythm of a cron job. */
export function beat(world: Shared, doors: Doors, heartbeat: Heartbeat): void {
  const { queue } = world
  const rhythm = ++heartbeat.rhythm
  const { n } = heartbeat
  const every = rhythmOf(heartbeat)
  let nth = 0
  const ping = (kind: 'success' | 'start' | 'fail', run: number | null): void => {
    doors.ping(heartbeat, n, { kind, code: 0, run, door: n + nth })
  }
  const slot = (): void => {
    if (heartbeat.rhythm !== rhythm || heartbeat.config.deleted) return
    nth += 1
    const run = 1000 * rhythm + nth
    const { does } = heartbeat
    queue.add(world.now + every, slot)
    if (does === 'pings') ping('success', null)
    else if (does === 'fails') ping('fail', null)
    else if (does === 'starts only') ping('start', run)
    else if (does === 'runs') {
      ping('start', run)
      queue.add(world.now + Math.min(every / 2, 20_000), () => ping('success', run))
    }
  }
  const isPeriod = heartbeat.config.schedule_kind === 'period'
  queue.add(isPeriod ? world.now + 700 + 311 * n : Math.ceil((world.now + 1) / every) * every + CRON_STARTS_MS, slot)
}
