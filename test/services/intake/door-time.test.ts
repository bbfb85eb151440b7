/**
 * Tests of the clock with which a door stamps records: tables of the rule, the loop around it with
 * fake clocks, and a door on real engines whose wall clock goes back by two minutes.
 */

import { pino } from 'pino'
import t from 'tap'
import { createDoorTime } from '../../../services/intake/time/door-time.ts'
import {
  BROKER_KNOWN_MS,
  better,
  isStep,
  type Judged,
  judge,
  POSTGRES_KNOWN_MS,
  type Sample,
  sampleOf
} from '../../../services/intake/time/estimate.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { listNotices } from '../../../services/store/platform-notices.ts'
import { until } from '../../harness/until.ts'
import { watchStand } from './watch-stand.ts'

const NOW = 1_000_000
const seen = (offset: number, error = 1, at = NOW): Sample => ({ offset, error, at })

t.same(sampleOf(5010, 1000, 1020), { offset: 4000, error: 10, at: 1020 }, 'half the round trip is the error')

const rows: [name: string, postgres: Sample | null, broker: Sample | null, wall: number, judged: Judged][] = [
  ['all agree', seen(0), seen(300), 200, { offset: 0, odd: 'none' }],
  ['two minutes behind', seen(0), seen(300), -120_000, { offset: 0, odd: 'door' }],
  ['5 s ahead', seen(0), seen(-300), 5000, { offset: 0, odd: 'door' }],
  ['the broker is 5 s off', seen(0), seen(5000), 100, { offset: null, odd: 'broker' }],
  ['Postgres is 5 s off', seen(-5000), seen(0), 100, { offset: null, odd: 'postgres' }],
  ['three clocks, three times', seen(-5000), seen(5000), 0, { offset: null, odd: 'unknown' }],
  ['between the two', seen(-900), seen(900), 0, { offset: null, odd: 'none' }],
  ['errors too large to say that they agree', seen(0, 350), seen(500, 350), 0, { offset: null, odd: 'none' }],
  ['Postgres is away', null, seen(0), -120_000, { offset: null, odd: 'none' }],
  ['nothing was appended yet', seen(0), null, -120_000, { offset: null, odd: 'none' }],
  ['Postgres was away too long', seen(0, 1, NOW - POSTGRES_KNOWN_MS - 1), seen(0), 0, { offset: null, odd: 'none' }],
  ['nothing was appended for too long', seen(0), seen(0, 1, NOW - BROKER_KNOWN_MS - 1), 0, { offset: null, odd: 'none' }]
]
for (const [name, postgres, broker, wall, judged] of rows) t.same(judge(postgres, broker, wall, NOW), judged, name)

const samples: [name: string, kept: Sample | null, next: Sample, which: 'kept' | 'next'][] = [
  ['the first', null, seen(0, 50), 'next'],
  ['a slow answer', seen(0, 1), seen(0, 401), 'kept'],
  ['an exact one stands', seen(0, 1), seen(30, 50), 'kept'],
  ['for half a minute', seen(0, 1, NOW - 30_001), seen(30, 50), 'next'],
  ['a more exact one', seen(0, 50), seen(30, 1), 'next'],
  ['that clock was set', seen(0, 1), seen(5000, 200), 'next']
]
for (const [name, kept, next, which] of samples) t.equal(better(kept, next), which === 'next' ? next : kept, name)

t.same([isStep(0, 250), isStep(0, 251), isStep(0, -30_000)], [false, true, true])

t.test('a jump of the wall clock does not change the time of the door and is reported', async (t) => {
  let [mono, ahead, server] = [1000, 1_700_000_000_000, 1_700_000_000_000]
  const told: string[] = []
  const metrics = createMetrics()
  const time = createDoorTime({
    instance: 'door 1/a',
    ask: async () => mono + server,
    tell: async (cause) => void told.push(cause),
    log: pino({ level: 'silent' }),
    metrics,
    monotonic: () => mono,
    wall: () => mono + ahead
  })
  t.teardown(time.close)
  const pass = async (ms: number): Promise<void> => {
    mono += ms
    await time.look()
  }
  await pass(0)
  t.equal(time.isAgreed(), false, 'Postgres alone is not believed')
  time.appended({ appended_at: mono + server + 20, asked: mono - 5, answered: mono + 5 })
  t.equal(time.isAgreed(), true)
  ahead -= 120_000
  t.equal(time.now(), mono + server, 'at once, before anybody has looked')
  await pass(1000)
  await pass(5000)
  t.same(told, ['clock:door:door_1_a'])
  await pass(5000)
  t.equal(told.length, 1, 'not at every look')
  await pass(5000)
  await pass(5000)
  t.equal(told.length, 2, 'but for as long as it lasts')
  const text = await metrics.registry.metrics()
  t.match(text, /service_intake_clock_odd\{clock="door"\} 1/)
  t.match(text, /service_intake_clock_steps_total 1/)
  t.match(text, /service_intake_clock_skew_ms\{against="postgres"\} -120000/)

  server += 5000
  ahead += 120_000
  await pass(5000)
  await pass(5000)
  t.equal(time.isAgreed(), false)
  t.equal(time.now(), mono + ahead, 'its own time')
  t.equal(told.at(-1), 'clock:postgres')
})

t.test('a door whose clock goes back two minutes keeps its time and refuses nothing', async (t) => {
  const on = await watchStand(t)
  const heartbeat = await on.heartbeat()
  const ping = async (): Promise<number> => (await fetch(`${on.url}/api/v1/ping/${heartbeat.token}`, { method: 'POST' })).status
  t.equal(await ping(), 200)
  await until('the door to know the time', async () => /service_intake_clock_agreed 1/.test(await on.metrics()))

  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  Date.now = () => now() - 120_000
  t.equal(await ping(), 200)
  const [, second] = await until('both pings', () => on.pings().length === 2 && on.pings())
  t.ok(Math.abs((second?.value.received_at ?? 0) - now()) < 60_000, `received ${now() - (second?.value.received_at ?? 0)} ms ago`)
  const notice = await until('the notice', async () =>
    (await listNotices(on.system, 20)).find(({ kind, causes }) => kind === 'clock' && causes.includes('clock:door:door-1'))
  )
  t.ok(notice)
})

t.test('a door may save only notices about clocks', async (t) => {
  const on = await watchStand(t)
  const { rows } = await on.system.query<{ allowed: boolean }>(
    "SELECT has_function_privilege('service_tenant', 'save_platform_notice(uuid, text, text, timestamptz, timestamptz)', 'EXECUTE') AS allowed"
  )
  t.same(rows, [{ allowed: false }])
  await t.rejects(on.system.query("SELECT save_clock_notice(gen_random_uuid(), 'tick_gap')"), /a door tells of clock:postgres/)
})
