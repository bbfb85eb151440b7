/**
 * Tests the rules of a heartbeat by stories. A story is a configuration, what comes at which
 * second, and the expected transitions: `<second> <phase before>><phase after> <status> <reason>`.
 * A tick comes every second unless the story says otherwise. The default is every minute with 30 s
 * of grace, so a ping at 0 is expected again at 60, due by 90, and missed by the tick of 98.
 */
import t from 'tap'
import type { HeartbeatConfig, HeartbeatPing } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { reduceHeartbeat } from '../../../streams/heartbeat/rules.ts'
import type { HeartbeatRow } from '../../../streams/heartbeat/state.ts'
import { config, configInput, cronOf, gapInput, id, ping, pingInput, SECOND, T0, tickInput, World } from './build.ts'

const at = (second: number): number => T0 + second * SECOND

/** What comes at a second: a ping in words, a new configuration, or a record. */
type Event = [number, string | Partial<HeartbeatConfig> | Input]

interface Story {
  config?: HeartbeatConfig
  events: Event[]
  /** Seconds without ticks: after the first number, up to but not including the second. */
  silent?: [number, number]
  until: number
  told: string[]
  row?: Partial<Record<keyof HeartbeatRow, unknown>>
}

/**
 * `start r1`, `exit 3`, `success`, `fail r2`, `success received 89`: the ping is read at its
 * second, and received then or at the second given.
 */
function pingOf(second: number, words: string): Input {
  const [kind = '', ...rest] = words.split(' ')
  const received = rest.indexOf('received')
  const over: Partial<HeartbeatPing> = { kind: kind as HeartbeatPing['kind'] }
  if (kind === 'exit') over.exit_code = Number(rest[0])
  const run = rest.find((word) => /^r\d/.test(word))
  if (run) over.run_id = id(run)
  return pingInput(ping(received < 0 ? at(second) : at(Number(rest[received + 1])), over), { timestamp: at(second) })
}

function play({ config: first = config(), events, silent, until }: Story): World {
  const world = new World().take(configInput(first))
  let last = first
  for (let second = 0; second <= until; second++) {
    if (!silent || second <= silent[0] || second >= silent[1]) world.take(tickInput(at(second)))
    for (const [when, what] of events) {
      if (when !== second) continue
      if (typeof what === 'string') world.take(pingOf(second, what))
      else if ('record' in what) world.take({ ...what, timestamp: at(second) } as Input)
      else {
        last = { ...last, version: last.version + 1, at: at(second), ...what }
        world.take(configInput(last))
      }
    }
  }
  return world
}

const say = (world: World): string[] =>
  world.told.map(({ at, previous_phase, phase, status, reason }) =>
    `${(at - T0) / SECOND} ${previous_phase}>${phase} ${status} ${reason ?? ''}`.trim()
  )

/** T0 is noon in UTC, so slots are at 0, 300, 600 seconds. */
const fiveMinutes = (over: Partial<HeartbeatConfig> = {}) => cronOf('*/5 * * * *', 'UTC', over)

