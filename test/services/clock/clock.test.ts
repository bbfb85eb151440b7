/**
 * The clock on a real broker and a real Postgres: which clock ticks, what the ticks say, and when
 * no clock ticks.
 */
import t, { type Test } from 'tap'
import { specOf } from '../../../schemas/topics.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import type { Reading } from '../../../services/clock/advance.ts'
import { type Clock, startClock, timedTopics } from '../../../services/clock/clock.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { createPool } from '../../../services/store/pool.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { type Append, type InRecord, OutcomeUnknown } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { endSessions } from '../../harness/sessions.ts'
import { until } from '../../harness/until.ts'

t.setTimeout(300_000)
t.jobs = 5

const codec = localCodec()
const logger = createLog('test', 'silent')

interface Stack {
  records: InRecord[]
  /** Starts a clock that Postgres sees as a process of its own. */
  clock(options?: { read?: () => Reading; log?: Append; compareMs?: number }): {
    clock: Clock
    boot: string
    metric(name: string): Promise<number>
    endSession(): Promise<void>
  }
}

async function stack(t: Test): Promise<Stack> {
  const config = await testConfig(t)
  await testTopics(t, config, timedTopics)
  const stream = await connectStream({
    brokers: config.kafkaBrokers,
    clientId: 'test-clock',
    topicPrefix: config.topicPrefix,
    log: logger,
    metrics: createMetrics()
  })
  t.teardown(() => stream.close())
  const records: InRecord[] = []
  await stream.follow({ topics: timedTopics, from: 'beginning', onRecords: (batch) => records.push(...batch) })
  const owner = createPool(config.postgresUrl, { application_name: 'test', max: 1 })
  t.teardown(() => owner.end())
  return {
    records,
    clock({ read, log = stream.log, compareMs = 100 } = {}) {
      const boot = uuidv4()
      const name = `clock ${boot}`
      const metrics = createMetrics()
      const pool = createPool(config.postgresSystemUrl, { application_name: name, max: 1 })
      const clock = startClock({ pool, log, codec, boot, logger, metrics, contendMs: 50, compareMs, ...(read ? { read } : {}) })
      t.teardown(async () => {
        await clock.close()
        await pool.end()
      })
      return {
        clock,
        boot,
        metric: async (metric) =>
          (await metrics.registry.getSingleMetric(metric)?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN,
        endSession: () => endSessions(owner, name)
      }
    }
  }
}

const decoded = (records: InRecord[]) => records.map((record) => ({ ...codec.decode('Tick', record.value ?? Buffer.alloc(0)), record }))

t.test('every partition of both topics gets each second exactly once, in order', async (t) => {
  const { records, clock } = await stack(t)
  const { boot, metric } = clock()
  const partitions = timedTopics.flatMap((topic) =>
    Array.from({ length: specOf(topic).partitions }, (_, partition) => ({ topic, partition }))
  )
  const of = (at: { topic: string; partition: number }) =>
    decoded(records).filter(({ record }) => record.topic === at.topic && record.partition === at.partition)
  const secondsOf = (at: { topic: string; partition: number }): number[] => of(at).map((tick) => tick.t)
  /**
   * The seconds of the first partition, from its first three consecutive ones on. The clock skips a
   * second while the log does not answer, which may happen at the start.
   */
  const three = await until('three seconds in a row in every partition', () => {
    const [seconds = []] = partitions.map(secondsOf)
    const at = seconds.findIndex((second, index) => seconds[index + 1] === second + 1000 && seconds[index + 2] === second + 2000)
    const found = seconds.slice(at, at + 3)
    return at >= 0 && partitions.every((one) => secondsOf(one).includes(found[2] ?? 0)) && found
  })
  const first = three[0] ?? 0
  const whole = (seconds: number[]): number[] => seconds.filter((second) => second <= first + 2000)
  t.equal(first % 1000, 0, 'stamped with the second')
  t.same(
    partitions.map((at) => whole(secondsOf(at))),
    partitions.map(() => whole(secondsOf(partitions[0] ?? { topic: '', partition: 0 }))),
    'the same seconds everywhere'
  )
  t.same(whole(secondsOf(partitions[0] ?? { topic: '', partition: 0 })).slice(-3), three, 'each once, in order')
  t.ok(decoded(records).every((tick) => tick.boot === boot))
  t.ok(records.every((record) => record.key === String(record.partition) && record.headers.event_type === 'tick'))
  t.ok(Math.abs(first - Date.now()) < 60_000, 'the time it is')
  t.equal(await metric('service_clock_leader'), 1)
})

t.test('closing during a comparison does not wait for the next comparison', async (t) => {
  const { clock } = await stack(t)
  let ending: Promise<void> | undefined
  let readings = 0
  const began = Date.now()
  const { clock: one } = clock({
    compareMs: 300_000,
    read: () => {
      // The first reading is the beat's. The second is the comparison's, just before it asks
      // Postgres. At that moment nothing sleeps, so close() has nothing to wake.
      if (one.leads() && ++readings === 2) ending = one.close()
      return { mono: performance.now(), wall: Date.now() }
    }
  })
  await until('the end to begin', () => ending !== undefined)
  await ending
  t.ok(Date.now() - began < 100_000, 'long before that')
})

t.test('only one of two clocks ticks, and the other takes over when it stops', async (t) => {
  const { records, clock } = await stack(t)
  const a = clock()
  await until('a leads', () => a.clock.leads())
  const b = clock()
  await until('ticks of a', () => decoded(records).some((tick) => tick.boot === a.boot))
  t.notOk(b.clock.leads())
  t.notOk(decoded(records).some((tick) => tick.boot === b.boot))
  await a.clock.close()
  await until('ticks of b', () => decoded(records).some((tick) => tick.boot === b.boot))
  t.ok(b.clock.leads())
})

t.test('after the session of the leader ends, one clock leads and ticks go on', async (t) => {
  const { records, clock } = await stack(t)
  const a = clock()
  await until('ticks of a', () => decoded(records).some((tick) => tick.boot === a.boot))
  const b = clock()
  await until('b stands by', () => b.clock.ready())
  await a.endSession()
  await until('one of them leads again', () => a.clock.leads() !== b.clock.leads() && (a.clock.leads() ? a : b))
  const before = records.length
  await until('ticks go on', () => records.length > before)
  t.notOk(a.clock.leads() && b.clock.leads())
})

t.test('a clock that disagrees with Postgres raises an alarm and does not tick until they agree', async (t) => {
  const { records, clock } = await stack(t)
  let off = 5000
  const { clock: wrong, metric } = clock({ read: () => ({ mono: performance.now(), wall: Date.now() + off }) })
  await until('the alarm', async () => (await metric('service_clock_alarm')) === 1)
  t.notOk(wrong.ready())
  t.ok(wrong.leads())
  t.same(records, [])
  off = 0
  await until('ticks', () => records.length > 0)
  t.ok(wrong.ready())
  t.equal(await metric('service_clock_alarm'), 0)
})

t.test('a tick without an answer from the log is skipped and not repeated', async (t) => {
  const { records, clock } = await stack(t)
  const appended: number[] = []
  let answer: (error: Error | null) => void = () => undefined
  const log: Append = {
    append: (batch) =>
      new Promise((resolve, reject) => {
        appended.push(codec.decode('Tick', batch[0]?.value ?? Buffer.alloc(0)).t)
        answer = (error) => (error ? reject(error) : resolve())
      }),
    appendEach: (calls) => calls.map((batch) => log.append(batch)),
    healthy: () => false,
    depth: () => 0,
    close: async () => undefined
  }
  const { metric } = clock({ log })
  await until('a second without an answer', async () => (await metric('service_clock_ticks_skipped_total')) >= 1)
  t.equal(appended.length, 1, 'nothing queues behind a tick that is not answered')
  answer(new OutcomeUnknown('no acknowledgement'))
  await until('the next tick', () => appended.length === 2)
  t.ok((appended[1] ?? 0) - (appended[0] ?? 0) >= 2000, 'a later second')
  t.same(records, [])
  answer(null)
})
