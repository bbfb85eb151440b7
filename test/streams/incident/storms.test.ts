/**
 * Tests storms: when one begins and ends, by a table and for any openings; how they change the
 * fold; and monitors that flap, whose incident stays ongoing.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { holdsOf, noFacts } from '../../../streams/incident/holds.ts'
import { reduceIncident } from '../../../streams/incident/rules.ts'
import { noOpenings, type Openings, opening, STORM_MS, type Storm } from '../../../streams/incident/storms.ts'
import { compile } from '../../../streams/routing/rules.ts'
import { ruleOf } from '../routing/build.ts'
import { alertInput, id, integration_id, monitor_id, monitorInput, pending, T0, tenant_id, user_id, type World, world } from './build.ts'

/**
 * Takes openings at these instants, in ms after T0. Returns the storm of each, and what is
 * remembered at the end.
 */
function openings(threshold: number, times: readonly number[]): { storms: (Storm | null)[]; after: Openings } {
  let after: Openings = noOpenings
  const storms = times.map((ms) => {
    const next = opening({ ...after, threshold }, T0 + ms)
    after = next.after
    return next.storm
  })
  return { storms, after }
}

const SECOND = 1000

t.test('a storm starts with the first incident above the threshold and lasts a minute', async (t) => {
  const rows: [string, number[], (number | null)[]][] = [
    ['as many as the threshold', [0, 1, 2], [null, null, null]],
    ['one more', [0, 1, 2, 3], [null, null, null, 3 + STORM_MS]],
    ['as many again, a minute later', [0, 1, 2, 60_000, 60_001, 60_002], [null, null, null, null, null, null]],
    ['within the minute', [0, 1, 2, 54_000], [null, null, null, 54_000 + STORM_MS]],
    ['all until its end', [0, 1, 2, 3, 60_002], [null, null, null, 60_003, 60_003]],
    ['and none after it', [0, 1, 2, 3, 60_003], [null, null, null, 60_003, null]],
    ['unless they go on', [0, 1, 2, 3, 55_000, 56_000, 57_000, 60_003], [null, null, null, 60_003, 60_003, 60_003, 60_003, 120_003]],
    ['one that lags, in the storm', [60_000, 60_001, 60_002, 60_003, 20_000], [null, null, null, 120_003, 120_003]],
    ['one that lags behind the minute', [600_000, 600_001, 600_002, 600_003, 0], [null, null, null, 660_003, null]]
  ]
  for (const [name, times, expected] of rows)
    t.same(
      openings(3, times).storms.map((storm) => storm && storm.until - T0),
      expected,
      name
    )
  t.same(openings(3, [0, 1, 2, 3]).storms[3], { until: T0 + 3 + STORM_MS, count: 4, threshold: 3 }, 'what was read')
})

t.test('no opening is later than the time of Postgres, so a clock that is ahead makes no storm longer', async (t) => {
  const ahead = opening({ ...noOpenings, threshold: 0, now: T0 }, T0 + 300 * SECOND)
  t.same([ahead.storm?.until, ahead.after.storm_until], [T0 + STORM_MS, T0 + STORM_MS])
  t.equal(opening({ ...ahead.after, threshold: 0, now: T0 + STORM_MS }, T0).storm?.until, T0 + STORM_MS, 'an earlier time counts')
})

