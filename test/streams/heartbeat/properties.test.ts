/**
 * Properties that hold for any log of a partition: several heartbeats of mixed schedules, some
 * configured only after their first pings, pings of every kind that doors may append, ticks, gaps
 * of both kinds, and changes of configuration.
 *
 * - Batches: however a log is cut into batches, and whether a batch folds rows from memory or rows
 *   read back from JSON, rows and transitions are equal. So a processor that was away and reads its
 *   log late, in large batches, makes the same transitions.
 * - Repeats: a log folded twice from the start makes the same transitions, byte for byte, and the
 *   fold changes none of its inputs.
 * - In time: a sender that pings by every deadline is never missed, wherever in the order of the
 *   log the doors may put its pings (up to 5 s after receipt, clocks up to 1 s apart). A control
 *   that appends them 7 s late is missed.
 * - Outages: a gap in the ticks and a gap of the doors cause no miss by themselves and move no
 *   deadline of any slot earlier. When one outage shows as both, the later end counts, whichever
 *   is read first.
 * - Early: pings before the first configuration have the same effect as right after it, including
 *   repeats and gaps of the doors between them.
 * - Always: versions have no gaps; a status is reported only when it changed; a miss names a slot
 *   that was not named before.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { HeartbeatConfig } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import type { HeartbeatState } from '../../../streams/heartbeat/state.ts'
import { config, configInput, fold, frozen, gapInput, id, ping, pingInput, SECOND, T0, tickInput, World } from './build.ts'

t.setTimeout(300_000)

/**
 * Throws when the property does not hold. Logs are long, so the error names seed and path, with
 * which the smallest example is found again.
 */
function holds<T>(t: Test, property: fc.IProperty<T>, numRuns = 150): void {
  const { failed, seed, counterexamplePath, errorInstance } = fc.check(property, { numRuns })
  if (failed) throw new Error(`seed ${seed}, path ${counterexamplePath}`, { cause: errorInstance })
  t.pass(`${numRuns} runs`)
}

const ids = ['a', 'b', 'c'].map(id)
const schedule: fc.Arbitrary<Partial<HeartbeatConfig>> = fc.oneof(
  fc
    .constantFrom(30, 45, 60, 300)
    .map((period_seconds) => ({ schedule_kind: 'period' as const, period_seconds, cron: null, time_zone: null })),
  fc
    .constantFrom('* * * * *', '*/2 * * * *', '1,3,4 * * * *')
    .map((cron) => ({ schedule_kind: 'cron' as const, period_seconds: null, cron, time_zone: 'Atlantic/Reykjavik' }))
)
const settings = fc.record({
  grace_seconds: fc.constantFrom(0, 5, 30, 90),
  max_run_seconds: fc.constantFrom(null, 10, 60, 200),
  fail_tolerance: fc.integer({ min: 0, max: 2 }),
  recovery_pings: fc.integer({ min: 1, max: 3 }),
  keep_phase: fc.boolean(),
  paused: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  deleted: fc.oneof({ weight: 20, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
})

/** What happens at a second of the log, in addition to its tick. */
type Happening =
  | { what: 'ping'; beat: number; kind: 'success' | 'start' | 'fail' | 'log' | 'exit'; exit_code: number; run: number; age: number }
  | { what: 'config'; beat: number; over: Partial<HeartbeatConfig> }
  | { what: 'gap'; length: number; reason: 'refused' | 'unconfirmed' }
  | { what: 'silence'; length: number }
  | { what: 'strange tick'; off: number }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      what: fc.constant('ping' as const),
      beat: fc.nat(2),
      kind: fc.constantFrom('success', 'success', 'success', 'start', 'start', 'fail', 'log', 'exit'),
      exit_code: fc.nat(1),
      run: fc.nat(2),
      age: fc.nat(9000)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('config' as const),
      beat: fc.nat(2),
      over: fc.tuple(schedule, settings).map(([one, other]) => ({ ...one, ...other }))
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('gap' as const), length: fc.nat(90), reason: fc.constantFrom('refused', 'unconfirmed') })
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('silence' as const), length: fc.nat(120) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('strange tick' as const), off: fc.integer({ min: -8000, max: 8000 }) }) }
)