const stories: Record<string, Story> = {
  'before the first ping nothing is due': { events: [], until: 300, told: [], row: { phase: 'waiting', expected_at: null, next_at: null } },
  'nor by cron': { config: fiveMinutes(), events: [], until: 900, told: [], row: { phase: 'waiting' } },
  'a ping opens a slot': {
    events: [[0, 'success']],
    until: 59,
    told: [],
    row: { phase: 'on_time', expected_at: at(60), deadline_at: at(90) }
  },
  'after the expected time comes the grace': { events: [[0, 'success']], until: 60, told: [], row: { phase: 'grace' } },
  'lateness is not over': { events: [[0, 'success']], until: 97, told: [], row: { phase: 'grace', status: 'up' } },
  'it is over with the tick of that instant': { events: [[0, 'success']], until: 98, told: ['98 grace>missed missed missed'] },
  'a ping within the grace is in time': {
    events: [
      [0, 'success'],
      [90, 'success']
    ],
    until: 180,
    told: [],
    row: { expected_at: at(150) }
  },
  'the time of receipt counts': {
    events: [
      [0, 'success'],
      [95, 'success received 89']
    ],
    until: 150,
    told: [],
    row: { expected_at: at(149) }
  },
  'a miss stays one': {
    events: [[0, 'success']],
    until: 162,
    told: ['98 grace>missed missed missed'],
    row: { missed_count: 2, phase: 'missed', expected_at: at(180) }
  },
  'the next ping ends it': {
    events: [
      [0, 'success'],
      [100, 'success']
    ],
    until: 152,
    told: ['98 grace>missed missed missed', '100 missed>on_time up'],
    row: { missed_count: 0, reason: null, since: at(100), last_miss: null }
  },
  'as many as recovery_pings says': {
    config: config({ recovery_pings: 3 }),
    events: [
      [0, 'success'],
      [100, 'success'],
      [110, 'success'],
      [120, 'success']
    ],
    until: 132,
    told: ['98 grace>missed missed missed', '120 missed>on_time up']
  },
  'in a row: a further miss begins the count again': {
    config: config({ recovery_pings: 2 }),
    events: [
      [0, 'success'],
      [100, 'success'],
      [200, 'success'],
      [210, 'success']
    ],
    until: 213,
    told: ['98 grace>missed missed missed', '210 missed>on_time up']
  },
  'failure is told at once': { events: [[0, 'fail']], until: 5, told: ['0 waiting>failed missed failed'], row: { missed_count: 0 } },
  'as is an exit code': {
    events: [
      [0, 'success'],
      [10, 'exit 3']
    ],
    until: 11,
    told: ['10 on_time>failed missed failed']
  },
  'exit 0 is success': {
    events: [
      [0, 'exit 3'],
      [10, 'exit 0']
    ],
    until: 11,
    told: ['0 waiting>failed missed failed', '10 failed>on_time up']
  },
  'failures within the tolerance are pings': {
    config: config({ fail_tolerance: 2 }),
    events: [
      [0, 'fail'],
      [60, 'fail']
    ],
    until: 120,
    told: [],
    row: { failures: 2, expected_at: at(120) }
  },
  'those beyond it are not': {
    config: config({ fail_tolerance: 1 }),
    events: [
      [0, 'fail'],
      [1, 'fail']
    ],
    until: 2,
    told: ['1 on_time>failed missed failed']
  },
  'success begins the tolerance again': {
    config: config({ fail_tolerance: 1 }),
    events: [
      [0, 'fail'],
      [1, 'success'],
      [2, 'fail']
    ],
    until: 3,
    told: []
  },
  'a run that ends too soon has failed, though it says that it went well': {
    config: config({ min_run_seconds: 10 }),
    events: [
      [0, 'start r1'],
      [9, 'exit 0 r1'],
      [20, 'start r2'],
      [30, 'success r2']
    ],
    until: 31,
    told: ['9 running>failed missed underrun', '30 failed>on_time up']
  },
  'a success without a start has no length': {
    config: config({ min_run_seconds: 10 }),
    events: [
      [0, 'success'],
      [5, 'start r1'],
      [6, 'exit 0 r2'],
      [40, 'success r1']
    ],
    until: 41,
    told: [],
    row: { status: 'up', failures: 0 }
  },
  'runs that end too soon are within the tolerance, too': {
    config: config({ min_run_seconds: 10, fail_tolerance: 1 }),
    events: [
      [0, 'start'],
      [1, 'success'],
      [20, 'start'],
      [21, 'success']
    ],
    until: 22,
    told: ['21 running>failed missed underrun']
  },
  'a ping ends a pause that is to end by one, and counts': {
    events: [
      [0, 'success'],
      [10, { paused: true, unpause_on_ping: true }],
      [300, 'log'],
      [310, 'success'],
      [311, { paused: false, unpause_on_ping: false }]
    ],
    until: 369,
    told: ['10 on_time>paused up', '310 paused>waiting up'],
    row: { phase: 'on_time', expected_at: at(370), deadline_at: at(400) }
  },
  'a start that ends a pause is a run, a failure is one': {
    events: [
      [0, { paused: true, unpause_on_ping: true }],
      [10, 'start r1'],
      [20, 'fail r1']
    ],
    until: 21,
    told: ['0 waiting>paused up', '10 paused>waiting up', '20 running>failed missed failed']
  },
  'a failure that ends a pause begins anew, whatever stood before it': {
    events: [
      [0, 'fail'],
      [10, { paused: true, unpause_on_ping: true }],
      [20, 'fail']
    ],
    until: 21,
    told: ['0 waiting>failed missed failed', '10 failed>paused missed failed', '20 paused>waiting up', '20 waiting>failed missed failed']
  },
  'a ping ends no pause of which nobody said so': {
    events: [
      [0, { paused: true }],
      [10, 'success']
    ],
    until: 200,
    told: ['0 waiting>paused up'],
    row: { phase: 'paused', last_ping_at: null }
  },
  'a change before the pause has ended by its record pauses it again': {
    events: [
      [0, { paused: true, unpause_on_ping: true }],
      [10, 'success'],
      [11, { paused: true, unpause_on_ping: true, grace_seconds: 20 }]
    ],
    until: 200,
    told: ['0 waiting>paused up', '10 paused>waiting up', '11 on_time>paused up'],
    row: { phase: 'paused' }
  },
  'a failed one that falls silent misses slots without a word': {
    events: [[0, 'fail']],
    until: 160,
    told: ['0 waiting>failed missed failed'],
    row: { phase: 'failed', missed_count: 2 }
  },
  'a missed one that fails says so': {
    events: [
      [0, 'success'],
      [100, 'fail']
    ],
    until: 103,
    told: ['98 grace>missed missed missed', '100 missed>failed missed failed']
  },
  'a log changes nothing': {
    events: [
      [0, 'success'],
      [50, 'log']
    ],
    until: 98,
    told: ['98 grace>missed missed missed'],
    row: { pings: 1, last_ping_at: at(0) }
  },
  'a start runs': {
    events: [
      [0, 'success'],
      [55, 'start']
    ],
    until: 80,
    told: [],
    row: { phase: 'running', started_at: at(55), expected_at: at(60) }
  },
  'a start alone satisfies nothing': {
    events: [
      [0, 'success'],
      [55, 'start']
    ],
    until: 98,
    told: ['98 running>missed missed missed']
  },
  'grace counts from a start within the slot': {
    events: [
      [0, 'success'],
      [80, 'start'],
      [110, 'success']
    ],
    until: 115,
    told: [],
    row: { last_run_seconds: 30 }
  },
  'and ends': {
    events: [
      [0, 'success'],
      [80, 'start']
    ],
    until: 118,
    told: ['118 running>missed missed missed']
  },
  'starting again moves nothing more': {
    events: [
      [0, 'success'],
      [80, 'start'],
      [105, 'start']
    ],
    until: 118,
    told: ['118 running>missed missed missed']
  },
  'a first start counts as the first ping': { events: [[0, 'start']], until: 98, told: ['98 running>missed missed missed'] },
  'a run with a limit is due by it': {
    config: config({ max_run_seconds: 300 }),
    events: [
      [0, 'success'],
      [60, 'start'],
      [360, 'success']
    ],
    until: 370,
    told: [],
    row: { last_run_seconds: 300 }
  },
  'beyond it, it has run too long': {
    config: config({ max_run_seconds: 300 }),
    events: [
      [0, 'success'],
      [60, 'start']
    ],
    until: 402,
    told: ['368 running>failed missed overrun'],
    row: { missed_count: 0, runs: [] }
  },
  'a longer limit counts for the run that is open': {
    config: config({ max_run_seconds: 60 }),
    events: [
      [0, 'success'],
      [60, 'start'],
      [80, { max_run_seconds: 180 }]
    ],
    until: 248,
    told: ['248 running>failed missed overrun'],
    row: { missed_count: 0 }
  },
  'and so does a shorter one': {
    config: config({ max_run_seconds: 180 }),
    events: [
      [0, 'success'],
      [60, 'start'],
      [80, { max_run_seconds: 60 }]
    ],
    until: 128,
    told: ['128 running>failed missed overrun'],
    row: { last_slot: at(60) }
  },
  'a shorter grace takes nothing from the limit': {
    config: config({ max_run_seconds: 120 }),
    events: [
      [0, 'success'],
      [60, 'start'],
      [80, { grace_seconds: 5 }]
    ],
    until: 180,
    told: [],
    row: { deadline_at: at(180) }
  },
  'nor does another schedule that keeps the phase': {
    config: config({ max_run_seconds: 120 }),
    events: [
      [0, 'success'],
      [60, 'start'],
      [80, { period_seconds: 30, keep_phase: true }]
    ],
    until: 180,
    told: [],
    row: { expected_at: at(80), deadline_at: at(180) }
  },
  'a longer grace counts from the start that moved the deadline': {
    events: [
      [0, 'success'],
      [80, 'start'],
      [85, { grace_seconds: 60 }]
    ],
    until: 140,
    told: [],
    row: { deadline_at: at(140) }
  },
  'an outage that moved a run moves it under a longer limit, too': {
    config: config({ max_run_seconds: 60 }),
    events: [
      [0, 'success'],
      [60, 'start'],
      [110, { max_run_seconds: 120 }]
    ],
    silent: [70, 100],
    until: 110,
    told: ['100 running>unknown up'],
    row: { deadline_at: at(210), runs: [{ run_id: null, started_at: at(60), shifted_ms: 30 * SECOND }] }
  },
  'a change of something else moves no deadline': {
    config: config({ max_run_seconds: 120 }),
    events: [
      [0, 'start r1'],
      [1, 'start r2'],
      [2, 'success r2'],
      [80, { name: 'Other' }]
    ],
    until: 80,
    told: [],
    row: { deadline_at: at(92) }
  },
  'even if its slot is open': {
    config: config({ max_run_seconds: 10 }),
    events: [
      [0, 'success'],
      [50, 'start']
    ],
    until: 68,
    told: ['68 running>failed missed overrun']
  },
  'a finish after that is a recovery': {
    config: config({ max_run_seconds: 10 }),
    events: [
      [0, 'success'],
      [50, 'start'],
      [70, 'success']
    ],
    until: 77,
    told: ['68 running>failed missed overrun', '70 failed>on_time up']
  },
  'a run that never ends is forgotten once a later one has ended': {
    events: [
      [0, 'start r1'],
      [5, 'success r1'],
      [60, 'start r2'],
      [120, 'start r3'],
      [130, 'success r3']
    ],
    until: 190,
    told: ['103 running>missed missed missed', '130 missed>on_time up'],
    row: { phase: 'grace', started_at: null, runs: [] }
  },
  'a limit that is set after that judges no run that was lost': {
    events: [
      [0, 'start r1'],
      [5, 'success r1'],
      [60, 'start r2'],
      [120, 'start r3'],
      [130, 'success r3'],
      [150, { max_run_seconds: 20 }]
    ],
    until: 190,
    told: ['103 running>missed missed missed', '130 missed>on_time up'],
    row: { status: 'up' }
  },
  'nor one that was over it when the job last finished': {
    events: [
      [0, 'start r1'],
      [10, 'start r2'],
      [20, 'success r2'],
      [80, 'start r3'],
      [85, 'success r3'],
      [90, { max_run_seconds: 20 }]
    ],
    until: 130,
    told: [],
    row: { phase: 'on_time', started_at: null, runs: [] }
  },
  'but it judges a run since then': {
    events: [
      [0, 'success'],
      [40, 'start r2'],
      [70, { max_run_seconds: 10 }]
    ],
    until: 75,
    told: ['71 running>failed missed overrun']
  },
  'a run that was missed may still end': {
    events: [
      [0, 'success'],
      [60, 'start r1'],
      [61, 'start r2'],
      [110, 'success r1'],
      [120, 'success r2']
    ],
    until: 121,
    told: ['99 running>missed missed missed', '110 missed>running up'],
    row: { phase: 'on_time', runs: [], last_run_seconds: 59 }
  },
  'a run with a limit is not forgotten': {
    config: config({ max_run_seconds: 200 }),
    events: [
      [0, 'success'],
      [95, 'start r1'],
      [110, 'start r2'],
      [120, 'success r2']
    ],
    until: 130,
    told: ['98 running>missed missed missed', '120 missed>running up'],
    row: { phase: 'running' }
  },
  'runs are told apart by id': {
    config: config({ max_run_seconds: 40 }),
    events: [
      [0, 'start r1'],
      [10, 'start r2'],
      [20, 'success r2']
    ],
    until: 48,
    told: ['48 running>failed missed overrun']
  },
  'a finish without id closes the newest': {
    events: [
      [0, 'start r1'],
      [10, 'start r2'],
      [20, 'success']
    ],
    until: 30,
    told: [],
    row: { phase: 'running', runs: [{ run_id: id('r1'), started_at: at(0), shifted_ms: 0 }] }
  },
  'one without id takes the place of the other': {
    events: [
      [0, 'start'],
      [10, 'start']
    ],
    until: 15,
    told: [],
    row: { runs: [{ run_id: null, started_at: at(10), shifted_ms: 0 }] }
  },
  'by cron, the slot after the ping is due': {
    config: fiveMinutes(),
    events: [[20, 'success']],
    until: 338,
    told: ['338 grace>missed missed missed'],
    row: { last_slot: at(300) }
  },
  'a ping before the slot does not satisfy it': {
    config: fiveMinutes(),
    events: [
      [20, 'success'],
      [297, 'success']
    ],
    until: 338,
    told: ['338 grace>missed missed missed']
  },
  'one of a machine whose clock is a little ahead does': {
    config: fiveMinutes(),
    events: [
      [20, 'success'],
      [298, 'success']
    ],
    until: 400,
    told: [],
    row: { expected_at: at(600), last_slot: at(300) }
  },
  'and so does the first of all': {
    config: fiveMinutes(),
    events: [[299, 'success']],
    until: 500,
    told: [],
    row: { expected_at: at(600) }
  },
  'one at it does': {
    config: fiveMinutes(),
    events: [
      [20, 'success'],
      [300, 'success']
    ],
    until: 400,
    told: [],
    row: { expected_at: at(600), last_slot: at(300) }
  },
  'a late ping does not move the slots': {
    config: fiveMinutes(),
    events: [
      [20, 'success'],
      [329, 'success']
    ],
    until: 340,
    told: [],
    row: { expected_at: at(600) }
  },
  'each slot is missed once': {
    config: fiveMinutes(),
    events: [[20, 'success']],
    until: 1002,
    told: ['338 grace>missed missed missed'],
    row: { missed_count: 3 }
  },
  'with a grace longer than the slots, too': {
    config: fiveMinutes({ grace_seconds: 700 }),
    events: [[20, 'success']],
    until: 1608,
    told: ['1008 grace>missed missed missed'],
    row: { missed_count: 3, last_slot: at(900) }
  },
  'the same version again is nothing': {
    events: [
      [0, 'success'],
      [10, configInput(config({ grace_seconds: 1 }))]
    ],
    until: 95,
    told: [],
    row: { deadline_at: at(90) }
  },
  'a lower version is nothing': {
    config: config({ version: 5 }),
    events: [
      [0, 'success'],
      [10, configInput(config({ version: 4, paused: true }))]
    ],
    until: 20,
    told: [],
    row: { phase: 'on_time' }
  },
  'another grace moves the deadline': {
    events: [
      [0, 'success'],
      [10, { grace_seconds: 60 }]
    ],
    until: 128,
    told: ['128 grace>missed missed missed']
  },
  'another schedule waits again': {
    events: [
      [0, 'success'],
      [10, { period_seconds: 30 }]
    ],
    until: 200,
    told: [],
    row: { phase: 'waiting', expected_at: null }
  },
  'and ends a miss': {
    events: [
      [0, 'success'],
      [100, { period_seconds: 30 }]
    ],
    until: 202,
    told: ['98 grace>missed missed missed', '100 missed>waiting up'],
    row: { missed_count: 0 }
  },
  'unless the phase is kept': {
    events: [
      [0, 'success'],
      [10, { period_seconds: 30, keep_phase: true }]
    ],
    until: 68,
    told: ['68 grace>missed missed missed']
  },
  'then no slot before the change is judged': {
    events: [
      [0, 'success'],
      [50, { period_seconds: 30, keep_phase: true }]
    ],
    until: 88,
    told: ['88 grace>missed missed missed'],
    row: { last_slot: at(50) }
  },
  'from period to cron and the phase kept': {
    events: [
      [0, 'success'],
      [10, { schedule_kind: 'cron', period_seconds: null, cron: '*/2 * * * *', time_zone: 'UTC', keep_phase: true }]
    ],
    until: 158,
    told: ['158 grace>missed missed missed']
  },
  'paused, nothing is judged and no ping counts': {
    events: [
      [0, 'success'],
      [10, { paused: true, pause_reason: 'user' }],
      [20, 'fail']
    ],
    until: 300,
    told: ['10 on_time>paused up'],
    row: { pings: 1, next_at: null }
  },
  'paused within a second of two pings, no frame is due any more': {
    events: [
      [0, 'success'],
      [0, 'success'],
      [0, { paused: true }]
    ],
    until: 10,
    told: ['0 on_time>paused up'],
    row: { frame_due: false, next_at: null }
  },
  'resumed, it waits': {
    events: [
      [0, 'success'],
      [10, { paused: true }],
      [500, { paused: false }]
    ],
    until: 900,
    told: ['10 on_time>paused up', '500 paused>waiting up']
  },
  'after a window that paused it, the next slot is expected': {
    config: fiveMinutes(),
    events: [
      [1, 'success'],
      [10, { paused: true, pause_reason: 'maintenance' }],
      [500, { paused: false, pause_reason: null }]
    ],
    until: 638,
    told: ['10 on_time>paused up', '500 paused>on_time up', '638 grace>missed missed missed'],
    row: { last_slot: at(600) }
  },
  'what was missed before the window is missed again after it': {
    events: [
      [0, 'success'],
      [100, { paused: true, pause_reason: 'maintenance', resolve_open: true }],
      [200, { paused: false, pause_reason: null, resolve_open: false }]
    ],
    until: 298,
    told: ['98 grace>missed missed missed', '100 missed>paused missed missed', '200 paused>on_time up', '298 grace>missed missed missed']
  },
  'a window between two pings moves nothing': {
    events: [
      [0, 'success'],
      [10, { paused: true, pause_reason: 'maintenance' }],
      [20, { paused: false, pause_reason: null }]
    ],
    until: 20,
    told: ['10 on_time>paused up', '20 paused>on_time up'],
    row: { expected_at: at(60), deadline_at: at(90) }
  },
  'a ping within the window is the last one after it': {
    events: [
      [0, 'success'],
      [50, { paused: true, pause_reason: 'maintenance' }],
      [55, 'success'],
      [57, 'start r1'],
      [58, { paused: false, pause_reason: null }]
    ],
    until: 58,
    told: ['50 on_time>paused up', '58 paused>on_time up'],
    row: { expected_at: at(115), deadline_at: at(145), pings: 1, runs: [] }
  },
  'a window before the first ping leaves it waiting': {
    events: [
      [10, { paused: true, pause_reason: 'maintenance' }],
      [20, { paused: false, pause_reason: null }]
    ],
    until: 200,
    told: ['10 waiting>paused up', '20 paused>waiting up']
  },
  'a window that follows a pause of a person leaves it waiting': {
    events: [
      [0, 'success'],
      [10, { paused: true, pause_reason: 'user' }],
      [20, { pause_reason: 'maintenance' }],
      [30, { paused: false, pause_reason: null }]
    ],
    until: 200,
    told: ['10 on_time>paused up', '30 paused>waiting up']
  },
  'and so does a person who pauses it in the window': {
    events: [
      [0, 'success'],
      [10, { paused: true, pause_reason: 'maintenance' }],
      [20, { pause_reason: 'user' }],
      [30, { paused: false, pause_reason: null }]
    ],
    until: 200,
    told: ['10 on_time>paused up', '30 paused>waiting up']
  },
  'another schedule within the window waits for its first ping': {
    events: [
      [0, 'success'],
      [10, { paused: true, pause_reason: 'maintenance' }],
      [20, { period_seconds: 120 }],
      [30, { paused: false, pause_reason: null }]
    ],
    until: 400,
    told: ['10 on_time>paused up', '30 paused>waiting up']
  },
  'unless it keeps the phase': {
    events: [
      [0, 'success'],
      [10, { paused: true, pause_reason: 'maintenance' }],
      [20, { period_seconds: 120, keep_phase: true }],
      [30, { paused: false, pause_reason: null }]
    ],
    until: 30,
    told: ['10 on_time>paused up', '30 paused>on_time up'],
    row: { expected_at: at(120) }
  },
  'a missed one stays so while paused': {
    events: [
      [0, 'success'],
      [100, { paused: true }],
      [200, { paused: false }]
    ],
    until: 302,
    told: ['98 grace>missed missed missed', '100 missed>paused missed missed', '200 paused>waiting up']
  },
  'born paused': { config: config({ paused: true }), events: [[5, 'success']], until: 200, told: [], row: { phase: 'paused', pings: 0 } },
  'a gap of 3 s is none': { events: [[0, 'success']], silent: [65, 68], until: 98, told: ['98 grace>missed missed missed'] },
  'a longer one moves the deadline': {
    events: [[0, 'success']],
    silent: [65, 75],
    until: 108,
    told: ['75 grace>unknown up', '108 unknown>missed missed missed'],
    row: { missed_count: 1 }
  },
  'a ping ends what is unknown': {
    events: [
      [0, 'success'],
      [80, 'success']
    ],
    silent: [65, 75],
    until: 100,
    told: ['75 grace>unknown up', '80 unknown>on_time up'],
    row: { shifted_ms: 0 }
  },
  'a slot ahead is moved and stays known': {
    events: [[0, 'success']],
    silent: [10, 20],
    until: 50,
    told: [],
    row: { phase: 'on_time', deadline_at: at(100), shifted_ms: 10_000 }
  },
  'a long gap is no row of misses': {
    events: [[0, 'success']],
    silent: [65, 2000],
    until: 2062,
    told: ['2000 grace>unknown up', '2033 unknown>missed missed missed'],
    row: { missed_count: 1 }
  },
  'a run is moved as well': {
    config: config({ max_run_seconds: 20 }),
    events: [
      [0, 'success'],
      [10, 'start']
    ],
    silent: [15, 40],
    until: 63,
    told: ['63 running>failed missed overrun']
  },
  'door gap: a deadline inside moves to its end and grace': {
    events: [
      [0, 'success'],
      [92, gapInput(at(70), at(91))]
    ],
    until: 129,
    told: ['92 grace>unknown up', '129 unknown>missed missed missed']
  },
  'at its very ends': {
    events: [
      [0, 'success'],
      [95, gapInput(at(90), at(95))]
    ],
    until: 96,
    told: ['95 grace>unknown up'],
    row: { deadline_at: at(125) }
  },
  'a deadline before it is judged as it stood': {
    events: [
      [0, 'success'],
      [93, gapInput(at(90) + 1, at(93))]
    ],
    until: 98,
    told: ['98 grace>missed missed missed']
  },
  'one shortly after it has its grace from the end': {
    events: [
      [0, 'success'],
      [89, gapInput(at(70), at(89))]
    ],
    until: 127,
    told: ['89 grace>unknown up', '127 unknown>missed missed missed']
  },
  'a slot that begins after it is untouched': {
    events: [
      [0, 'success'],
      [59, gapInput(at(40), at(59))]
    ],
    until: 98,
    told: ['98 grace>missed missed missed']
  },
  'the same gap again is nothing': {
    events: [
      [0, 'success'],
      [91, gapInput(at(70), at(91))],
      [92, gapInput(at(70), at(91))]
    ],
    until: 93,
    told: ['91 grace>unknown up'],
    row: { deadline_at: at(121), shifted_ms: 31_000 }
  },
  'a miss that stands is not taken back by a gap': {
    events: [
      [0, 'success'],
      [100, gapInput(at(80), at(100))]
    ],
    until: 103,
    told: ['98 grace>missed missed missed'],
    row: { status: 'missed' }
  },
  'a gap in the ticks after a gap of the doors takes nothing of the grace': {
    events: [
      [0, 'success'],
      [91, gapInput(at(70), at(91))]
    ],
    silent: [100, 160],
    until: 189,
    told: ['91 grace>unknown up', '189 unknown>missed missed missed']
  },
  'both kinds of gap: the later end counts, not the sum': {
    events: [
      [0, 'success'],
      [85, gapInput(at(65), at(85))]
    ],
    silent: [65, 85],
    until: 123,
    told: ['85 grace>unknown up', '123 unknown>missed missed missed'],
    row: { missed_count: 1 }
  }
}

