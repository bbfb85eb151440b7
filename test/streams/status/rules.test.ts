/**
 * Tests what results, ticks and configurations do to a monitor, one sentence a row: rounds of its
 * regions, and the transitions that they cause.
 */
import t from 'tap'
import type { Confirmation, MonitorConfig } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import {
  configInput,
  confirmation,
  monitor_id,
  other_tenant_id,
  play,
  resultInput,
  round,
  SECOND,
  T0,
  tickInput,
  ticks,
  WINDOW,
  world
} from './build.ts'

const MINUTE = 60 * SECOND
const one = ['a']
const two = ['a', 'b']
const three = ['a', 'b', 'c']
const five = ['a', 'b', 'c', 'd', 'e']

/**
 * Each case follows a first round in which every region succeeds. Each letter is a region: S
 * success, D degraded, F failure, - none; E, M, L abstain.
 */
const votes: [name: string, regions: string[], rule: Partial<Confirmation>, rounds: string[], told: string[]][] = [
  ['nothing happens, nothing is told', three, {}, ['SSS', 'SSS'], []],
  ['all fail for two rounds: down, as soon as two of three are confirmed', three, {}, ['FFF', 'FFF'], ['up/validating', 'down/down']],
  [
    'down and up again, each after its rounds',
    three,
    {},
    ['FFF', 'FFF', 'SSS', 'SSS'],
    ['up/validating', 'down/down', 'up/validating', 'up/ok']
  ],
  ['one round of failure is not confirmed', three, {}, ['FFF', 'SSS'], ['up/validating', 'up/ok']],
  ['one of three fails alone: no majority', three, {}, ['FSS', 'FSS', 'FSS'], ['up/validating']],
  ['two of three are one', three, {}, ['FFS', 'FFS'], ['up/validating', 'down/down']],
  ['a single region needs no other', one, {}, ['F', 'F', 'S', 'S'], ['up/validating', 'down/down', 'up/ok']],
  ['one of two is no strict majority', two, {}, ['FS', 'FS', 'FS'], ['up/validating']],
  ['both of two are', two, {}, ['FF', 'FF'], ['up/validating', 'down/down']],
  ['any: one region is enough', three, { regions: 'any' }, ['FSS', 'FSS'], ['up/validating', 'down/down']],
  ['any: up when none votes down', three, { regions: 'any' }, ['FSS', 'FSS', 'SSS', 'SSS'], ['up/validating', 'down/down', 'up/ok']],
  ['all: two of three are not', three, { regions: 'all' }, ['FFS', 'FFS'], ['up/validating']],
  ['all: three of three are', three, { regions: 'all' }, ['FFF', 'FFF'], ['up/validating', 'down/down']],
  ['all: up by a majority', three, { regions: 'all' }, ['FFF', 'FFF', 'SSF', 'SSF'], ['up/validating', 'down/down', 'up/validating']],
  ['count: as many as asked', five, { regions: 'count', count: 2 }, ['FFSSS', 'FFSSS'], ['up/validating', 'down/down']],
  ['count: one less is not', five, { regions: 'count', count: 3 }, ['FFSSS', 'FFSSS'], ['up/validating']],
  ['count is capped at the fresh', three, { regions: 'count', count: 30 }, ['FFF', 'FFF'], ['up/validating', 'down/down']],
  ['one of three cut off: nothing', three, {}, ['SS-', 'SS-', 'SS-', 'SS-', 'SS-'], []],
  ['one of three cut off, the others fail: down', three, {}, ['SS-', 'SS-', 'SS-', 'FF-', 'FF-'], ['up/validating', 'down/down']],
  ['one cut off, one fails: one of two fresh is no majority', three, {}, ['SS-', 'SS-', 'SS-', 'FS-', 'FS-'], ['up/validating']],
  ['two of three cut off: nothing', three, {}, ['S--', 'S--', 'S--', 'S--'], []],
  [
    'two cut off and the third fails: unconfirmed',
    three,
    {},
    ['S--', 'S--', 'S--', 'F--', 'F--', 'F--'],
    ['up/validating', 'up/unconfirmed']
  ],
  ['and any does not change that', three, { regions: 'any' }, ['S--', 'S--', 'S--', 'F--', 'F--'], ['up/validating', 'up/unconfirmed']],
  ['unconfirmed heals', three, {}, ['S--', 'S--', 'S--', 'F--', 'F--', 'S--', 'S--'], ['up/validating', 'up/unconfirmed', 'up/ok']],
  [
    'it becomes down when another region confirms it',
    three,
    {},
    ['S--', 'S--', 'S--', 'F--', 'F--', 'FF-', 'FF-'],
    ['up/validating', 'up/unconfirmed', 'up/validating', 'down/down']
  ],
  ['all cut off: no data, told once', three, {}, ['---', '---', '---', '---', '---', '---'], ['up/no_data']],
  ['no data heals with the first region', three, {}, ['---', '---', '---', '---', 'S--', 'SSS'], ['up/no_data', 'up/ok']],
  ['a region that fails, then is cut off', one, {}, ['F', '-', '-', '-', '-'], ['up/validating', 'up/no_data']],
  ['down stays down without data', three, {}, ['FFF', 'FFF', '---', '---', '---', '---'], ['up/validating', 'down/down', 'down/no_data']],
  [
    'and needs the majority to come up',
    three,
    {},
    ['FFF', 'FFF', '---', '---', '---', 'S--', 'S--', 'S--'],
    ['up/validating', 'down/down', 'down/no_data', 'down/down']
  ],
  [
    'which then brings it up',
    three,
    {},
    ['FFF', 'FFF', '---', '---', '---', 'SS-', 'SS-'],
    ['up/validating', 'down/down', 'down/no_data', 'down/down', 'up/ok']
  ],
  [
    'two of five down, two others cut off: the ageing confirms it',
    five,
    {},
    ['FFSSS', 'FFSSS', 'FFS--', 'FFS--', 'FFS--'],
    ['up/validating', 'down/down']
  ],
  ['errors of probers, missed windows and limits are no results', three, {}, ['EML', 'EML', 'EML', 'EML'], ['up/no_data']],
  ['nor do they break a run', one, {}, ['F', 'E', 'F'], ['up/validating', 'down/down']],
  ['the majority degraded', three, {}, ['DDS', 'DDS', 'SSS'], ['up/degraded', 'up/ok']],
  ['a minority degraded is ok', three, {}, ['DSS', 'DSS'], []],
  ['degraded is no failure: it recovers', one, {}, ['F', 'F', 'D', 'D', 'S'], ['up/validating', 'down/down', 'up/degraded', 'up/ok']],
  ['half of two degraded is ok', two, {}, ['DS', 'DS'], []]
]
for (const [name, regions, rule, rounds, told] of votes) {
  t.test(`${rounds.join(' ')}: ${name}`, async (t) => {
    const acme = world()
    acme.take(configInput({ regions, confirmation: confirmation(rule) }), tickInput(T0))
    play(acme, ['S'.repeat(regions.length), ...rounds], T0)
    t.same(acme.told(), ['up/ok', ...told])
    t.same(
      acme.transitions().map(({ ver }) => ver),
      acme.transitions().map((_, nth) => nth + 1),
      'ver without gaps'
    )
    t.equal(acme.row().ver, acme.transitions().length)
    t.same(acme.refused, [])
  })
}