const firsts = fc.tuple(...ids.map((heartbeat_id) => schedule.map((over) => config({ ...over, heartbeat_id, fail_tolerance: 1 }))))
/** How many seconds late the first configurations come. */
const delays = fc.tuple(
  ...ids.map(() => fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 150 }) }))
)

/**
 * Makes a log that runs for some minutes with a tick a second, and places the happenings in it at
 * pauses of up to 40 s.
 */
const logs: fc.Arbitrary<Input[]> = fc
  .tuple(firsts, delays, fc.array(fc.tuple(fc.nat(40), happening), { minLength: 1, maxLength: 25 }))
  .map(([configs, late, happenings]) => {
    const log: Input[] = []
    const versions = new Map<string, HeartbeatConfig>()
    let now = T0
    const arrive = (): void =>
      configs.forEach((value, nth) => {
        if (versions.has(value.heartbeat_id) || now < T0 + (late[nth] ?? 0) * SECOND) return
        versions.set(value.heartbeat_id, value)
        log.push(configInput(value, { timestamp: now }))
      })
    const tick = (): void => {
      arrive()
      now += SECOND
      log.push(tickInput(now))
    }
    arrive()
    for (const [pause, happens] of [...happenings, [200, { what: 'silence', length: 0 }] as const]) {
      for (let second = 0; second < pause; second++) tick()
      if (happens.what === 'ping') {
        const { kind, exit_code, run, age, beat } = happens
        const run_id = run === 0 ? null : id(`run ${run}`)
        const over = { heartbeat_id: ids[beat] ?? '', kind, run_id, exit_code: kind === 'exit' ? exit_code : null }
        log.push(pingInput(ping(now - age, over), { timestamp: now }))
      } else if (happens.what === 'config') {
        const last = versions.get(ids[happens.beat] ?? '')
        if (!last || last.deleted) continue // What is gone does not come back.
        const next = { ...last, ...happens.over, version: last.version + 1, at: now }
        versions.set(last.heartbeat_id, next)
        log.push(configInput(next))
      } else if (happens.what === 'gap') log.push(gapInput(now - happens.length * SECOND, now, happens.reason))
      else if (happens.what === 'silence') now += happens.length * SECOND
      else log.push(tickInput(now + happens.off, { timestamp: now }))
    }
    return log.map((input, nth) => ({ ...input, offset: BigInt(nth) }))
  })

const asJson = (world: World): string =>
  JSON.stringify([
    [...world.state].sort(([one], [other]) => (one < other ? -1 : 1)),
    world.told,
    world.notices,
    world.hints,
    world.refused.length
  ])

const reread = (state: Map<string, HeartbeatState>): void => {
  for (const [key, value] of [...state]) state.set(key, JSON.parse(JSON.stringify(value)))
}

t.test('batches: their size, rows read back and late reading change nothing', async (t) => {
  holds(
    t,
    fc.property(logs, fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 12 }), (log, cuts) => {
      const live = new World()
      for (const input of log) live.fold([input])
      const late = new World().fold(log)
      const cut = new World()
      for (let from = 0, nth = 0; from < log.length; nth++) {
        const size = cuts[nth % cuts.length] ?? 1
        cut.fold(log.slice(from, from + size))
        reread(cut.state)
        from += size
      }
      assert.equal(asJson(late), asJson(live))
      assert.equal(asJson(cut), asJson(live))
    })
  )
})

