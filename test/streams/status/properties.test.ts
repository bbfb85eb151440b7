/**
 * Properties that hold however results arrive. Each property says how far it goes:
 *
 * - Batches: however a log is cut into batches, state, transitions, frames, notices and the newest
 *   mark of each monitor are equal.
 * - Calm: the cheap path for healthy results makes the same rows as the whole one.
 * - Repeats: results that have been judged already, or are older, change nothing wherever they come
 *   again.
 * - Order: three or five regions with a verdict, all reporting in every round, by majority or any:
 *   in whatever order the results of a round arrive, the status after it is the same. (With an even
 *   number, or other rules, there are votes that neither take down nor bring up, and history
 *   decides.)
 * - Fewer: with fewer than floor(n/2)+1 fresh regions the status never becomes down, nor up again.
 * - Always, in any mix: ver has no gaps; every change of status, phase or flapping has a
 *   transition, and there is no other transition; each has its frame, of a type of its own when
 *   the status stays; no input is changed (all are frozen); the row survives JSON.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { CheckResult, MonitorConfig } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { calmPlace, copyOf, type Moment, observe, observeCalm } from '../../../streams/status/rules.ts'
import { isMonitorRow } from '../../../streams/status/state.ts'
import { configInput, confirmation, fold, frozen, id, monitor_id, resultInput, SECOND, T0, tickInput, type World, world } from './build.ts'

/** Throws, with the smallest example, when the property does not hold. */
function holds<T>(t: Test, property: fc.IProperty<T>, numRuns = 200): void {
  fc.assert(property, { numRuns })
  t.pass(`${numRuns} runs`)
}

const codes = ['a', 'b', 'c', 'd', 'e']
const monitors = [monitor_id, id('second')]

const rule: fc.Arbitrary<MonitorConfig['confirmation']> = fc
  .record({
    regions: fc.constantFrom('any', 'majority', 'all', 'count'),
    count: fc.option(fc.integer({ min: 1, max: 6 })),
    rounds: fc.integer({ min: 1, max: 3 }),
    recovery_rounds: fc.integer({ min: 1, max: 3 }),
    min_seconds: fc.constantFrom(0, 0, 0, 60),
    recovery_seconds: fc.constantFrom(0, 0, 0, 60),
    failure_rate: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.record({ failures: fc.integer({ min: 1, max: 4 }), window_seconds: fc.constantFrom(60, 300) }) }
    )
  })
  .map(({ failure_rate, ...over }) => confirmation({ ...over, failure_rate: failure_rate && { ...failure_rate } }))

const flap = { enabled: true, window_rounds: 4, high_percent: 50, low_percent: 25 }
/** An interval of ten seconds and a timeout of five: a result is fresh for 25 s. */
const quick = { interval_seconds: 10, timeout_seconds: 5, flap }

/** What happens next: time passes (with its ticks), a result comes, a configuration changes. */
type Event =
  | { kind: 'pass'; seconds: number; ticking: boolean }
  | { kind: 'result'; monitor: number; region: string; outcome: CheckResult['outcome']; back: number; odd: 'none' | 'skewed' | 'uncounted' }
  | { kind: 'round'; monitor: number; regions: string[]; outcome: CheckResult['outcome']; times: number }
  | { kind: 'config'; monitor: number; regions: string[]; confirmation: MonitorConfig['confirmation']; paused: boolean; step: number }
  | { kind: 'delete'; monitor: number }

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      seconds: fc.integer({ min: 1, max: 8 }),
      ticking: fc.constantFrom(true, true, true, false)
    })
  },
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('result' as const),
      monitor: fc.constantFrom(0, 0, 0, 1),
      region: fc.constantFrom(...codes.slice(0, 4)),
      outcome: fc.constantFrom('success', 'success', 'failure', 'failure', 'degraded', 'prober_error'),
      back: fc.constantFrom(0, 0, 0, 1, 30),
      odd: fc.constantFrom('none', 'none', 'none', 'none', 'skewed', 'uncounted')
    })
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('round' as const),
      monitor: fc.constantFrom(0, 0, 1),
      regions: fc.constantFrom(codes, codes, ['a', 'b'], ['b', 'c', 'd']),
      outcome: fc.constantFrom('success', 'failure'),
      times: fc.integer({ min: 1, max: 3 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('config' as const),
      monitor: fc.constantFrom(0, 1),
      regions: fc.subarray(codes, { minLength: 1 }),
      confirmation: rule,
      paused: fc.constantFrom(false, false, true),
      step: fc.constantFrom(1, 1, 0, -1)
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), monitor: fc.constant(1) }) }
)

