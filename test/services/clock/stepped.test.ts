/**
 * The clock's machine is set an hour ahead, or an hour back, while everything else continues. Ticks
 * stop and the alarm is raised.
 *
 * Meanwhile the real folds read the real log: a heartbeat that pings is not missed, and a monitor
 * that is checked is judged. Once the clock is right again, whatever was silent is reported as
 * missed, once, by exactly the tick that is due to do so. The stop counts as an outage of our own,
 * so deadlines and freshness windows move by its length.
 */
import { pino } from 'pino'
import t, { type Test } from 'tap'
import type { CheckResult, HeartbeatTransition, MonitorTransition } from '../../../schemas/generated/events.ts'
import { topicNames } from '../../../schemas/topics.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { startClock } from '../../../services/clock/clock.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { start } from '../../../services/processors/main.ts'
import { createPool } from '../../../services/store/pool.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { config as heartbeatConfig, ping } from '../../streams/heartbeat/build.ts'
import { config as monitorConfig, result } from '../../streams/status/build.ts'

t.setTimeout(300_000)
t.jobs = 2

const codec = localCodec()
const HOUR = 3_600_000
const LATENESS_MS = 8000
const TICK_GAP_MS = 3000
const PERIOD_MS = 1000
const INTERVAL_MS = 5000
const TIMEOUT_MS = 1000
/** A busy machine may hold up the checks of this test for seconds. They must still be fresh. */
const FRESH_FOR_MS = 2 * INTERVAL_MS + TIMEOUT_MS
const REGIONS = ['a', 'b', 'c']
/**
 * How far the machine is off before the step. That is still allowed; 100 ms more, after the step,
 * are too much.
 */
const OFF_MS = 1900

type Outcome = CheckResult['outcome'] | null

interface Tick {
  t: number
  offset: bigint
  timestamp: number
}

/**
 * Starts a broker, Postgres, the processors role, and a clock whose machine is off by `machine.off`
 * ms.
 */
async function stack(t: Test, machine: { off: number }) {
  const config = await testConfig(t)
  await testTopics(t, config, topicNames)
  const log = createLog('test', 'silent')
  const stream = await connectStream({
    brokers: config.kafkaBrokers,
    clientId: 'test-stepped',
    topicPrefix: config.topicPrefix,
    log,
    metrics: createMetrics()
  })
  t.teardown(() => stream.close())
  const faults: unknown[] = []
  const processors = await start({
    config,
    log,
    metrics: createMetrics(),
    stream: async () => stream,
    codec: async () => codec,
    fatal: (reason, error) => faults.push(reason, error)
  })
  t.teardown(() => processors.close())
  const records: InRecord[] = []
  await stream.follow({
    topics: ['checks.results.v1', 'heartbeat.pings.v1'],
    from: 'beginning',
    onRecords: (some) => void records.push(...some)
  })
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  const metrics = createMetrics()
  const said: { level: number; msg: string }[] = []
  const clock = startClock({
    pool,
    log: stream.log,
    codec,
    boot: uuidv7(),
    logger: pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line)) }),
    metrics,
    read: () => ({ mono: performance.now(), wall: Date.now() + machine.off }),
    contendMs: 50,
    compareMs: 50
  })
  t.teardown(async () => {
    await clock.close()
    await pool.end()
  })
  const eventType = (record: InRecord): string => record.headers.event_type ?? ''

  async function told<T>(topic: string, record: 'HeartbeatTransition' | 'MonitorTransition', id: string): Promise<T[]> {
    const { rows } = await pool.query<{ payload: Buffer }>(
      "SELECT payload FROM outbox WHERE topic = $1 AND convert_from(key, 'UTF8') = $2 ORDER BY ver",
      [topic, id]
    )
    return rows.map(({ payload }) => codec.decode(record, payload) as T)
  }
  return {
    clock,
    faults,
    said,
    records,
    alarm: async () => (await metrics.registry.getSingleMetric('service_clock_alarm')?.get())?.values[0]?.value,
    append: stream.log.append,
    /** All ticks. With `of`, only the ticks that follow that record in its partition. */
    ticks: (of?: InRecord): Tick[] =>
      records
        .filter((record) => eventType(record) === 'tick')
        .filter((record) => !of || (record.topic === of.topic && record.partition === of.partition && record.offset > of.offset))
        .map(({ value, offset, timestamp }) => ({ t: codec.decode('Tick', value ?? Buffer.alloc(0)).t, offset, timestamp })),
    /** The last record of a heartbeat or monitor that is not a control record. */
    lastOf: (id: string): InRecord => {
      const last = records.findLast((record) => record.key === id && eventType(record) === '')
      if (!last) throw new Error(`nothing of ${id} is on the log`)
      return last
    },
    ofHeartbeat: (id: string) => told<HeartbeatTransition>('heartbeat.transitions.v1', 'HeartbeatTransition', id),
    ofMonitor: (id: string) => told<MonitorTransition>('monitor.transitions.v1', 'MonitorTransition', id),
    working: () => Object.values(processors.ready()).every(Boolean)
  }
}