for (const [name, story] of Object.entries(stories)) {
  t.test(name, async (t) => {
    const world = play(story)
    t.same(say(world), story.told)
    if (story.row) t.match(world.row(), story.row)
    t.same(
      world.told.map(({ ver }) => ver),
      world.told.map((_, nth) => nth + 1),
      'versions without gaps'
    )
    t.same(world.refused, [])
  })
}

t.test('a miss carries its slot, its deadline and the last ping', async (t) => {
  const { told } = play({ events: [[0, 'success']], until: 98, told: [] })
  t.match(told, [
    {
      heartbeat_id: config().heartbeat_id,
      previous_status: 'up',
      previous_at: T0,
      expected_at: at(60),
      deadline_at: at(90),
      tick_at: at(98),
      shifted_ms: 0,
      last_ping_at: at(0),
      missed_count: 1,
      late: false,
      severity: 'critical',
      labels: { app: 'backup' },
      config_versions: { heartbeat: 1 },
      cause: { kind: 'signal', src: /^heartbeat\.pings\.v1:0:\d+$/, event_id: null }
    }
  ])
})

t.test('a ping received by the deadline undoes the miss, whatever recovery_pings is', async (t) => {
  const row = play({ config: config({ recovery_pings: 3 }), events: [[0, 'success']], until: 98, told: [] }).row()
  const read = (received: number) => reduceHeartbeat(row, { input: 'ping', ping: ping(at(received)) }, at(99))
  t.match(read(90), { told: { late: true, expected_at: at(60), deadline_at: at(90) }, row: { status: 'up' } })
  t.match(read(91), { told: null, row: { status: 'missed' } })
})