/** Makes a log of the events; every monitor has its first configuration. */
const log: fc.Arbitrary<Input[]> = fc
  .record({ rules: fc.tuple(rule, rule), events: fc.array(event, { minLength: 5, maxLength: 60 }), ticked: fc.boolean() })
  .map(({ rules, events, ticked }) => {
    let now = T0
    const versions = [1, 1]
    const inputs: Input[] = monitors.map((monitor, nth) =>
      configInput({ ...quick, monitor_id: monitor, regions: codes.slice(0, 3), confirmation: rules[nth] ?? confirmation() })
    )
    if (ticked) inputs.unshift(tickInput(now))
    for (const one of events) {
      if (one.kind === 'pass') {
        for (let nth = 0; nth < one.seconds; nth++) {
          now += SECOND
          if (one.ticking) inputs.push(tickInput(now))
        }
      } else if (one.kind === 'result') {
        const { region, outcome, back, odd } = one
        const monitor = monitors[one.monitor] ?? monitor_id
        now += 1
        inputs.push(
          resultInput(
            odd === 'skewed' ? now + 3_600_000 : now - back * SECOND,
            { monitor_id: monitor, region, outcome, count: odd !== 'uncounted', received_at: now },
            now
          )
        )
      } else if (one.kind === 'round') {
        const monitor = monitors[one.monitor] ?? monitor_id
        for (let nth = 0; nth < one.times; nth++) {
          now += 1
          const over = { monitor_id: monitor, outcome: one.outcome, received_at: now }
          inputs.push(...one.regions.map((region) => resultInput(now, { ...over, region }, now)))
        }
      } else {
        const version = (versions[one.monitor] ?? 1) + (one.kind === 'config' ? one.step : 1)
        versions[one.monitor] = Math.max(version, versions[one.monitor] ?? 1)
        const over =
          one.kind === 'delete' ? { deleted: true } : { regions: one.regions, confirmation: one.confirmation, paused: one.paused }
        inputs.push(configInput({ ...quick, ...over, monitor_id: monitors[one.monitor] ?? monitor_id, version }, now))
      }
    }
    return inputs
  })

function run(inputs: readonly Input[], cuts: readonly number[] = []): World {
  const acme = world()
  let from = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    if (cut <= from || cut >= inputs.length) continue
    acme.take(...inputs.slice(from, cut))
    from = cut
  }
  acme.take(...inputs.slice(from))
  return acme
}

/**
 * What must not depend on batches: the records and frames of each monitor in order, and its newest
 * mark.
 */
const heard = (acme: World) =>
  monitors.map((monitor) => {
    const own = acme.outgoing.filter(({ aggregate }) => aggregate === `monitor:${monitor}`)
    return [own.filter(({ body }) => body !== 'current'), own.filter(({ body }) => body === 'current').at(-1)]
  })

t.test('every cut of the log into batches gives the same state and output', async (t) => {
  holds(
    t,
    fc.property(log, fc.array(fc.nat(400), { maxLength: 12 }), (inputs, cuts) => {
      const whole = run(inputs)
      const cut = run(inputs, cuts)
      assert.deepEqual(new Map([...cut.state].sort()), new Map([...whole.state].sort()))
      assert.deepEqual(heard(cut), heard(whole))
      assert.deepEqual(cut.notices, whole.notices)
    })
  )
})

t.test('folding a log again gives the same bytes', async (t) => {
  holds(
    t,
    fc.property(log, (inputs) => {
      const text = (acme: World) => JSON.stringify([[...acme.state], acme.outgoing, acme.notices])
      assert.equal(text(run(inputs)), text(run(inputs)))
    }),
    50
  )
})

t.test('monitor rows are unchanged by JSON', async (t) => {
  holds(
    t,
    fc.property(log, log, (inputs, more) => {
      const acme = run(inputs)
      const later = more.slice(2)
      const through = new Map(JSON.parse(JSON.stringify([...acme.state])))
      assert.deepEqual(through, acme.state)
      const read = (state: World['state']) => fold(state, later)
      assert.deepEqual(read(new Map(JSON.parse(JSON.stringify([...acme.state])))), read(acme.state))
    }),
    100
  )
})