t.test('storm limits hold for random opening times', async (t) => {
  const times = fc.array(fc.nat({ max: 400 * SECOND }), { maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), times, (threshold, given) => {
      const { storms, after } = openings(threshold, given)
      assert.ok(after.counts.length <= STORM_MS / 5000, 'what is remembered is bounded')
      for (const [nth, storm] of storms.entries()) {
        const at = given[nth] ?? 0
        if (!storm) continue
        assert.ok(storm.until > T0 + at && storm.until <= T0 + at + 2 * STORM_MS, 'nothing is held for long')
        assert.ok(nth >= threshold, 'so many come before the first that is held')
      }
    }),
    { numRuns: 500 }
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), times, (threshold, given) => {
      const sorted = [...given].sort((one, other) => one - other)
      const { storms } = openings(threshold, sorted)
      let until = -1
      for (const [nth, at] of sorted.entries()) {
        // Openings are counted in steps of five seconds: those of the last 55 s always count, and
        // none older than 60 s does.
        const within = (ms: number): number => sorted.slice(0, nth + 1).filter((other) => other > at - ms).length
        const held = storms[nth] !== null
        if (at < until) assert.ok(held, 'held to the end')
        else if (within(55 * SECOND) > threshold) assert.ok(held, 'more than the threshold within 55 s')
        else if (within(60 * SECOND) <= threshold) assert.ok(!held, 'no more than the threshold within 60 s')
        const storm = storms[nth]
        if (storm) until = storm.until - T0
      }
    }),
    { numRuns: 500 }
  )
  t.pass('1,000 runs')
})

const key = (n: number): string => `int:${integration_id}:${n}`
const fire = (n: number, ms: number, over: Parameters<typeof alertInput>[0] = {}) =>
  alertInput(
    { event_id: id(`fire ${n} ${ms}`), dedup_key: key(n), occurred_at: T0 + ms, received_at: T0 + ms, ...over },
    { offset: n, timestamp: T0 + ms }
  )

function stormy(threshold: number): World {
  const acme = world()
  acme.traffic.set(tenant_id, { ...noOpenings, threshold })
  return acme
}

t.test('the fold holds incidents opened in a storm, with one timer, and records what it read', async (t) => {
  const many = Array.from({ length: 8 }, (_, n) => fire(n, n * 10))
  const apart = stormy(5)
  for (const input of many) apart.take([input])
  const acme = stormy(5)
  acme.take(many)
  t.same(acme.events, apart.events, 'however a log is cut into batches')
  t.same(acme.traffic, apart.traffic)

  const until = T0 + 50 + STORM_MS
  const all = many.map((_, n) => acme.of(key(n))[0])
  t.same(
    all.map((incident) => incident?.storm_until),
    [null, null, null, null, null, until, until, until]
  )
  t.match(pending(acme.jobs), [{ start: 'storm_end', tenant_id, run_at: until, payload: { until } }])
  t.equal(pending(acme.jobs).length, 1, 'one for all of a storm')
  t.match(JSON.parse(acme.events[7]?.cause.input ?? ''), { storm: { until, count: 8, threshold: 5 } })
  t.notOk(acme.events[0]?.cause.input?.includes('storm'), 'nothing is added where there is none')
  const last = all[7]
  if (!last) throw new Error('nothing opened')
  t.match(holdsOf(last, noFacts, until - 1), [{ kind: 'storm', until }])
  t.same(holdsOf(last, noFacts, until), [])

  for (const { cause, at: now, config_versions: versions, incident, event_id: _, ...rest } of acme.events) {
    const context = { now, cause: { ...cause, input: null }, versions, number: incident.number }
    const step = reduceIncident(null, JSON.parse(cause.input ?? ''), { ...context, id: (purpose) => uuidv5(cause.event_id ?? '', purpose) })
    t.match(step.events, [{ ver: rest.ver, incident }], 'a replay needs no counter')
  }
})

t.test('only new incidents count towards a storm, not repeats, recoveries or joins', async (t) => {
  const acme = stormy(2)
  acme.take([fire(0, 0), fire(0, 1, { sequence: 1 }), fire(0, 2, { sequence: 2 }), fire(0, 3, { action: 'resolve', sequence: 3 })])
  acme.take([fire(1, 4)])
  t.same(
    [...acme.incidents.values()].map(({ storm_until }) => storm_until),
    [null, null]
  )
  acme.take([fire(0, 5, { sequence: 4 })])
  t.equal(acme.of(key(0)).at(-1)?.storm_until, T0 + 5 + STORM_MS)

  const grouped = stormy(1)
  const group = { by: ['label.service'], window_seconds: 300, max_alerts: 100 }
  grouped.rules.set(tenant_id, compile(7, [ruleOf(id('rule'), { actions: { group } })]))
  const inGroup = (n: number, service: string) => fire(n, n, { labels: { service } })
  grouped.take([inGroup(0, 'shop'), inGroup(1, 'shop'), inGroup(2, 'shop'), inGroup(3, 'db'), inGroup(4, 'db')])
  t.match(
    [...grouped.incidents.values()].map(({ alert_count, storm_until }) => [alert_count, storm_until]),
    [
      [3, null],
      [2, T0 + 3 + STORM_MS]
    ]
  )
})

