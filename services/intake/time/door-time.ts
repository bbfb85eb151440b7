/**
 * The door's time, which stamps pings, results and gaps. estimate.ts decides which time that is;
 * this file reads the clocks and reports those that are wrong ("odd").
 *
 * It asks Postgres for its time every 5 s, and at once when the wall clock jumps. To notice a jump,
 * it compares the wall clock with the monotonic one every second. The broker's append times come
 * with the door's own appends. A clock that is odd at two checks in a row is reported by a platform
 * notice (again every 15 s while it lasts, so its count grows), a log line and a metric. Nothing is
 * refused because of a clock.
 */
import type { AppendTime } from '../../../streams/runtime/stream.ts'
import type { Log } from '../../process/log.ts'
import type { Metrics } from '../../process/metrics.ts'
import { better, isStep, judge, type Odd, type Sample, sampleOf } from './estimate.ts'

const LOOK_EVERY_MS = 1000
const ASK_EVERY_MS = 5000
const TELL_EVERY_MS = 15_000
/** A clock is reported once it is odd at this many checks in a row. */
const LOOKS = 2

export interface DoorTimeOptions {
  /** The name of this door, for the notice. */
  instance: string
  /** Asks Postgres for its time, epoch ms. */
  ask(): Promise<number>
  /** Saves the notice of the cause, for example `clock:broker`. */
  tell(cause: string): Promise<void>
  log: Log
  metrics: Metrics
  /** Injected by tests. */
  monotonic?: () => number
  wall?: () => number
}

export interface DoorTime {
  /** Epoch ms, whole. */
  now(): number
  /** Returns whether `now` is the time that Postgres and the broker agree on. */
  isAgreed(): boolean
  /** The broker has appended records of this door. */
  appended(seen: AppendTime): void
  /** Runs one check, as the timer does. Never rejects. */
  look(): Promise<void>
  close(): void
}

/** Keeps only the characters that the notice accepts in a name. */
const plain = (instance: string): string => instance.replace(/[^A-Za-z0-9._:-]/g, '_').slice(0, 100) || 'door'

export function createDoorTime(options: DoorTimeOptions): DoorTime {
  const { instance, ask, tell, log, metrics, monotonic = () => performance.now(), wall = () => Date.now() } = options
  const odds = ['door', 'postgres', 'broker', 'unknown'] as const
  const skews = metrics.gauge('service_intake_clock_skew_ms', 'The door’s wall clock minus that of another', ['against'])
  const oddness = metrics.gauge('service_intake_clock_odd', '1 while that clock is the odd one of three', ['clock'])
  const corrected = metrics.gauge('service_intake_clock_agreed', '1 while the door stamps with the time that Postgres and broker agree on')
  const steps = metrics.counter('service_intake_clock_steps_total', 'Jumps of the door’s wall clock')

  const aheadNow = (): number => wall() - monotonic()
  let postgres: Sample | null = null
  let broker: Sample | null = null
  let offset: number | null = null
  let odd: Odd = 'none'
  /** The odd clock at the last check, the number of checks in a row, and when it was reported. */
  let looked: Odd = 'none'
  let oddLooks = 0
  let toldAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let lastAhead = aheadNow()
  let looking: Promise<void> | null = null

  function settle(): void {
    const judged = judge(postgres, broker, aheadNow(), monotonic())
    offset = judged.offset
    odd = judged.odd
  }

  async function question(): Promise<void> {
    const asked = monotonic()
    askedAt = asked
    const theirs = await ask()
    if (Number.isFinite(theirs)) postgres = better(postgres, sampleOf(theirs, asked, monotonic()))
  }

  async function report(): Promise<void> {
    if (odd !== looked) {
      looked = odd
      oddLooks = 0
      toldAt = Number.NEGATIVE_INFINITY
    }
    oddLooks += 1
    for (const clock of odds) oddness.set({ clock }, clock === odd ? 1 : 0)
    corrected.set(offset === null ? 0 : 1)
    const ahead = aheadNow()
    if (postgres) skews.set({ against: 'postgres' }, ahead - postgres.offset)
    if (broker) skews.set({ against: 'broker' }, ahead - broker.offset)
    if (odd === 'none' || oddLooks < LOOKS || monotonic() - toldAt < TELL_EVERY_MS) return
    toldAt = monotonic()
    const cause = odd === 'postgres' || odd === 'broker' ? `clock:${odd}` : `clock:${odd}:${plain(instance)}`
    log.warn(
      { odd, postgres_ms: postgres && Math.round(ahead - postgres.offset), broker_ms: broker && Math.round(ahead - broker.offset) },
      'the clocks of this door, of Postgres and of the broker disagree: the odd one is named'
    )
    await tell(cause)
  }

  async function lookOnce(): Promise<void> {
    const ahead = aheadNow()
    const stepped = isStep(lastAhead, ahead)
    if (stepped) {
      steps.inc()
      log.warn({ step_ms: Math.round(ahead - lastAhead) }, 'the wall clock of this door jumped')
    }
    lastAhead = ahead
    const due = stepped || monotonic() - askedAt >= ASK_EVERY_MS
    try {
      if (due) await question()
    } catch (error) {
      log.debug({ err: error }, 'Postgres was not asked for its time')
    }
    settle()
    if (!due) return
    try {
      await report()
    } catch (error) {
      log.debug({ err: error }, 'the notice of an odd clock was not saved; it is tried again')
    }
  }

  const look = (): Promise<void> => {
    looking ??= lookOnce().finally(() => {
      looking = null
    })
    return looking
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  timer.unref()
  void look()

  return {
    now: () => Math.round(offset === null ? wall() : monotonic() + offset),
    isAgreed: () => offset !== null,
    appended({ appended_at, asked, answered }) {
      broker = better(broker, sampleOf(appended_at, asked, answered))
      settle()
    },
    look,
    close: () => clearInterval(timer)
  }
}