t.test('repeats: the same log gives the same output, and the fold changes no input', async (t) => {
  holds(
    t,
    fc.property(logs, (log) => {
      const half = log.length >> 1
      const before = frozen(new World().fold(frozen(log.slice(0, half))).state)
      const outcomes = [1, 2].map(() => fold(before, frozen(log.slice(half))))
      const [one, other] = outcomes.map(({ outgoing, changed, kept, notices, hints }) =>
        JSON.stringify([outgoing, [...changed], [...kept], notices, hints])
      )
      assert.equal(one, other)
      for (const { changed, kept } of outcomes) for (const key of changed.keys()) assert.ok(!kept.has(key), 'a key is in one of the two')
    })
  )
})

const unknown = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(fc.constantFrom('success', 'start', 'fail', 'log', 'exit'), fc.nat(1), fc.nat(2), fc.nat(50), fc.integer({ min: 1, max: 2 }))
        .map(([kind, exit_code, run, second, times]) => {
          const over = { kind, run_id: run === 0 ? null : id(`run ${run}`), exit_code: kind === 'exit' ? exit_code : null } as const
          return Array<Input>(times).fill(pingInput(ping(T0 + second * SECOND, over)))
        })
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.nat(60), fc.nat(60)).map(([from, to]) => [gapInput(T0 + from * SECOND, T0 + (from + to) * SECOND)])
    }
  ),
  { minLength: 1, maxLength: 12 }
)

t.test('early pings have the same effect as after the first configuration', async (t) => {
  holds(
    t,
    fc.property(schedule, settings, unknown, fc.integer({ min: 1, max: 12 }), (over, more, inputs, size) => {
      const now = T0 + 50 * SECOND
      const first = configInput(config({ ...over, ...more }), { timestamp: now })
      const early = inputs.flat().map((input, nth) => ({ ...input, timestamp: now, offset: BigInt(nth) }))
      const [before, after] = [new World(), new World()]
      for (let from = 0; from < early.length; from += size) {
        before.fold(early.slice(from, from + size))
        reread(before.state)
      }
      before.fold([first]).ticks(now, now + 200 * SECOND)
      after.fold([first, ...early]).ticks(now, now + 200 * SECOND)
      // Overlapping gaps are kept as one, which says at once how far all of them move a deadline,
      // and names the first.
      const plain = ({ told, state }: World) => [
        told.map((each) => (each.phase === 'unknown' ? { ...each, deadline_at: null, shifted_ms: null, cause: null } : each)),
        [...state].sort(([one], [other]) => (one < other ? -1 : 1))
      ]
      assert.deepEqual(plain(before), plain(after))
      assert.deepEqual(before.hints, after.hints)
    })
  )
})

t.test('always: versions have no gaps, transitions change something, a slot is missed once', async (t) => {
  holds(
    t,
    fc.property(logs, (log) => {
      const { told, state } = new World().fold(log)
      for (const heartbeat_id of ids) {
        const own = told.filter((transition) => transition.heartbeat_id === heartbeat_id)
        const row = state.get(heartbeat_id)
        if (row) {
          assert.deepEqual(
            own.map(({ ver }) => ver),
            own.map((_, nth) => nth + 1)
          )
          assert.ok(row.kind === 'heartbeat' && row.ver === own.length)
          if (row.phase === 'waiting' || row.phase === 'paused') assert.equal(row.next_at, null)
        }
        own.forEach((transition, nth) => {
          const { status, previous_status, phase, previous_phase, reason } = transition
          assert.ok(status !== previous_status || phase !== previous_phase)
          assert.equal(status === 'missed', reason !== null)
          const former = own[nth - 1]
          if (former) assert.equal(previous_status, former.status)
        })
        const slots = own
          .filter(({ reason, status, previous_status }) => reason === 'missed' && status !== previous_status)
          .map((miss) => miss.expected_at)
        assert.equal(new Set(slots).size, slots.length)
      }
    })
  )
})

/**
 * A sender that pings by every deadline, at any time up to it. The doors append each ping up to
 * `late` ms after they received it, with clocks up to a second apart.
 */