/**
 * Applies the ticks after a record to the deadline `dueAt`. Every gap between ticks moves the
 * deadline by its length. Returns the first tick that reaches the moved deadline and the total
 * shift, or null if no tick has reached it yet.
 */
function passedBy(ticks: readonly Tick[], before: number, dueAt: number): { tick: Tick; shifted_ms: number } | null {
  let [last, shifted_ms] = [before, 0]
  for (const tick of ticks) {
    if (tick.t - last > TICK_GAP_MS) shifted_ms += tick.t - last
    if (tick.t >= dueAt + shifted_ms) return { tick, shifted_ms }
    last = tick.t
  }
  return null
}

for (const [name, step] of [
  ['an hour ahead', HOUR],
  ['an hour back', -HOUR]
] as const) {
  t.test(`a clock stepped ${name} stops ticks and causes no false miss`, { buffered: true }, async (t) => {
    const machine = { off: Math.sign(step) * OFF_MS }
    const on = await stack(t, machine)
    const [steady, due, unseen] = [uuidv7(), uuidv7(), uuidv7()]
    const [watched, failing, silent] = [uuidv7(), uuidv7(), uuidv7()]
    await until('the processors work, and time passes', () => on.working() && on.ticks().length > 0)

    const sendPing = (heartbeat_id: string) => {
      const value = ping(Date.now(), { heartbeat_id, event_id: uuidv7() })
      return on.append([{ topic: 'heartbeat.pings.v1', key: heartbeat_id, value: codec.encode('HeartbeatPing', value) }])
    }
    const headers = (event_type: string) => ({ event_id: uuidv7(), event_type })
    await on.append(
      [steady, due, unseen].map((heartbeat_id) => {
        const period_seconds = heartbeat_id === steady ? 5 : PERIOD_MS / 1000
        const value = heartbeatConfig({ heartbeat_id, period_seconds, grace_seconds: 0, at: Date.now() })
        return {
          topic: 'heartbeat.pings.v1',
          key: heartbeat_id,
          value: codec.encode('HeartbeatConfig', value),
          headers: headers('heartbeat_config')
        }
      })
    )
    await on.append(
      [watched, failing, silent].map((monitor_id) => {
        const value = monitorConfig({
          monitor_id,
          interval_seconds: INTERVAL_MS / 1000,
          timeout_seconds: TIMEOUT_MS / 1000,
          regions: REGIONS,
          at: Date.now()
        })
        return {
          topic: 'checks.results.v1',
          key: monitor_id,
          value: codec.encode('MonitorConfig', value),
          headers: headers('monitor_config')
        }
      })
    )

    // The normal load: a ping and a round of checks, four times a second, whatever the clock does.
    const says = new Map<string, (region: string) => Outcome>()
    for (const monitor_id of [watched, failing, silent]) says.set(monitor_id, () => 'success')
    const sent: Promise<unknown>[] = []
    const feed = setInterval(() => {
      const at = Date.now()
      sent.push(sendPing(steady))
      const rounds = [...says].flatMap(([monitor_id, outcomeOf]) =>
        REGIONS.flatMap((region) => {
          const outcome = outcomeOf(region)
          return outcome ? [result(at, { monitor_id, region, outcome })] : []
        })
      )
      sent.push(
        on.append(rounds.map((value) => ({ topic: 'checks.results.v1', key: value.monitor_id, value: codec.encode('CheckResult', value) })))
      )
    }, 250)
    t.teardown(() => clearInterval(feed))
    await sendPing(due)
    await until('the monitors are well', async () => (await on.ofMonitor(silent)).at(-1)?.phase === 'ok')

    machine.off = step
    await until('the alarm', async () => (await on.alarm()) === 1)
    t.ok(on.clock.leads() && !on.clock.ready(), 'it leads, and says that it is of no use')
    t.ok(
      on.said.some(({ level, msg }) => level === 50 && msg.includes('ticks stop')),
      'an error is logged'
    )
    await sendPing(unseen)
    says.set(failing, (region) => (region === 'c' ? 'success' : 'failure'))
    says.delete(silent)
    await until('no tick comes', () => Date.now() - (on.ticks().at(-1)?.t ?? 0) > TICK_GAP_MS + 500)
    await until('failing checks are judged without a tick', async () => (await on.ofMonitor(failing)).at(-1)?.status === 'down')
    t.equal(await on.alarm(), 1, 'stopped all the while')
    const before = on.ticks().length
    t.same(await on.ofHeartbeat(due), [], 'nothing is missed while nobody knows the time')
    t.equal((await on.ofMonitor(silent)).at(-1)?.phase, 'ok', 'and nothing turns stale')

    machine.off = 0
    await until('ticks go on', () => on.ticks().length > before)
    t.equal(await on.alarm(), 0)
    t.ok(on.clock.ready())
    says.set(failing, () => 'success')
    await until('it is well again', async () => (await on.ofMonitor(failing)).at(-1)?.status === 'up')
    await until('its silence is told', async () => (await on.ofMonitor(silent)).at(-1)?.phase === 'no_data')
    for (const id of [due, unseen]) await until('its miss', async () => (await on.ofHeartbeat(id)).at(-1)?.status === 'missed')

    for (const heartbeat_id of [due, unseen]) {
      const one = on.lastOf(heartbeat_id)
      const { received_at } = codec.decode('HeartbeatPing', one.value ?? Buffer.alloc(0))
      const lastTick = on.records.findLast(
        (record) =>
          record.headers.event_type === 'tick' &&
          record.topic === one.topic &&
          record.partition === one.partition &&
          record.offset < one.offset
      )
      const before = codec.decode('Tick', lastTick?.value ?? Buffer.alloc(0)).t
      // The fold may have read the tick before this test has.
      const { tick, shifted_ms } = await until('the tick', () => passedBy(on.ticks(one), before, received_at + PERIOD_MS + LATENESS_MS))
      t.ok(shifted_ms > TICK_GAP_MS, 'the stop lay in its time')
      const misses = (await on.ofHeartbeat(heartbeat_id)).filter(({ status }) => status === 'missed')
      t.match(
        misses,
        [{ expected_at: received_at + PERIOD_MS, deadline_at: received_at + PERIOD_MS + shifted_ms, shifted_ms, tick_at: tick.t }],
        'missed by the tick that it should be, by the time that was told'
      )
      t.equal(misses.length, 1, 'once')
    }

    const lastResult = on.lastOf(silent)
    const heard = on.records.findLast(
      (record) =>
        record.headers.event_type === 'tick' &&
        record.topic === lastResult.topic &&
        record.partition === lastResult.partition &&
        record.offset < lastResult.offset
    )
    const heardAt = codec.decode('Tick', heard?.value ?? Buffer.alloc(0)).t
    const { tick } = await until('the tick', () => passedBy(on.ticks(lastResult), heardAt, heardAt + FRESH_FOR_MS))
    const silences = (await on.ofMonitor(silent)).filter(({ phase }) => phase === 'no_data')
    t.match(silences, [{ status: 'up', at: tick.timestamp }], 'without data by the tick that it should be')
    t.equal(silences.length, 1, 'once')

    await sendPing(due)
    await until('it is up with its ping', async () => (await on.ofHeartbeat(due)).at(-1)?.status === 'up')
    clearInterval(feed)
    await Promise.all(sent)
    const statuses = (all: { status: string; previous_status: string }[]) =>
      all.filter(({ status, previous_status }) => status !== previous_status).map(({ status }) => status)
    t.same(statuses(await on.ofHeartbeat(steady)), [], 'who pings is never missed')
    t.same(statuses(await on.ofHeartbeat(due)), ['missed', 'up'])
    t.same(statuses(await on.ofMonitor(failing)), ['down', 'up'])
    t.same(statuses(await on.ofMonitor(watched)), [])
    t.ok(
      (await on.ofMonitor(watched)).every(({ phase }) => phase === 'ok'),
      'who is checked is never stale'
    )
    t.ok(
      on.ticks().every((each) => Math.abs(each.t - each.timestamp) < 5000),
      'no tick told a time that no fold would believe'
    )
    t.same(on.faults, [])
  })
}
