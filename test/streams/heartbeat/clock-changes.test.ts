/**
 * 500 heartbeats of mixed schedules run, tick by tick, through every clock change of three zones.
 * Each miss must be reported exactly once and at the right slot.
 *
 * Every heartbeat lives through the 20 hours around each change. Half of them fall silent after a
 * first ping; the others ping five seconds after every other slot and skip the slot between. Slots
 * come from the oracle, which shares no code with the fold. Ticks come every 3 s, the widest
 * spacing that is not a gap, in batches of 500 records as the runtime folds them. There is also a
 * tick at every instant at which a miss is due, up to those 3 s.
 */
import t from 'tap'
import type { HeartbeatConfig } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { config, configInput, cronOf, HOUR, id, MINUTE, ping, pingInput, SECOND, tickInput, World } from './build.ts'
import { changes, meanings, slotsBetween } from './oracle.ts'

t.setTimeout(500_000)

const COUNT = 500
const TICK = 3 * SECOND
const LATENESS = 8 * SECOND
const BATCH = 500
const DAY = 24 * HOUR

const zones = [...new Set(changes.map(({ zone }) => zone))]
const periods = [30, 60, 90, 1000, 3600, 86_400]
/**
 * Short enough that the next slot of every schedule comes after the miss, except for heartbeats
 * that stay silent.
 */
const graces = { alternating: [0, 10, 20], silent: [0, 10, 60, 600, 3600] }

interface Subject {
  config: HeartbeatConfig
  alternating: boolean
  /** All slots after `prime` and before `to`, if it is pinged as described above. */
  slots: (prime: number, from: number, to: number) => number[]
}

const subjects: Subject[] = Array.from({ length: COUNT }, (_, nth) => {
  const kind = nth % (meanings.length + periods.length)
  const round = Math.floor(nth / (meanings.length + periods.length))
  const zone = zones[round % zones.length] ?? ''
  const alternating = Math.floor(round / zones.length) % 2 === 0
  const choice = alternating ? graces.alternating : graces.silent
  const over = { heartbeat_id: id(`heartbeat ${nth}`), grace_seconds: choice[nth % choice.length] ?? 0 }
  const meaning = meanings[kind]
  if (meaning)
    return { config: cronOf(meaning.expression, zone, over), alternating, slots: (_, from, to) => slotsBetween(meaning, zone, from, to) }
  const period_seconds = periods[kind - meanings.length] ?? 0
  return {
    config: config({ ...over, period_seconds }),
    alternating,
    slots: (prime, _, to) => {
      const slots: number[] = []
      // Every second slot is pinged 5 s late, and the next one counts from there.
      for (let slot = prime + period_seconds * SECOND, nth = 0; slot < to; nth++) {
        slots.push(slot)
        slot += period_seconds * SECOND + (alternating && nth % 2 === 0 ? 5 * SECOND : 0)
      }
      return slots
    }
  }
})

t.test('the 500 heartbeats cover every schedule, every zone and both behaviours', async (t) => {
  const mixes = new Set(
    subjects.map(({ config: { cron, time_zone, period_seconds }, alternating }) => `${cron ?? period_seconds} ${time_zone} ${alternating}`)
  )
  t.equal(subjects.length, COUNT)
  t.ok(mixes.size >= meanings.length * zones.length * 2, `${mixes.size} mixes`)
})

let misses = 0
for (const { zone, day, from: first } of changes) {
  t.test(`${zone} around ${day}`, async (t) => {
    const from = first + DAY - 4 * HOUR
    const to = first + DAY + 16 * HOUR
    const prime = from - MINUTE / 2
    const end = to - MINUTE
    const pings: Input[] = []
    const expected = new Map<string, string[]>()
    const counts = new Map<string, number>()
    const lastTick = from + Math.floor((end - from) / TICK) * TICK
    const judged = (slot: number, grace_seconds: number): boolean => slot + grace_seconds * SECOND + LATENESS <= lastTick
    for (const { config, alternating, slots } of subjects) {
      const { heartbeat_id, grace_seconds } = config
      const told: string[] = []
      const all = slots(prime, from, end)
      all.forEach((slot, nth) => {
        const pingAt = slot + 5 * SECOND
        const pinged = alternating && nth % 2 === 0
        if (pinged) {
          if (pingAt < end) pings.push(pingInput(ping(pingAt, { heartbeat_id })))
          if (nth > 0 && pingAt < end) told.push(`up at ${pingAt}`)
        } else if (judged(slot, grace_seconds)) {
          if (alternating || nth === 0) told.push(`missed ${slot} by ${slot + grace_seconds * SECOND}`)
        }
      })
      expected.set(heartbeat_id, told)
      if (!alternating) counts.set(heartbeat_id, all.filter((slot) => judged(slot, grace_seconds)).length)
    }
    pings.sort((one, other) => one.timestamp - other.timestamp)

    const world = new World()
    world.take(...subjects.map(({ config }) => configInput({ ...config, at: prime })))
    world.take(...subjects.map(({ config: { heartbeat_id } }) => pingInput(ping(prime, { heartbeat_id }))), tickInput(from))
    let next = 0
    let batch: Input[] = []
    const add = (input: Input): void => {
      batch.push(input)
      if (batch.length < BATCH) return
      world.fold(batch)
      batch = []
    }
    for (let t = from + TICK; t <= lastTick; t += TICK) {
      for (let due = pings[next]; due && due.timestamp < t; due = pings[++next]) add(due)
      add(tickInput(t))
    }
    world.fold(batch)

    const found = new Map<string, string[]>(subjects.map(({ config }) => [config.heartbeat_id, []]))
    const wrongTicks: string[] = []
    for (const { heartbeat_id, status, previous_status, expected_at, deadline_at, tick_at, at } of world.told) {
      if (status === 'missed') {
        found.get(heartbeat_id)?.push(`missed ${expected_at} by ${deadline_at}`)
        const confirmed = (deadline_at ?? 0) + LATENESS
        if (tick_at === null || tick_at < confirmed || tick_at >= confirmed + TICK) wrongTicks.push(`${heartbeat_id} ${tick_at}`)
        misses++
      } else if (previous_status === 'missed') found.get(heartbeat_id)?.push(`up at ${at}`)
    }
    const wrong = subjects.filter(({ config: { heartbeat_id } }) => found.get(heartbeat_id)?.join() !== expected.get(heartbeat_id)?.join())
    t.same(
      wrong.slice(0, 3).map(({ config: { heartbeat_id, cron, time_zone, period_seconds } }) => ({
        schedule: `${cron ?? period_seconds} ${time_zone}`,
        found: found.get(heartbeat_id)?.slice(0, 10),
        expected: expected.get(heartbeat_id)?.slice(0, 10)
      })),
      [],
      'each miss once, at its slot'
    )
    t.same(wrongTicks, [], 'by the first tick 8 s after its deadline')
    const miscounted = [...counts].filter(([heartbeat_id, count]) => world.row(heartbeat_id).missed_count !== count)
    t.same(miscounted, [], 'a silent one misses each further slot once')
    t.same(world.refused, [])
    t.same(world.notices, [])
  })
}

t.test('the clock changes produced more than 50,000 misses', async (t) => {
  t.ok(misses > 50_000, `${misses} misses`)
})