t.test('failures and overruns name their run', async (t) => {
  const failed = play({
    events: [
      [0, 'start r1'],
      [9, 'exit 7 r1']
    ],
    until: 9,
    told: []
  })
  t.match(failed.told, [{ reason: 'failed', run_id: id('r1'), exit_code: 7 }])
  const over = play({ config: config({ max_run_seconds: 20 }), events: [[0, 'start r1']], until: 30, told: [] })
  t.match(over.told, [{ reason: 'overrun', run_id: id('r1'), exit_code: null, deadline_at: at(20), tick_at: at(28) }])
})

t.test('a run that other runs outlive is forgotten after seven days', async (t) => {
  const DAYS_7 = 7 * 86_400
  const world = play({
    events: [
      [0, 'start r1'],
      [1, 'start r2'],
      [2, 'success r2']
    ],
    until: 2,
    told: []
  })
  world.take(pingInput(ping(at(DAYS_7), { run_id: id('r3') })))
  t.match(world.row(), { phase: 'running', runs: [{ run_id: id('r1') }] })
  world.take(pingInput(ping(at(DAYS_7 + 1), { run_id: id('r4') })))
  t.match(world.row(), { phase: 'on_time', started_at: null, runs: [] })
})

t.test('a ping that ends a pause starts one job that resumes the heartbeat', async (t) => {
  const { jobs } = play({
    events: [
      [0, { paused: true, unpause_on_ping: true }],
      [10, 'success'],
      [20, 'success']
    ],
    until: 30,
    told: []
  })
  const { heartbeat_id, tenant_id } = config()
  t.same(jobs, [
    {
      start: 'heartbeat_unpause',
      idem_key: `heartbeat_unpause:${heartbeat_id}:2`,
      tenant_id,
      run_at: at(10),
      payload: { heartbeat_id, version: 2 }
    }
  ])
})