const begun = (over: Partial<MonitorConfig> = {}) => {
  const acme = world()
  acme.take(configInput(over), tickInput(T0))
  return acme
}
const started = (over: Partial<MonitorConfig> = {}) => {
  const acme = begun(over)
  play(acme, ['SSS'], T0)
  return acme
}

t.test('a monitor is pending until its first round and then ok', async (t) => {
  const acme = begun()
  t.match(acme.row(), { status: 'up', phase: 'pending', ver: 0, since: T0 })
  t.same(acme.told(), [], 'the first configuration is no transition')
  acme.take(...round(T0 + SECOND, 'S'))
  t.match(acme.transitions(), [{ previous_phase: 'pending', phase: 'ok', previous_status: 'up', status: 'up', ver: 1 }])
})

t.test('a failing first round starts validation', async (t) => {
  const acme = begun()
  play(acme, ['FFF', 'FFF'], T0)
  t.same(acme.told(), ['up/validating', 'down/down'])
})

t.test('a monitor that was never checked has no data after the first window', async (t) => {
  const acme = begun()
  acme.take(...ticks(T0 + SECOND, T0 + WINDOW - SECOND))
  t.same(acme.told(), [])
  acme.take(tickInput(T0 + WINDOW))
  t.same(acme.told(), ['up/no_data'])
  acme.take(...ticks(T0 + WINDOW + SECOND, T0 + 3 * WINDOW))
  t.same(acme.told(), ['up/no_data'], 'told once')
})

