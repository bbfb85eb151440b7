/**
 * Tests monitors while the clocks of doors, probers and brokers are wrong: which results are
 * judged, which are skewed, and what people are told of it. Real time is the time of the ticks.
 */
import t from 'tap'
import type { CheckResult } from '../../../schemas/generated/events.ts'
import { configInput, resultInput, SECOND, T0, tickInput, ticks, type World, world } from './build.ts'

const at = (second: number): number => T0 + second * SECOND

interface Off {
  /** How far the clock is ahead, s. */
  door?: number
  prober?: number
  broker?: number
}

/**
 * One result of each region at a second. `skewed` is what a door of an earlier version would have
 * set.
 */
function round(acme: World, second: number, outcome: CheckResult['outcome'], { door = 0, prober = 0, broker = 0 }: Off): void {
  for (const region of ['a', 'b', 'c']) {
    const scheduled_at = at(second + prober)
    const received_at = at(second + door) + 200
    const over = { region, outcome, received_at, skewed: scheduled_at > received_at + 5000 }
    acme.take(resultInput(scheduled_at, over, at(second + broker) + 250))
  }
}

/** Two rounds of successes and two of failures, a minute apart, with every tick. */
function falling(off: Off): World {
  const acme = world()
  acme.take(configInput())
  for (let second = 0; second <= 200; second++) {
    acme.take(tickInput(at(second), at(second + (off.broker ?? 0))))
    if (second % 60 === 10) round(acme, second, second < 120 ? 'success' : 'failure', off)
  }
  return acme
}

for (const off of [
  {},
  { door: -6 },
  { door: -120 },
  { door: 120 },
  { broker: 6 },
  { broker: -3600 },
  { door: -30, broker: 30 },
  { prober: 4 }
] as Off[]) {
  t.test(`results are judged with clocks off by ${JSON.stringify(off)}`, async (t) => {
    const acme = falling(off)
    t.same(acme.told(), ['up/ok', 'up/validating', 'down/down'])
    t.equal(acme.remarks.results_skewed, 0)
    const received = acme.row().last_checked_at ?? 0
    t.ok(received >= at(189) && received <= at(193), 'people read when it came')
  })
}

t.test('results of a prober 6 s ahead are skewed whatever the clock of the door', async (t) => {
  for (const door of [0, 120]) {
    const acme = falling({ prober: 6, door })
    t.same(acme.told(), ['up/no_data'])
    t.equal(acme.remarks.results_skewed, 12)
    t.same(
      acme.notices.map(({ cause, from }) => [cause, from]),
      [10, 70, 130, 190].map((second) => ['results_skewed', at(second) + 250])
    )
  }
})

t.test('without ticks, results are still judged', async (t) => {
  const acme = world()
  acme.take(configInput(), ...ticks(T0, at(5)))
  for (const second of [10, 70]) round(acme, second, 'success', {})
  for (const second of [130, 190]) round(acme, second, 'failure', {})
  t.same(acme.told(), ['up/ok', 'up/validating', 'down/down'])
  t.equal(acme.row().last_checked_at, at(190) + 200)
  t.equal(acme.remarks.results_skewed, 0)
})

t.test('with a broker 6 s off, ticks still make regions stale', async (t) => {
  const acme = world()
  acme.take(configInput())
  for (let second = 0; second <= 300; second++) {
    acme.take(tickInput(at(second), at(second + 6)))
    if (second === 10) round(acme, second, 'success', { broker: 6 })
  }
  t.same(acme.told(), ['up/ok', 'up/no_data'])
})

t.test('a partition row without an append time is read and completed by the next tick', async (t) => {
  const acme = falling({})
  acme.state.set('partition:3', { partition: 3, tick_at: at(200), lost_ms: 0 })
  acme.take(tickInput(at(201), at(201 + 60)))
  t.match(acme.state.get('partition:3'), { tick_at: at(201), tick_appended_at: at(261), lost_ms: 0 })
  t.same(acme.notices, [])
})