t.test('the fast path for healthy results gives the same rows as the full path', async (t) => {
  let calm = 0
  const moment = ({ timestamp }: Input, clock: number, received_at: number): Moment => ({
    at: timestamp,
    clock,
    received_at,
    cause: () => ({ kind: 'signal', src: '', event_id: null, request_id: null, input: null }),
    id: () => ''
  })
  const healthy = log.map((inputs) =>
    inputs.map(
      (input, nth): Input =>
        input.record === 'CheckResult' && nth % 7 !== 0
          ? { ...input, value: { ...input.value, outcome: 'success', seq: T0 + nth * 1e6 } }
          : input
    )
  )
  holds(
    t,
    fc.property(healthy, (inputs) => {
      const acme = world()
      for (const input of inputs) {
        const row = input.record === 'CheckResult' ? acme.state.get(input.value.monitor_id) : null
        const own = acme.state.get('partition:3')
        if (input.record === 'CheckResult' && isMonitorRow(row)) {
          const clock = own && !isMonitorRow(own) ? own.tick_at - own.lost_ms : input.timestamp
          const nth = calmPlace(row, input.value, clock)
          if (nth >= 0) {
            calm += 1
            const before = structuredClone(row)
            const cheap = copyOf(row)
            const now = moment(input, clock, input.value.received_at)
            observeCalm(cheap, nth, false, input.value, now)
            assert.deepEqual(row, before)
            assert.deepEqual(observe(row, input.value, now), {
              row: cheap,
              transition: null,
              matters: false,
              restated: false
            })
            // Once more, to a row and a region that are its own already.
            const later = { ...input.value, seq: input.value.seq + 1000, received_at: input.value.received_at + 1000 }
            if (calmPlace(cheap, later, clock) === nth) {
              const then = moment(input, clock, later.received_at)
              const after = observe(cheap, later, then)
              observeCalm(cheap, nth, true, later, then)
              assert.deepEqual(after?.row, cheap)
            }
          }
        }
        acme.take(input)
      }
    })
  )
  t.ok(calm > 100, `${calm} times`)
})

t.test('repeated and older results change nothing', async (t) => {
  holds(
    t,
    fc.property(log, fc.array(fc.tuple(fc.nat(400), fc.nat(400)), { minLength: 1, maxLength: 10 }), (inputs, repeats) => {
      // A removed region forgets what is late.
      const judged = inputs.filter((input) => !(input.record === 'MonitorConfig' && input.value.version > 1))
      const again = [...judged]
      for (const [from, to] of repeats) {
        const nth = from % judged.length
        const input = judged[nth]
        if (input?.record !== 'CheckResult') continue
        const at = again.indexOf(input) + 1 + (to % (again.length - again.indexOf(input)))
        again.splice(at, 0, { ...input, timestamp: again[at - 1]?.timestamp ?? input.timestamp })
      }
      const [once, twice] = [run(judged), run(again)]
      // A repeat may also change when people were last told of skewed results.
      const plain = (acme: World) => [...acme.state].map(([key, state]) => [key, { ...state, cause: null, skewed_told_at: null }])
      assert.deepEqual(plain(twice), plain(once))
      assert.deepEqual(
        twice.transitions().map(({ ver, status, phase, at }) => [ver, status, phase, at]),
        once.transitions().map(({ ver, status, phase, at }) => [ver, status, phase, at])
      )
    })
  )
})

t.test('the order of regions within a round does not change the status', async (t) => {
  const rounds = fc.constantFrom(3, 5).chain((n) =>
    fc.record({
      n: fc.constant(n),
      regions: fc.constantFrom('majority' as const, 'any' as const),
      rounds: fc.integer({ min: 1, max: 3 }),
      recovery_rounds: fc.integer({ min: 1, max: 3 }),
      told: fc.array(
        fc.tuple(
          fc.array(fc.constantFrom('success', 'failure', 'degraded'), { minLength: n, maxLength: n }),
          fc.shuffledSubarray(codes.slice(0, n), { minLength: n })
        ),
        { minLength: 1, maxLength: 12 }
      )
    })
  )
  holds(
    t,
    fc.property(rounds, ({ n, told, ...over }) => {
      const regions = codes.slice(0, n)
      const [sorted, shuffled] = [world(), world()]
      for (const acme of [sorted, shuffled]) {
        acme.take(configInput({ regions, confirmation: confirmation(over) }), tickInput(T0))
        acme.take(...regions.map((region) => resultInput(T0, { region })))
      }
      told.forEach(([outcomes, order], nth) => {
        const at = T0 + (nth + 1) * 2000
        const input = (region: string): Input => resultInput(at, { region, outcome: outcomes[codes.indexOf(region)] ?? 'success' }, at)
        sorted.take(...regions.map(input), tickInput(at))
        shuffled.take(...order.map(input), tickInput(at))
        const [left, right] = [sorted.row(), shuffled.row()]
        assert.equal(right.status, left.status)
        assert.equal(right.phase, left.phase)
        assert.equal(right.history, left.history)
      })
    })
  )
})