t.test('the end of a storm releases only ongoing incidents', async (t) => {
  const acme = stormy(1)
  acme.take([fire(0, 0), fire(1, 1), fire(2, 2)])
  acme.take([fire(2, 3, { action: 'resolve' })])
  const until = T0 + 1 + STORM_MS
  const command = { command: 'storm_end', by: 'system:storm_end', until } as const
  for (const n of [0, 1, 2]) acme.obey(command, until, acme.of(key(n))[0]?.incident_id)
  t.match(
    [0, 1, 2].map((n) => acme.of(key(n))[0]),
    [
      { storm_until: null, ver: 1 },
      { storm_until: null, ver: 2, status: 'ongoing' },
      { storm_until: until, ver: 2, status: 'resolved' }
    ]
  )
  t.equal(acme.events.at(-1)?.change, 'storm_ended')
})

let offset = 0
const monitor = (ver: number, over: Parameters<typeof monitorInput>[0]) =>
  monitorInput({ event_id: id(`monitor ${ver}`), ver, at: T0 + ver * SECOND, ...over }, { offset: offset++ })
const down = { previous_status: 'up', status: 'down', phase: 'down' } as const
const up = { previous_status: 'down', status: 'up', phase: 'flapping', flapping: true } as const

t.test('the incident of a flapping monitor stays ongoing until the flapping ends', async (t) => {
  const acme = world()
  const of = () => acme.of(`mon:${monitor_id}`)
  acme.take([monitor(1, { ...down, previous_phase: 'ok' })])
  acme.take([monitor(2, up), monitor(3, { ...down, previous_phase: 'flapping', flapping: true }), monitor(4, up)])
  t.match(of(), [{ status: 'ongoing', flapping: true }])
  t.same(
    acme.events.map(({ change }) => change),
    ['created', 'flapping_on'],
    'it is told once'
  )
  t.same(pending(acme.jobs), [])
  acme.take([monitor(5, { previous_status: 'up', status: 'up', previous_phase: 'flapping', phase: 'ok' })])
  t.match(of(), [{ status: 'resolved', flapping: false, resolution_reason: 'recovered' }], 'a normal recovery at its end')

  acme.take([monitor(6, { ...down, previous_phase: 'ok', flapping: true })])
  t.match(of().at(-1), { status: 'ongoing', flapping: true, reopened_from: null })
  acme.take([monitor(7, { previous_status: 'down', status: 'down', previous_phase: 'down', phase: 'down' })])
  t.match(of().at(-1), { status: 'ongoing', flapping: false })
  t.match(
    pending(acme.jobs),
    [{ start: 'hold_end', payload: { incident_id: of().at(-1)?.incident_id } }],
    'whether something else holds it'
  )
})

t.test('an incident resolved by a person during flapping stays quiet until the flapping ends', async (t) => {
  const acme = world()
  const of = () => acme.of(`mon:${monitor_id}`)
  acme.take([monitor(1, { ...down, previous_phase: 'ok', flapping: true })])
  const resolve = { command: 'resolve', by: `user:${user_id}`, note: null, until_recovered: true } as const
  acme.obey(resolve, T0 + 1500, of()[0]?.incident_id)
  acme.take([monitor(2, up), monitor(3, { ...down, previous_phase: 'flapping', flapping: true })])
  t.equal(of().length, 1)
  acme.take([monitor(4, up), monitor(5, { previous_status: 'up', status: 'up', previous_phase: 'flapping', phase: 'ok' })])
  acme.take([monitor(6, { ...down, previous_phase: 'ok' })])
  t.equal(of().length, 2)
})