const punctual = (late: number, shift: number) =>
  fc
    .tuple(
      schedule,
      fc.constantFrom(0, 5, 30),
      fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(late)), { minLength: 1, maxLength: 6 })
    )
    .map(([over, grace_seconds, waits]) => {
      const value = config({ ...over, grace_seconds })
      const world = new World().take(configInput(value))
      const appends: Input[] = []
      const first = T0 + 1
      appends.push(pingInput(ping(first), { timestamp: first + shift }))
      // The deadlines are taken from the fold; other tests check that they are right.
      const probe = new World().take(configInput(value), pingInput(ping(first)))
      for (const [share, wait] of waits) {
        const { expected_at, deadline_at } = probe.row()
        if (expected_at === null || deadline_at === null) throw new Error('no open slot')
        const received = Math.round(expected_at + (deadline_at - expected_at) * share)
        appends.push(pingInput(ping(received), { timestamp: received + wait + shift }))
        probe.take(pingInput(ping(received)))
      }
      const end = appends.at(-1)?.timestamp ?? 0
      const log = [...appends]
      for (let t = T0; t <= end; t += SECOND) log.push(tickInput(t))
      // At the same instant the tick comes first, which is the worst case.
      log.sort((one, other) => one.timestamp - other.timestamp || (one.record === 'Tick' ? -1 : 1))
      return world.fold(log).told
    })

t.test('in time: an acknowledged ping is never a miss', async (t) => {
  holds(
    t,
    fc.property(punctual(5000, 999), (told) => {
      assert.deepEqual(told, [])
    })
  )
})

t.test('control: pings that are appended too late are missed', async (t) => {
  const seen = fc.sample(punctual(9000, 5000), 100).flat()
  t.ok(seen.some(({ status }) => status === 'missed'))
})

t.test('outages: they cause no miss, move no deadline earlier, and do not add up', async (t) => {
  holds(
    t,
    fc.property(logs, fc.nat(200), fc.integer({ min: 4, max: 300 }), fc.nat(300), fc.boolean(), (log, cut, length, door, doorFirst) => {
      const before = new World().fold(log.slice(0, 3 + cut))
      const ticks = [...before.state.values()].flatMap((row) => (row.kind === 'partition' ? [row.last_tick] : []))
      const last = Math.max(T0, ...ticks)
      const to = last + length * SECOND
      const tick = tickInput(to)
      const gap = gapInput(to - door * SECOND, to, 'refused', { timestamp: to })
      const world = (...inputs: Input[]): World => {
        const copy = new World()
        for (const [key, row] of before.state) copy.state.set(key, row)
        return copy.take(tickInput(last), ...inputs)
      }
      const after = doorFirst ? world(gap, tick) : world(tick, gap)
      const other = doorFirst ? world(tick, gap) : world(gap, tick)
      const again = doorFirst ? world(gap, gap, tick, tick) : world(tick, tick, gap, gap)
      for (const heartbeat_id of ids) {
        const [old, now, same, twice] = [before, after, other, again].map(({ state }) => state.get(heartbeat_id))
        if (old?.kind !== 'heartbeat' || now?.kind !== 'heartbeat' || same?.kind !== 'heartbeat' || twice?.kind !== 'heartbeat') continue
        // A heartbeat that was overdue before the outage, because of a configuration change or a
        // ping that was appended too late, is judged as usual.
        if (old.next_at !== null && old.next_at <= last) continue
        if (old.status === 'up') assert.equal(now.status, 'up', 'an outage alone is no miss')
        if (old.expected_at === now.expected_at) assert.ok((now.deadline_at ?? 0) >= (old.deadline_at ?? 0), 'never earlier')
        for (const row of [now, same]) {
          if (old.status !== 'up' || old.deadline_at === null) continue
          const most = Math.max(old.deadline_at + to - last, to + old.config.grace_seconds * SECOND)
          assert.ok((row.deadline_at ?? 0) <= most, 'the later end, not the sum, in either order')
        }
        assert.deepEqual(
          [twice.deadline_at, twice.ver, twice.status],
          [now.deadline_at, now.ver, now.status],
          'the same gap again is nothing'
        )
      }
    })
  )
})