t.test('fewer regions than the quorum decide nothing, and every change has its transition', async (t) => {
  let [downs, ups, starved] = [0, 0, 0]
  holds(
    t,
    fc.property(log, (inputs) => {
      const acme = world()
      const known = new Map<string, { ver: number; status: string; phase: string; flapping: boolean }>()
      for (const input of inputs) {
        const from = acme.outgoing.length
        acme.take(input)
        const out = acme.outgoing.slice(from)
        for (const monitor of monitors) {
          const row = acme.state.get(monitor)
          const own = out.filter(({ aggregate }) => aggregate === `monitor:${monitor}`)
          const told = own.flatMap((one) => (one.body === 'record' && one.record === 'MonitorTransition' ? [one.value] : []))
          const before = known.get(monitor)
          if (!isMonitorRow(row)) {
            assert.deepEqual(
              told.map(({ previous_status, status, resolution_reason }) => [previous_status, status, resolution_reason]),
              before && (before.status !== 'up' || before.flapping) ? [[before.status, 'up', 'monitor_deleted']] : [],
              'what was down or flapping, or kept its incident through a pause, is told up when it is deleted'
            )
            known.delete(monitor)
            continue
          }
          known.set(monitor, { ver: row.ver, status: row.status, phase: row.phase, flapping: row.flapping })
          if (!before) {
            assert.equal(row.ver, 0)
            assert.equal(told.length, 0)
            continue
          }
          const same = before.status === row.status && before.phase === row.phase && before.flapping === row.flapping
          const joined = told.filter(({ joined_region }) => joined_region !== null)
          assert.equal(told.length - (same ? joined.length : 0), same ? 0 : 1, 'one transition for a change, none without')
          for (const { joined_region, status, previous_status, affected_regions } of joined) {
            assert.deepEqual([status, previous_status], ['down', 'down'])
            assert.ok(affected_regions.some((region) => region === joined_region))
          }
          assert.equal(row.ver, before.ver + told.length)
          assert.deepEqual(
            own.filter(({ body }) => body === 'frame').map(({ event_type }) => event_type),
            told.map(() => (before.status === row.status ? 'monitor.phase_changed' : 'monitor.status_changed'))
          )
          for (const one of told) {
            assert.equal(one.ver, row.ver)
            assert.deepEqual(
              [one.previous_status, one.previous_phase, one.status, one.phase],
              [before.status, before.phase, row.status, row.phase]
            )
            const { configured, fresh, down, up, needed, regions } = one.vote
            assert.equal(configured, row.config.regions.length)
            assert.equal(fresh, regions.filter((region) => region.fresh).length)
            const quorum = configured >= 2 ? Math.floor(configured / 2) + 1 : 1
            if (fresh < quorum) starved += 1
            if (one.previous_status === 'up' && one.status === 'down') {
              downs += 1
              assert.ok(fresh >= quorum, 'enough fresh')
              assert.ok(down >= needed && one.affected_regions.length === down)
              assert.ok(one.started_at !== null && one.started_at <= one.at)
            }
            if (one.previous_status === 'down' && one.status === 'up') {
              ups += 1
              assert.ok(fresh >= quorum && 2 * up > fresh)
            }
            if (one.phase === 'no_data') assert.equal(fresh, 0)
            if (one.phase === 'unconfirmed') assert.ok(fresh < quorum && down > 0)
          }
        }
      }
      assert.deepEqual(acme.refused, [])
    }),
    400
  )
  t.ok(downs > 100 && ups > 10 && starved > 100, `${downs} down, ${ups} up, ${starved} with too few fresh`)
})

t.test('the fold does not change its inputs', async (t) => {
  const acme = run([configInput(), tickInput(T0), resultInput(T0)])
  const state = frozen(acme.state)
  const text = JSON.stringify([...state])
  fold(
    state,
    frozen([resultInput(T0 + SECOND, { outcome: 'failure' }), tickInput(T0 + 2 * SECOND), configInput({ version: 2, paused: true })])
  )
  t.equal(JSON.stringify([...state]), text)
})
