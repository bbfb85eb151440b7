/**
 * The clock: one leader sends one Tick a second to every partition of the timed topics.
 *
 * The leader is the process whose Postgres session holds the advisory lock; the others try again
 * every 2 s. When the session is lost, ticking stops at once and the contest begins again. The
 * leader compares its time with Postgres every 5 s; advance.ts decides what follows. Ticks are
 * never queued. While the last append is unanswered, or the producer has a backlog, the second is
 * skipped. A late tick would announce a time that passed long ago; a gap only makes detection late.
 * Source: docs/design/architecture.md#s6-time.
 */
import type { Codec } from '../../schemas/codec.ts'
import { specOf, type TopicName } from '../../schemas/topics.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Append, OutRecord } from '../../streams/runtime/stream.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { type HeldSession, holdSession } from '../store/held-session.ts'
import { serverTime, tryLead } from '../store/leader.ts'
import type { Pool } from '../store/pool.ts'
import { advance, begin, compare, type Reading, type Time, untilNextSecond } from './advance.ts'

export const timedTopics = ['checks.results.v1', 'heartbeat.pings.v1'] as const satisfies readonly TopicName[]

export interface ClockOptions {
  /** Connects as service_system; the clock holds one connection of it. */
  pool: Pool
  log: Append
  codec: Codec
  /** Identity of this process, in every tick. */
  boot: string
  logger: Log
  metrics: Metrics
  /** Injected by tests. */
  read?: () => Reading
  contendMs?: number
  compareMs?: number
}

export interface Clock {
  leads(): boolean
  /** True when it leads and is not stopped, or stands by with a session. */
  ready(): boolean
  close(): Promise<void>
}

/** Returns the records of one tick, one for every partition of the timed topics. */
export function tickRecords(value: Buffer): OutRecord[] {
  return timedTopics.flatMap((topic) =>
    Array.from({ length: specOf(topic).partitions }, (_, partition) => ({
      topic,
      partition,
      key: String(partition),
      value,
      headers: { event_type: 'tick' }
    }))
  )
}

const readClocks = (): Reading => ({ mono: performance.now(), wall: Date.now() })

/** A comparison whose answer took longer is ignored: it says too little about its instant. */
const SLOW_ANSWER_MS = 1000

export function startClock(options: ClockOptions): Clock {
  const { pool, log, codec, boot, logger, metrics, read = readClocks, contendMs = 2000, compareMs = 5000 } = options
  const ticks = metrics.counter('service_clock_ticks_total', 'Ticks that are on the log')
  const skipped = metrics.counter('service_clock_ticks_skipped_total', 'Seconds without a tick, by reason', ['reason'])
  const leading = metrics.gauge('service_clock_leader', '1 while this instance is the clock')
  const alarm = metrics.gauge('service_clock_alarm', '1 while ticks are stopped because the clocks disagree')
  const skewGauge = metrics.gauge('service_clock_skew_ms', 'Time of the ticks minus Postgres’s')
  const lastTick = metrics.gauge('service_clock_last_tick_seconds', 'Epoch seconds of the last tick on the log')

  let session: HeldSession | null = null
  let time: Time | null = null
  let leads = false
  let closing = false
  let sending = false
  let tickTimer: NodeJS.Timeout | undefined
  const { rest, wake, end } = createRest()

  function send(t: number): void {
    if (sending || log.depth() > 1000) {
      skipped.inc({ reason: sending ? 'unanswered' : 'backlog' })
      return
    }
    sending = true
    log
      .append(tickRecords(codec.encode('Tick', { t, boot })))
      .then(
        () => {
          ticks.inc()
          lastTick.set(t / 1000)
        },
        (error: unknown) => {
          skipped.inc({ reason: 'failed' })
          logger.warn({ err: error }, 'a tick is not on the log; it is not repeated')
        }
      )
      .finally(() => {
        sending = false
      })
  }

  function beat(): void {
    if (!leads || !time || session?.lost()) return
    const next = advance(time, read())
    time = next.time
    if (next.tick !== null) send(next.tick)
    tickTimer = setTimeout(beat, Math.max(untilNextSecond(time), 1))
  }

  async function check(held: HeldSession): Promise<void> {
    const before = read()
    const server = await held.ask(serverTime)
    const after = read()
    if (!time || after.mono - before.mono > SLOW_ANSWER_MS) return
    // The server read its clock about half-way between the two readings. Half of the round trip is
    // added, to get its time at the second reading.
    const was = time.state
    time = compare(time, after, server + (after.mono - before.mono) / 2)
    skewGauge.set(time.skew)
    alarm.set(time.state === 'stopped' ? 1 : 0)
    if (time.state === was) return
    const clocks = { skew_ms: Math.round(time.skew), wall_minus_server_ms: Math.round(after.wall - server) }
    if (time.state === 'stopped') logger.error(clocks, 'the clocks of this machine and of Postgres disagree: ticks stop')
    else logger.info(clocks, was === 'stopped' ? 'the clocks agree again: ticks go on' : 'ticks begin')
  }

  /** Leads from winning the lock until the session is lost. */
  async function lead(held: HeldSession): Promise<void> {
    time = begin(read(), time)
    leads = true
    leading.set(1)
    beat()
    try {
      while (!closing && !held.lost()) {
        await check(held)
        // While the time is not running, it is compared every second.
        await rest(time?.state === 'running' ? compareMs : Math.min(compareMs, 1000))
      }
    } finally {
      leads = false
      clearTimeout(tickTimer)
      leading.set(0)
      alarm.set(0)
    }
  }

  async function run(): Promise<void> {
    while (!closing) {
      try {
        const held = await holdSession(pool, {
          onLost: () => {
            leads = false
            clearTimeout(tickTimer)
            wake()
          }
        })
        session = held
        while (!closing && !held.lost()) {
          if (await held.ask((tx) => tryLead(tx, 'clock'))) await lead(held)
          else await rest(contendMs)
        }
      } catch (error) {
        logger.warn({ err: error }, 'the clock has no session with Postgres; trying again')
        await rest(1000)
      } finally {
        session?.close()
        session = null
      }
    }
  }

  const running = run()
  return {
    leads: () => leads,
    ready: () => session !== null && !session.lost() && (!leads || time?.state !== 'stopped'),
    async close() {
      closing = true
      leads = false
      clearTimeout(tickTimer)
      end()
      await running
    }
  }
}