t.test('regions become stale by tick time at exactly the end of the window', async (t) => {
  const acme = begun()
  acme.take(
    ...ticks(T0 + SECOND, T0 + 10 * SECOND),
    ...round(T0 + 10 * SECOND, 'SSS'),
    ...ticks(T0 + 11 * SECOND, T0 + 10 * SECOND + WINDOW - SECOND)
  )
  t.same(acme.told(), ['up/ok'])
  acme.take(tickInput(T0 + 10 * SECOND + WINDOW))
  t.match(acme.transitions()[1], {
    phase: 'no_data',
    at: T0 + 10 * SECOND + WINDOW,
    scheduled_at: null,
    received_at: null,
    vote: { fresh: 0 }
  })
  t.ok(acme.row().regions.every(({ stale }) => stale))
})

t.test('before the first tick, record time makes regions stale', async (t) => {
  const acme = world()
  acme.take(configInput(), ...round(T0, 'SSS'), ...round(T0 + WINDOW - SECOND, 'F'), ...round(T0 + WINDOW + MINUTE, 'F'))
  t.same(acme.told(), ['up/ok', 'up/validating', 'up/unconfirmed'], 'b and c have turned stale')
})

t.test('before the first tick, a healthy result also makes silent regions stale', async (t) => {
  const acme = world()
  acme.take(configInput(), ...round(T0, 'SSS'), ...round(T0 + MINUTE, 'S'), ...round(T0 + WINDOW + SECOND, 'S'))
  t.same(
    acme.row().regions.map(({ stale }) => stale),
    [false, true, true]
  )
})

t.test('results that do not count, are late or are of unknown origin change nothing', async (t) => {
  const acme = started()
  const before = acme.row()
  const at = T0 + MINUTE
  acme.take(
    ...round(at, 'FFF', { count: false, kind: 'on_demand' }),
    ...round(at, 'EML'),
    ...round(T0, 'FFF'),
    ...round(T0 - MINUTE, 'FFF'),
    resultInput(at, { region: 'z', outcome: 'failure' }),
    resultInput(at, { tenant_id: other_tenant_id, outcome: 'failure' }),
    resultInput(at, { monitor_id: other_tenant_id, outcome: 'failure' })
  )
  t.equal(acme.row(), before, 'the very same row')
  t.same(acme.told(), ['up/ok'])
  t.same(acme.refused, [])
  t.equal(acme.state.size, 2)
  acme.take(...round(at, 'FFF', { count: true, kind: 'on_demand' }))
  t.same(acme.told(), ['up/ok', 'up/validating'], 'an on-demand check that counts is judged')
})

t.test('a skewed result does not block later results of its region', async (t) => {
  const acme = started()
  acme.take(resultInput(T0 + 3_600_000, {}, T0 + MINUTE), ...round(T0 + MINUTE, 'FFF'), ...round(T0 + 2 * MINUTE, 'FFF'))
  t.equal(acme.row().status, 'down')
  t.equal(acme.remarks.results_skewed, 1)
})

t.test('the transition to down carries its evidence', async (t) => {
  const acme = started({ regions: ['a', 'b', 'c'], team_id: null, escalation_policy_id: null })
  acme.take(...round(T0 + MINUTE, '-F-'), ...round(T0 + MINUTE + 10, 'F--'))
  acme.take(
    ...round(T0 + 2 * MINUTE, '-F-'),
    ...round(T0 + 2 * MINUTE + 10, 'F--', { reason: 'timeout', message: 'no answer\0 in 10 s', status_code: null })
  )
  t.match(acme.transitions().at(-1), {
    monitor_id,
    ver: 3,
    name: 'Shop',
    type: 'http',
    previous_status: 'up',
    status: 'down',
    previous_phase: 'validating',
    phase: 'down',
    at: T0 + 2 * MINUTE + 210,
    previous_at: T0,
    started_at: T0 + MINUTE,
    scheduled_at: T0 + 2 * MINUTE + 10,
    received_at: T0 + 2 * MINUTE + 210,
    region: 'b',
    affected_regions: ['a', 'b'],
    reason: 'timeout',
    message: 'no answer\uFFFD in 10 s',
    status_code: null,
    response_time_ms: 82.5,
    vote: {
      configured: 3,
      fresh: 3,
      down: 2,
      up: 1,
      needed: 2,
      regions: [
        { region: 'a', state: 'down' },
        { region: 'b', state: 'down' },
        { region: 'c', state: 'up' }
      ]
    },
    confirmation: { rounds: 2, regions: 'majority' },
    flapping: false,
    severity: 'critical',
    labels: { service: 'shop' },
    tags: ['eu'],
    cause: { kind: 'signal', request_id: null, input: null },
    config_versions: { monitor: 1 }
  })
  t.match(acme.row(), {
    started_at: T0 + MINUTE,
    since: T0 + 2 * MINUTE + 210,
    last_failure: { region: 'a', reason: 'timeout', status_code: null }
  })
})

