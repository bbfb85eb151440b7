/**
 * Tests that the final shifts of random schedules equal a minute-by-minute reference, around the
 * clock changes of twelve zones.
 */
import fc from 'fast-check'
import t from 'tap'
import type { Layer, Restriction } from '../../../schemas/http/on-call-words.ts'
import { weekdays } from '../../../schemas/http/routing-words.ts'
import { finalShifts, type Override } from '../../../streams/on-call/timeline.ts'
import { definitionOf, layerOf, planOf } from './build.ts'
import { Clocks, onCallAtMinute } from './reference.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const RUNS = 12

/** One change forward and one back; Kathmandu has had one in all, Apia left out a day. */
const changes: Record<string, readonly string[]> = {
  'Africa/Casablanca': ['2026-02-15T02:00Z', '2026-03-22T02:00Z'],
  'America/New_York': ['2026-03-08T07:00Z', '2026-11-01T06:00Z'],
  'America/Sao_Paulo': ['2018-11-04T03:00Z', '2019-02-17T02:00Z'],
  'America/St_Johns': ['2010-03-14T03:31Z', '2010-11-07T02:31Z'],
  'Antarctica/Troll': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'],
  'Asia/Beirut': ['2026-03-28T22:00Z', '2026-10-24T21:00Z'],
  'Asia/Kathmandu': ['1985-12-31T18:30Z', '2026-03-29T01:00Z'],
  'Australia/Lord_Howe': ['2026-10-03T15:30Z', '2026-04-04T15:00Z'],
  'Europe/Berlin': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'],
  'Europe/Dublin': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'],
  'Pacific/Apia': ['2011-12-30T10:00Z', '2012-03-31T14:00Z'],
  'Pacific/Chatham': ['2026-09-26T14:00Z', '2026-04-04T14:00Z']
}

const watched = new Map<string, Clocks>()
/** From ten days before the change to three days after it. */
function clocksOf(zone: string, change: number): Clocks {
  const key = `${zone} ${change}`
  const kept = watched.get(key) ?? new Clocks(zone, change - 12 * DAY, change + 4 * DAY)
  watched.set(key, kept)
  return kept
}

const people = ['anna', 'ben', 'chi', 'dora', 'emil'] as const
const person = fc.constantFrom(...people)
/** Often around the hours at which clocks change. */
const time = fc
  .oneof(fc.integer({ min: 0, max: 240 }), fc.integer({ min: 0, max: 1439 }))
  .map((of) => `${String(Math.floor(of / 60)).padStart(2, '0')}:${String(of % 60).padStart(2, '0')}`)
const weekday = fc.constantFrom(...weekdays)

const restriction: fc.Arbitrary<Restriction> = fc.record({
  days: fc.uniqueArray(weekday, { maxLength: 4 }),
  from: time,
  to: time,
  to_day: fc.option(weekday)
})

const dateNear = (change: number, from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((days) => new Date(change + days * DAY).toISOString().slice(0, 10))

const layerNear = (zones: readonly string[], change: number): fc.Arbitrary<Layer> =>
  fc
    .record({
      participants: fc.array(fc.oneof(person, fc.constant(null), fc.uniqueArray(person, { minLength: 2, maxLength: 2 })), {
        minLength: 1,
        maxLength: 4
      }),
      time_zone: fc.option(fc.constantFrom(...zones)),
      rotation: fc.constantFrom('daily', 'weekly', 'monthly', 'hours'),
      every: fc.integer({ min: 1, max: 3 }),
      handoff_time: time,
      weekday,
      date: fc.oneof(fc.integer({ min: 1, max: 28 }), fc.constant(Math.min(28, new Date(change).getUTCDate()))),
      shift_hours: fc.integer({ min: 1, max: 40 }),
      start_index: fc.nat(),
      restrictions: fc.oneof(fc.constant([]), fc.array(restriction, { maxLength: 3 })),
      ends_on: fc.option(dateNear(change, -2, 3)),
      near: dateNear(change, -9, 2),
      far: dateNear(change, -400, 2)
    })
    .map(({ weekday, date, shift_hours, near, far, start_index, ...rest }) =>
      layerOf({
        ...rest,
        handoff_day: rest.rotation === 'weekly' ? weekday : rest.rotation === 'monthly' ? date : null,
        shift_hours: rest.rotation === 'hours' ? shift_hours : null,
        every: rest.rotation === 'hours' ? 1 : rest.every,
        starts_on: rest.rotation === 'hours' ? near : far,
        start_index: start_index % rest.participants.length
      })
    )

const overridesNear = (change: number, layers: number): fc.Arbitrary<Override[]> =>
  fc
    .array(
      fc.record({
        user_id: fc.option(person),
        from: fc.integer({ min: -3000, max: 2800 }),
        length: fc.integer({ min: 1, max: 2500 }),
        replaces_user_id: fc.option(person),
        layer: fc.option(fc.integer({ min: 0, max: layers - 1 })),
        from_calendar: fc.boolean()
      }),
      { maxLength: 6 }
    )
    .map((some) =>
      some.map(({ user_id, from, length, replaces_user_id, layer, from_calendar }, seq) => ({
        override_id: `override ${seq}`,
        seq,
        from_calendar,
        user_id,
        starts_at: change + from * MINUTE,
        ends_at: change + (from + length) * MINUTE,
        replaces_user_id,
        layer: layer === null ? null : `layer ${layer}`,
        swap_id: null
      }))
    )

for (const [zone, instants] of Object.entries(changes))
  for (const instant of instants)
    t.test(`shifts equal the reference in ${zone} around ${instant}`, async (t) => {
      const change = Date.parse(instant)
      const zones = [zone, 'Europe/Berlin', 'UTC']
      const schedule = fc.integer({ min: 1, max: 3 }).chain((layers) =>
        fc.record({
          layers: fc.array(layerNear(zones, change), { minLength: layers, maxLength: layers }),
          overrides: overridesNear(change, layers),
          left: fc.uniqueArray(person, { maxLength: 1 })
        })
      )
      let minutes = 0
      fc.assert(
        fc.property(schedule, ({ layers, overrides, left }) => {
          const named = layers.map((layer, index) => ({ ...layer, name: `layer ${index}` }))
          const definition = definitionOf(named, { time_zone: zone, fallback: { kind: 'none', id: null } })
          const gone = new Set<string>(left)
          const [from, to] = [change - 2 * DAY, change + 2 * DAY]
          const shifts = finalShifts(planOf(definition, { overrides, present: (id) => !gone.has(id) }), from, to)
          const question = { definition, overrides, left: gone, clocks: (name: string) => clocksOf(name, change) }
          let at = from
          for (const { starts_at, ends_at, user_ids, origin } of shifts) {
            if (starts_at !== at || ends_at <= starts_at) throw new Error(`a shift begins at ${starts_at}, not at ${at}`)
            if ((origin === 'gap') !== (user_ids.length === 0)) throw new Error(`${origin} of ${user_ids.length}`)
            for (; at < ends_at; at += MINUTE) {
              const wanted = onCallAtMinute(question, at)
              minutes += 1
              if (wanted !== user_ids.join('+'))
                throw new Error(`${new Date(at).toISOString()}: ${user_ids.join('+') || 'nobody'}, not ${wanted || 'nobody'}`)
            }
          }
          if (at !== to) throw new Error(`the last shift ends at ${at}, not at ${to}`)
        }),
        { numRuns: RUNS }
      )
      t.ok(minutes >= RUNS * 4 * 1440, `${minutes} minutes`)
    })