t.test('a ping does not end the pause of a row from an older version', async (t) => {
  const { min_run_seconds: _min, unpause_on_ping: _unpause, ...older } = config({ paused: true })
  const row = new World().take(configInput(older as HeartbeatConfig)).row()
  t.equal(reduceHeartbeat(row, { input: 'ping', ping: ping(at(5)) }, at(5)).row, row)
})

t.test('a deleted heartbeat has no row and is never missed', async (t) => {
  const world = play({
    events: [
      [0, 'success'],
      [10, { deleted: true }],
      [20, 'success']
    ],
    until: 200,
    told: []
  })
  t.same(world.told, [])
  t.equal(world.state.has(config().heartbeat_id), false)
  world.take(configInput(config({ version: 3, deleted: true })))
  t.equal(world.state.has(config().heartbeat_id), false, 'a deletion of what was never known makes no row')
})

t.test('a heartbeat deleted while missed is reported as up first, so that its incident ends', async (t) => {
  const world = play({ events: [[0, 'success']], until: 200, told: ['missed/missed'] })
  world.take(configInput(config({ version: 2, deleted: true })))
  t.match(world.told.at(-1), { previous_status: 'missed', status: 'up', ver: 2, config_versions: { heartbeat: 2 } })
  t.equal(world.state.has(config().heartbeat_id), false)
})

t.test('an invalid input is refused with its reason', async (t) => {
  const world = new World().take(
    configInput(config()),
    pingInput(ping(T0, { kind: 'unknown' })),
    pingInput(ping(T0, { kind: 'exit' })),
    configInput(config({ version: 2, schedule_kind: 'unknown' })),
    configInput(config({ version: 2, period_seconds: null })),
    configInput(cronOf('0 0 30 2 *', 'UTC', { version: 2 })),
    configInput(config({ version: 2, heartbeat_id: 'x' })),
    gapInput(at(5), at(4))
  )
  t.match(
    world.refused.map(({ reason }) => reason),
    [/newer producer/, /exit code/, /neither a period/, /neither a period/, /never fires/, /UUID/, /before it begins/]
  )
  t.equal(world.row().config.version, 1)
})