t.test('an outage keeps its start and first evidence, without regions that fell silent', async (t) => {
  const acme = begun({ regions: five })
  const at = play(acme, ['SSSSS', 'FSSSS', 'FSSSS', '-SSSS', '-SSSS', '-SSSS', '-FFFS', '-FFFS', '-----', '-----', '-----'], T0)
  t.match(acme.row(), { phase: 'no_data', started_at: T0 + 6 * MINUTE })
  play(acme, ['-SSSF'], at)
  t.same(acme.told(), ['up/ok', 'up/validating', 'up/ok', 'up/validating', 'down/down', 'down/no_data', 'down/down'])
  t.match(acme.transitions()[4], { started_at: T0 + 6 * MINUTE, region: 'b', affected_regions: ['b', 'c', 'd'] })
  t.match(acme.transitions()[5], { started_at: null, affected_regions: [] })
  t.match(acme.row(), { status: 'down', started_at: T0 + 6 * MINUTE })
})

t.test('a monitor that goes down by a tick gives the last failure as the reason', async (t) => {
  const acme = begun({ regions: five })
  play(acme, ['SSSSS', 'FFSSS', 'FFS--', 'FFS--'], T0)
  const down = acme.transitions().find(({ status }) => status === 'down')
  t.match(down, {
    scheduled_at: null,
    status_code: null,
    response_time_ms: null,
    reason: 'http_status',
    region: 'a',
    started_at: T0 + MINUTE,
    vote: { fresh: 3, down: 2, needed: 2 }
  })
  t.match(down?.cause, { event_id: null })
})

t.test('the transition to up carries the vote and no reason', async (t) => {
  const acme = started({ confirmation: confirmation({ regions: 'any' }) })
  play(acme, ['FSS', 'FSS', 'SSS', 'SSS'], T0 + MINUTE)
  t.match(acme.transitions().at(-1), {
    previous_status: 'down',
    status: 'up',
    reason: null,
    message: null,
    started_at: null,
    vote: { up: 3, needed: 2 }
  })
  t.equal(acme.row().started_at, null)
})

t.test('ticks that do not fit are ignored, and older ones change nothing', async (t) => {
  const acme = started()
  const own = () => acme.state.get('partition:3')
  const last = { partition: 3, tick_at: T0 + MINUTE, lost_ms: 0, tick_appended_at: T0 + MINUTE }
  t.same(own(), last)
  acme.take(
    tickInput(T0 + 3_600_000, T0 + MINUTE),
    tickInput(T0 + MINUTE + 5001, T0 + MINUTE),
    tickInput(T0 + MINUTE - 5, T0 + MINUTE),
    tickInput(Number.NaN, T0)
  )
  t.match(own(), last)
  t.match(acme.remarks, { ticks_stray: 3, ticks_repeated: 1 })
  acme.take(tickInput(T0 + MINUTE + 3000))
  t.match(own(), { lost_ms: 0 }, '3 s are no gap')
  t.same(acme.notices, [
    { cause: 'ticks_ignored', from: last.tick_at, to: last.tick_at },
    { cause: 'ticks_ignored', from: last.tick_at, to: last.tick_at }
  ])
})

t.test('a gap between ticks makes no region stale and gives a notice', async (t) => {
  const acme = started()
  const gone = T0 + MINUTE
  const back = gone + 600 * SECOND
  acme.take(tickInput(back))
  t.same(acme.notices, [{ cause: 'tick_gap', from: gone, to: back }])
  t.same(acme.told(), ['up/ok'])
  acme.take(...ticks(back + SECOND, back + WINDOW - MINUTE - SECOND))
  t.same(acme.told(), ['up/ok'], 'the minute before the gap counts, the gap does not')
  acme.take(tickInput(back + WINDOW - MINUTE))
  t.same(acme.told(), ['up/ok', 'up/no_data'])
  t.match(acme.state.get('partition:3'), { lost_ms: 600 * SECOND })
})

t.test('results during a tick gap are as old as the tick before it', async (t) => {
  const acme = started()
  const back = T0 + MINUTE + 600 * SECOND
  acme.take(...round(T0 + 5 * MINUTE, 'SSS'), tickInput(back), ...ticks(back + SECOND, back + WINDOW - SECOND))
  t.same(acme.told(), ['up/ok'])
  acme.take(tickInput(back + WINDOW))
  t.same(acme.told(), ['up/ok', 'up/no_data'])
})

t.test('a result after a tick gap is fresh for exactly one window', async (t) => {
  const acme = started()
  const back = T0 + MINUTE + 600 * SECOND
  acme.take(tickInput(back), ...round(back, 'SSS'), ...ticks(back + SECOND, back + WINDOW - SECOND))
  t.same(acme.told(), ['up/ok'])
  acme.take(tickInput(back + WINDOW))
  t.same(acme.told(), ['up/ok', 'up/no_data'])
})

const flap = { enabled: true, window_rounds: 20, high_percent: 30, low_percent: 15 }
t.test('flapping starts at the high limit, ends at the low one and is announced once each', async (t) => {
  for (const regions of [one, three]) {
    const quick = confirmation({ rounds: 1, recovery_rounds: 1 })
    const acme = begun({ regions, flap, confirmation: quick })
    const all = (letter: string) => letter.repeat(regions.length)
    play(acme, [...'SSSSFSFS'].map(all), T0)
    t.equal(acme.row().flapping, false, '4 changes of 20 rounds')
    const at = play(acme, [...'FSFSFS'].map(all), T0 + 8 * MINUTE)
    t.equal(acme.row().flapping, true, '6 and more')
    t.equal(acme.row().phase, 'flapping')
    t.ok(
      acme.transitions().some(({ flapping, status, previous_status }) => flapping && status === 'down' && previous_status === 'up'),
      'status goes on changing'
    )
    play(acme, [...'SSSSSSSSSSSSSSSSSSSS'].map(all), at)
    t.equal(acme.row().flapping, false)
    t.match(acme.transitions().at(-1), { flapping: false, previous_phase: 'flapping', phase: 'ok' })
    const flips = acme.transitions().filter(({ flapping }, nth, all) => flapping !== (all[nth - 1]?.flapping ?? false))
    t.equal(flips.length, 2)
  }
})

t.test('a single outage, a lone region or disabled detection gives no flapping', async (t) => {
  const outage = begun({ flap })
  play(outage, ['SSS', 'FFF', 'FFF', 'SSS', 'SSS', 'SSS'], T0)
  const lone = begun({ flap })
  play(lone, ['SSS', 'FSS', 'SSS', 'FSS', 'SSS', 'FSS', 'SSS', 'FSS', 'SSS', 'FSS', 'SSS', 'FSS', 'SSS'], T0)
  const off = begun({ flap: { ...flap, enabled: false }, confirmation: confirmation({ rounds: 1, recovery_rounds: 1 }) })
  play(off, ['SSS', 'FFF', 'SSS', 'FFF', 'SSS', 'FFF', 'SSS', 'FFF', 'SSS', 'FFF'], T0)
  for (const acme of [outage, lone, off])
    t.same(
      acme.transitions().filter(({ flapping }) => flapping),
      []
    )
})

t.test('a repeated or older configuration changes nothing', async (t) => {
  const acme = started({ version: 4 })
  const before = acme.row()
  const heard = acme.outgoing.length
  acme.take(configInput({ version: 4 }), configInput({ version: 3, name: 'Old' }), configInput({ version: 2, deleted: true }))
  t.equal(acme.row(), before)
  t.equal(acme.outgoing.length, heard)
})

t.test('a new configuration takes effect with the next result', async (t) => {
  const acme = started()
  acme.take(
    ...round(T0 + MINUTE, 'FFF'),
    configInput({ version: 2, confirmation: confirmation({ rounds: 1 }) }),
    ...ticks(T0 + MINUTE + SECOND, T0 + MINUTE + 30 * SECOND)
  )
  t.same(acme.told(1), ['up/validating'], 'not by itself, nor by a tick that makes nobody stale')
  acme.take(...round(T0 + 2 * MINUTE, 'F'), ...round(T0 + 2 * MINUTE, '-F'))
  t.match(acme.transitions().at(-1), { status: 'down', config_versions: { monitor: 2 }, confirmation: { rounds: 1 } })
})

t.test('a result made under another version is judged by the current configuration', async (t) => {
  const acme = started({ version: 3 })
  play(acme, ['FFF'], T0 + MINUTE, { config_version: 1 })
  play(acme, ['FFF'], T0 + 2 * MINUTE, { config_version: 9 })
  t.equal(acme.row().status, 'down')
})

t.test('a removed region leaves the vote, and a new one joins without a vote', async (t) => {
  const acme = started()
  play(acme, ['FFS', 'FFS'], T0 + MINUTE)
  acme.take(configInput({ version: 2, regions: ['c', 'd', 'b'] }))
  t.same(
    acme.row().regions.map(({ region, vote, last_seq }) => [region, vote, last_seq]),
    [
      ['c', 'up', T0 + 2 * MINUTE],
      ['d', null, null],
      ['b', 'down', T0 + 2 * MINUTE]
    ]
  )
  t.equal(acme.row().status, 'down', 'only with the next result')
  acme.take(...round(T0 + 3 * MINUTE, '--S'))
  t.equal(acme.row().status, 'down', 'one of two fresh is up')
  acme.take(...round(T0 + 3 * MINUTE, '---S'))
  t.equal(acme.row().status, 'up', 'two of three are')
})

t.test('after a change of all regions, the window starts at the change', async (t) => {
  const acme = started()
  const at = T0 + MINUTE
  acme.take(configInput({ version: 2, regions: ['x', 'y'] }), ...ticks(at + SECOND, at + WINDOW - SECOND))
  t.same(acme.told(), ['up/ok'])
  acme.take(tickInput(at + WINDOW))
  t.same(acme.told(), ['up/ok', 'up/no_data'])
})

t.test('after a shorter interval, the window starts at the change', async (t) => {
  const acme = started({ interval_seconds: 3600 })
  const later = T0 + 50 * MINUTE
  acme.take(...ticks(T0 + MINUTE + SECOND, later), configInput({ version: 2 }), ...ticks(later + SECOND, later + WINDOW - SECOND))
  t.same(acme.told(), ['up/ok'])
  acme.take(tickInput(later + WINDOW))
  t.same(acme.told(), ['up/ok', 'up/no_data'])
})

t.test('a paused monitor judges nothing, and resuming starts it as pending without votes', async (t) => {
  const acme = started()
  play(acme, ['FFF', 'FFF'], T0 + MINUTE)
  const paused = configInput({ version: 2, paused: true, pause_reason: 'user' }, T0 + 3 * MINUTE)
  acme.take(paused)
  t.match(acme.transitions().at(-1), {
    previous_status: 'down',
    status: 'paused',
    phase: 'paused',
    at: T0 + 3 * MINUTE,
    scheduled_at: null,
    reason: null,
    config_versions: { monitor: 2 }
  })
  const row = acme.row()
  play(acme, ['FFF', '---', '---', '---', '---'], T0 + 3 * MINUTE)
  t.equal(acme.row(), row, 'nothing moves')
  acme.take(configInput({ version: 3, paused: true, name: 'Renamed' }))
  t.equal(acme.row().config.name, 'Renamed')
  t.equal(acme.row().ver, row.ver, 'still paused: no transition')

  const resumed = T0 + 8 * MINUTE
  acme.take(configInput({ version: 4 }, resumed))
  t.match(acme.transitions().at(-1), {
    previous_status: 'paused',
    status: 'up',
    previous_phase: 'paused',
    phase: 'pending',
    vote: { fresh: 0, down: 0 }
  })
  acme.take(...round(T0 + 2 * MINUTE, 'FFF'))
  t.equal(acme.row().phase, 'pending', 'from before the pause')
  acme.take(...round(resumed + SECOND, 'FFF'))
  t.same(acme.told().at(-1), 'up/validating', 'the streak began anew')
  acme.take(...ticks(resumed + SECOND, resumed + 2 * SECOND), ...round(resumed + MINUTE, 'FFF'))
  t.same(acme.told().at(-1), 'down/down')
})

t.test('a pushed state stays the state over a pause, and counts from its end', async (t) => {
  const pushed = { regions: ['external'], type: 'external', interval_seconds: 2_000_000, confirmation: confirmation({ rounds: 1 }) }
  const push = (at: number, outcome: 'success' | 'degraded' | 'failure') => resultInput(at, { region: 'external', outcome })
  const paused = T0 + 3 * MINUTE
  const resumed = T0 + 60 * MINUTE
  const cases: [name: string, before: Input[], within: Input[], told: string[]][] = [
    ['down before', [push(T0 + MINUTE, 'failure')], [], ['down/down']],
    [
      'down before, up within',
      [push(T0 + MINUTE, 'failure')],
      [push(T0 + 5 * MINUTE, 'success'), push(T0 + 6 * MINUTE, 'success')],
      ['up/ok']
    ],
    ['up before, down within', [push(T0 + MINUTE, 'success')], [push(T0 + 5 * MINUTE, 'failure')], ['down/down']],
    ['degraded within', [], [push(T0 + 5 * MINUTE, 'degraded')], ['up/degraded']],
    ['nothing at all', [], [], []]
  ]
  for (const [name, before, within, told] of cases) {
    const acme = world()
    acme.take(configInput(pushed), tickInput(T0), ...before, configInput({ ...pushed, version: 2, paused: true }, paused))
    const { length } = acme.transitions()
    acme.take(...within)
    t.equal(acme.transitions().length, length, `${name}: nothing is told within the pause`)
    acme.take(tickInput(resumed - SECOND), configInput({ ...pushed, version: 3 }, resumed))
    acme.take(configInput({ ...pushed, version: 4, name: 'Renamed' }, resumed + 1), tickInput(resumed + SECOND))
    t.same(acme.told(length), ['up/pending', ...told], name)
    if (told[0] === 'down/down') t.match(acme.transitions().at(-1), { started_at: resumed, message: 'status 503, expected 200' }, name)
  }

  const acme = world()
  const expected = { ...pushed, interval_seconds: 60 }
  acme.take(
    configInput(expected),
    tickInput(T0),
    push(T0 + MINUTE, 'failure'),
    configInput({ ...expected, version: 2, paused: true }, paused)
  )
  acme.take(...ticks(T0 + SECOND, resumed), configInput({ ...expected, version: 3 }, resumed), tickInput(resumed + SECOND))
  t.equal(acme.told().at(-1), 'up/pending', 'a state that has expired says nothing')
})

t.test('a resumed monitor without results has no data after a window', async (t) => {
  const acme = started()
  acme.take(
    configInput({ version: 2, paused: true }),
    ...ticks(T0 + MINUTE + SECOND, T0 + 9 * MINUTE),
    configInput({ version: 3 }),
    ...ticks(T0 + 9 * MINUTE + SECOND, T0 + 9 * MINUTE + WINDOW - SECOND)
  )
  t.same(acme.told(1), ['paused/paused', 'up/pending'])
  acme.take(tickInput(T0 + 9 * MINUTE + WINDOW))
  t.same(acme.told(3), ['up/no_data'])
})

t.test('a monitor that is paused from the start makes no transition', async (t) => {
  const acme = begun({ paused: true })
  play(acme, ['FFF', 'FFF', '---', '---', '---'], T0)
  t.match(acme.row(), { status: 'paused', phase: 'paused', ver: 0 })
  t.same(acme.told(), [])
})

t.test('a deleted monitor loses its row and ignores later records', async (t) => {
  const acme = started()
  acme.take(configInput({ version: 2, deleted: true }))
  t.notOk(acme.state.has(monitor_id))
  t.notOk(acme.stored.has(monitor_id))
  t.match(acme.outgoing.at(-1), { body: 'current', topic: 'monitor.state.v1', key: monitor_id, event_type: 'monitor.deleted', ver: 2 })
  const heard = acme.outgoing.length
  acme.take(...round(T0 + MINUTE, 'FFF'), configInput({ version: 3, deleted: true }), ...ticks(T0 + MINUTE, T0 + MINUTE + WINDOW))
  t.equal(acme.outgoing.length, heard)
})

t.test('a region that fails later during an outage is announced once', async (t) => {
  const acme = started()
  let at = play(acme, ['FFS', 'FFF', 'FFF', 'FFF'], T0)
  t.same(acme.told(), ['up/ok', 'up/validating', 'down/down'])
  t.same(acme.joined(), ['c'])
  t.match(acme.transitions().at(-1), {
    status: 'down',
    previous_status: 'down',
    joined_region: 'c',
    affected_regions: ['a', 'b', 'c'],
    started_at: null
  })
  t.match(
    acme.outgoing.filter(({ topic }) => topic === 'monitor.transitions.v1').map(({ event_type }) => event_type),
    ['monitor.phase_ok', 'monitor.phase_validating', 'monitor.down', 'monitor.region_joined']
  )
  at = play(acme, ['---', '---', '---', '---'], at)
  play(acme, ['FFF', 'FFF'], at)
  t.same(acme.joined(), ['c', 'a', 'b', 'c'], 'after a silence each speaks anew')
})

t.test('a pause transition says whether the ongoing incident ends', async (t) => {
  for (const [over, reason] of [
    [{ resolve_open: true }, 'user'],
    [{ resolve_open: true, pause_reason: 'entitlement' }, 'entitlement'],
    [{ resolve_open: false }, null]
  ] as const) {
    const acme = started()
    acme.take(configInput({ version: 2, paused: true, ...over }))
    t.match(acme.transitions().at(-1), { status: 'paused', resolution_reason: reason })
    acme.take(configInput({ version: 3 }))
    t.match(acme.transitions().at(-1), { status: 'up', resolution_reason: null })
  }
})

t.test('deleting a monitor whose pause kept its incident first sends a transition to up', async (t) => {
  const acme = started()
  acme.take(configInput({ version: 2, paused: true }), configInput({ version: 3, paused: true, deleted: true, resolve_open: true }))
  t.match(acme.transitions().at(-1), { previous_status: 'paused', status: 'up', resolution_reason: 'monitor_deleted' })
  const other = started()
  other.take(configInput({ version: 2, paused: true, resolve_open: true }), configInput({ version: 3, paused: true, deleted: true }))
  t.match(other.transitions().at(-1), { status: 'paused' }, 'one that has ended it has nothing to say')
})

t.test('deleting a monitor that is down first sends a transition to up', async (t) => {
  const acme = started()
  play(acme, ['FFF', 'FFF'], T0 + MINUTE)
  t.equal(acme.row().status, 'down')
  const { ver } = acme.row()
  acme.take(configInput({ version: 2, deleted: true }))
  t.notOk(acme.state.has(monitor_id))
  t.match(
    acme.outgoing.filter(({ ver: of }) => of === ver + 1),
    [
      { record: 'MonitorTransition', value: { previous_status: 'down', status: 'up', config_versions: { monitor: 2 } } },
      { event_type: 'monitor.status_changed' },
      { body: 'current', topic: 'monitor.state.v1' }
    ]
  )
})

t.test('deleting a monitor that was down before its pause first sends a transition to up', async (t) => {
  const acme = started()
  play(acme, ['FFF', 'FFF'], T0 + MINUTE)
  acme.take(configInput({ version: 2, paused: true }))
  const { ver } = acme.row()
  acme.take(configInput({ version: 3, paused: true, deleted: true }))
  t.notOk(acme.state.has(monitor_id))
  t.match(acme.transitions().at(-1), { ver: ver + 1, previous_status: 'paused', status: 'up', config_versions: { monitor: 3 } })
})

t.test('results before the first configuration are not judged', async (t) => {
  const acme = world()
  acme.take(...round(T0, 'FFF'), ...round(T0 + MINUTE, 'FFF'))
  t.equal(acme.state.size, 0)
  acme.take(configInput())
  t.match(acme.row(), { phase: 'pending', regions: [{ last_seq: null }, {}, {}] })
})

t.test('the last seen certificate is kept', async (t) => {
  const acme = started()
  const not_after = T0 + 86_400_000
  acme.take(
    ...round(T0 + MINUTE, 'S', { certificate_not_after: not_after, certificate_issuer: 'CA', certificate_chain_ok: true }),
    ...round(T0 + 2 * MINUTE, 'SS')
  )
  t.match(acme.row(), { certificate_not_after: not_after, certificate_issuer: 'CA', certificate_chain_ok: true })
  t.match(acme.stored.get(monitor_id), { certificate_not_after: not_after }, 'a new one is stored at once')
})

t.test('the certificate is forgotten when the settings no longer use TLS', async (t) => {
  const not_after = T0 + 86_400_000
  const seen = { certificate_not_after: not_after, certificate_issuer: 'CA', certificate_chain_ok: true }
  const none = { certificate_not_after: null, certificate_issuer: null, certificate_chain_ok: null }
  const begun = (over_tls: boolean | null) => {
    const acme = started({ over_tls })
    acme.take(...round(T0 + MINUTE, 'S', seen), ...round(T0 + 2 * MINUTE, 'SS'))
    t.match(acme.row(), seen)
    return acme
  }
  const cases: [name: string, before: boolean | null, after: Partial<MonitorConfig>, left: object][] = [
    ['to http', true, { over_tls: false }, none],
    ['from a record of before', null, { over_tls: false }, none],
    ['paused with it', true, { over_tls: false, paused: true, pause_reason: 'user' }, none],
    ['another name', true, { over_tls: true, name: 'Store' }, seen],
    ['what redirects to TLS stays', false, { over_tls: false, name: 'Store' }, seen]
  ]
  for (const [name, before, after, left] of cases) {
    const acme = begun(before)
    acme.take(configInput({ version: 2, ...after }))
    t.match(acme.row(), left, name)
    t.match(acme.stored.get(monitor_id), left, `${name}, stored at once`)
  }

  const acme = begun(true)
  acme.take(configInput({ version: 2, over_tls: false }), ...round(T0 + 3 * MINUTE, 'SSS', { ...seen, config_version: 1 }))
  t.match(acme.row(), none, 'what was asked by older settings brings none back')
  acme.take(...round(T0 + 4 * MINUTE, 'S', { ...seen, config_version: 2 }))
  t.match(acme.row(), seen, 'a redirect to TLS does')
})
