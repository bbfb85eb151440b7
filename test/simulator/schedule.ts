/**
 * Makes a history from a seed: targets first, then a random walk over everything that can happen.
 * Bursts prefer combinations that are rare otherwise: parts that lag behind each other while people
 * act.
 */
import { Dice } from '../fuzz/dice.ts'
import type { Rule } from './model/routing.ts'
import { type Deed, HEARTBEATS, KEYS, type Kind, MONITORS, type Operation, type Part } from './operations.ts'
import { endSilence, silence, silenced } from './schedule-silences.ts'
import { changeWindow, endedWithin, maintainedWith, window } from './schedule-windows.ts'

/** Number of rule slots. A rule keeps its id over versions. */
const RULES = 4

const parts: readonly [Part, ...Part[]] = ['status', 'heartbeat', 'incident', 'relay', 'notifier', 'clock']

export interface Dimensions {
  /**
   * How much the clocks of doors, probers, broker and Postgres may be off, in ms; 0: not at all.
   */
  skew: number
}

export type Make = (dice: Dice, dimensions: Dimensions) => Operation | Operation[]

const kindOf = (dice: Dice): Kind => (dice.oneIn(2) ? 'monitor' : 'heartbeat')
const targetOf = (dice: Dice, kind: Kind): number => dice.below(kind === 'monitor' ? MONITORS : HEARTBEATS)

const monitor = (dice: Dice, n: number): Operation => ({
  op: 'monitor',
  n,
  regions: dice.pick([1, 2, 3, 3, 4, 5]),
  rule: dice.pick(['majority', 'majority', 'any', 'all', 'count']),
  count: 1 + dice.below(4),
  rounds: 1 + dice.below(3),
  recovery: 1 + dice.below(3),
  min_seconds: dice.pick([0, 0, 0, 15]),
  recovery_seconds: dice.pick([0, 0, 0, 15]),
  interval: dice.pick([5, 5, 10, 20]),
  flap: dice.oneIn(5) ? dice.pick([6, 20]) : null,
  rate: dice.oneIn(3) ? { failures: 2 + dice.below(3), window_seconds: dice.pick([60, 120]) } : null,
  advisory: dice.pick([0, 30, 60, 900])
})

/** `min_run` uses no random number of its own, so the rest of a seed's history stays as it was. */
function heartbeat(dice: Dice, n: number): Operation {
  const made = heartbeatSettings(dice)
  return { op: 'heartbeat', n, ...made, min_run: made.max_run === 40 || made.grace === 15 ? 3 : null }
}

const heartbeatSettings = (dice: Dice) => ({
  period: dice.pick([10, 10, 20, 45]),
  cron: dice.pick([null, null, null, null, '* * * * *' as const, dice.oneIn(4) ? ('*/5 * * * *' as const) : null]),
  grace: dice.pick([5, 15, 60]),
  max_run: dice.pick([null, null, 10, 40]),
  tolerance: dice.pick([0, 0, 1, 2]),
  recovery: dice.pick([1, 1, 2]),
  keep_phase: dice.oneIn(3)
})

const target = (dice: Dice): Operation => {
  const all = 31
  const failing = dice.pick([0, 0, all, all, dice.below(32)])
  const unreachable = dice.pick([0, 0, 0, 0, dice.below(32), all])
  return { op: 'target', n: dice.below(MONITORS), failing, degraded: dice.pick([0, 0, dice.below(32)]), unreachable }
}

const alert = (dice: Dice): Operation => ({
  op: 'alert',
  key: dice.below(KEYS),
  action: dice.pick(['fire', 'fire', 'resolve']),
  severity: dice.pick(['critical', 'warning', 'info']),
  sequence: dice.oneIn(2) ? 1 + dice.below(4) : null,
  sent_ago: dice.oneIn(2) ? dice.below(8) * 500 : null,
  delivery: dice.oneIn(4) ? dice.below(3) : null,
  door: dice.below(3)
})

const act = (dice: Dice): Operation => {
  const on = dice.pick<Kind | 'key'>(['monitor', 'monitor', 'heartbeat', 'heartbeat', 'key'])
  const n = on === 'key' ? dice.below(KEYS) : targetOf(dice, on)
  const does = dice.pick<Deed>(['resolve', 'resolve', 'resolve at once', 'close', 'acknowledge', 'silence', 'move'])
  return { op: 'act', on, n, does }
}

const actOnAlert = (dice: Dice): Operation => {
  const on = dice.pick<Kind | 'key'>(['monitor', 'heartbeat', 'key', 'key'])
  const n = on === 'key' ? dice.below(KEYS) : targetOf(dice, on)
  return { op: 'act alert', on, n, does: dice.pick(['resolve', 'close', 'acknowledge', 'promote', 'promote']) }
}

const rule = (dice: Dice, id: number): Rule => {
  const keys = Array.from({ length: KEYS }, (_, n) => n).filter(() => dice.oneIn(2))
  return {
    id,
    keys: dice.oneIn(2) ? keys : null,
    kind: dice.pick([null, null, 'inbound', 'monitor', 'heartbeat']),
    goes_on: dice.oneIn(4),
    team: dice.pick([null, null, 0, 1]),
    severity: dice.pick([null, null, null, 'critical', 'info']),
    promote: dice.pick([null, null, null, null, 'never', 'always']),
    suppress: dice.pick([null, null, null, true, false]),
    group: dice.oneIn(2)
      ? {
          by: dice.pick(['label.service', 'severity', 'source.kind']),
          window_seconds: dice.pick([30, 60, 300, 86_400]),
          max_alerts: dice.pick([1, 2, 3, 100])
        }
      : null
  }
}

/** Often there are none, so a key goes back to incidents of its own. */
const rules = (dice: Dice): Operation => {
  const made = Array.from({ length: dice.below(RULES) }, (_, id) => rule(dice, id))
  return { op: 'rules', tenant: dice.pick([0, 0, 1]), rules: made }
}

/** Uses no random number of its own, like `min_run`. */
const isByPing = (kind: Kind, n: number): boolean => kind === 'heartbeat' && n % 2 === 0

const pause = (dice: Dice): Operation | Operation[] => {
  const kind = kindOf(dice)
  const n = targetOf(dice, kind)
  const resolve_open = !dice.oneIn(3)
  const made: Operation = {
    op: 'pause',
    kind,
    n,
    resolve_open,
    for: dice.oneIn(2) ? 1000 * dice.below(120) : null,
    by_ping: isByPing(kind, n)
  }
  return dice.oneIn(16) ? [made, pass(dice), { op: 'delete', kind, n }] : made
}

const resume = (dice: Dice): Operation => {
  const kind = kindOf(dice)
  return { op: 'resume', kind, n: targetOf(dice, kind) }
}

const pass = (dice: Dice): Operation => {
  const ms = dice.pick([10, 50, 200, 200, 1000, 1000, 3000, 5000, 15_000, 40_000]) + dice.below(1000)
  return { op: 'pass', ms, every: dice.pick([500, 1000, 3000, 10_000]) }
}

const hold = (dice: Dice): Operation => ({ op: 'hold', part: dice.pick(parts), partition: dice.below(2), on: dice.oneIn(2) })

const crash = (dice: Dice): Operation => ({
  op: 'crash',
  part: dice.pick(['status', 'status', 'heartbeat', 'heartbeat', 'incident', 'relay', 'notifier']),
  partition: dice.below(2),
  when: dice.pick(['before commit', 'after commit']),
  most: 1 + dice.below(40)
})

/** How much Postgres's clock may be off, in ms. Ticks follow it, so it is the service's time. */
const POSTGRES_MS = 4500

const skew = (dice: Dice, { skew: most }: Dimensions): Operation => {
  const clock = dice.pick<'door' | 'prober' | 'broker' | 'postgres'>(['door', 'door', 'door', 'prober', 'broker', 'postgres'])
  const bound = clock === 'postgres' ? Math.min(most, POSTGRES_MS) : most
  const ms = bound === 0 ? 0 : dice.pick([0, 0, dice.below(200), -dice.below(200), dice.below(bound), -dice.below(bound)])
  return { op: 'skew', clock, n: dice.below(5), ms }
}

/** A person acts while a part lags behind, so the decision comes after the command. */
const overtaken: Make = (dice) => {
  const part = dice.pick<Part>(['incident', 'relay', 'status', 'heartbeat'])
  const kind = kindOf(dice)
  const n = targetOf(dice, kind)
  const fail: Operation =
    kind === 'monitor'
      ? { op: 'target', n, failing: 31, degraded: 0, unreachable: 0 }
      : { op: 'job', n, does: dice.pick(['fails', 'is silent']) }
  const held = [0, 1].map((partition): Operation => ({ op: 'hold', part, partition, on: true }))
  const free = [0, 1].map((partition): Operation => ({ op: 'hold', part, partition, on: false }))
  const command: Operation = dice.oneIn(2)
    ? { op: 'pause', kind, n, resolve_open: !dice.oneIn(4), for: dice.oneIn(2) ? 30_000 : null, by_ping: isByPing(kind, n) }
    : { op: 'act', on: kind, n, does: dice.pick(['resolve', 'close', 'resolve at once']) }
  return [fail, pass(dice), ...held, { op: 'pass', ms: dice.pick([20_000, 60_000]), every: 1000 }, command, pass(dice), ...free]
}

/** A person ends an incident of a key, and its sender keeps sending. */
const repeated: Make = (dice) => {
  const key = dice.below(KEYS)
  const sequence = dice.oneIn(3) ? null : 1 + dice.below(3)
  const fire = (next: number | null): Operation => ({
    op: 'alert',
    key,
    action: 'fire',
    severity: dice.pick(['critical', 'warning']),
    sequence: next,
    sent_ago: dice.oneIn(2) ? dice.below(4) * 500 : null,
    delivery: null,
    door: dice.below(3)
  })
  const wait: Operation = { op: 'pass', ms: dice.pick([200, 2000, 30_000, 65_000]), every: 1000 }
  const later = sequence === null ? null : sequence + dice.pick([0, 0, 1])
  return [
    fire(sequence),
    { op: 'pass', ms: 1500, every: 500 },
    { op: 'act', on: 'key', n: key, does: dice.pick(['resolve', 'close']) },
    wait,
    fire(later),
    pass(dice),
    fire(later)
  ]
}

/** A sender repeats itself after another signal, or after the same one without a time. */
const echoed: Make = (dice) => {
  const key = dice.below(KEYS)
  const sequence = dice.oneIn(3) ? 1 + dice.below(3) : null
  const say = (action: 'fire' | 'resolve', sent_ago: number | null): Operation => ({
    op: 'alert',
    key,
    action,
    severity: 'warning',
    sequence,
    sent_ago,
    delivery: null,
    door: dice.below(3)
  })
  const [first, then] = dice.oneIn(2) ? (['fire', 'resolve'] as const) : (['resolve', 'fire'] as const)
  const pause: Operation = { op: 'pass', ms: dice.pick([10, 300]), every: 300 }
  return [say(first, 0), pause, say(then, dice.pick([null, 0, 4000])), pause, say(first, pause.ms * 2)]
}

/** Keys of the first workspace (tenantOf). */
const SHARED_KEYS = [0, 1, 3, 4, 6, 7] as const

/**
 * Alerts that a rule groups: some at once, some later, worse ones, and their ends. In the middle, a
 * person gives the incident to another team, or the rules change.
 */
const together: Make = (dice) => {
  const group = {
    by: dice.pick(['label.service', 'source.kind'] as const),
    window_seconds: dice.pick([30, 300]),
    max_alerts: dice.pick([2, 3, 100])
  }
  const plain: Rule = { ...rule(dice, 0), keys: null, kind: 'inbound', goes_on: false, promote: null, team: dice.pick([null, 0]), group }
  const say = (action: 'fire' | 'resolve', key: number): Operation => {
    const severity = dice.pick(['critical', 'warning', 'info'] as const)
    return { op: 'alert', key, action, severity, sequence: null, sent_ago: null, delivery: null, door: 0 }
  }
  const some = (action: 'fire' | 'resolve'): Operation[] => SHARED_KEYS.filter(() => !dice.oneIn(3)).map((key) => say(action, key))
  const wait = (): Operation => ({ op: 'pass', ms: dice.pick([100, 1000, 20_000, 25_000]), every: dice.pick([500, 5000]) })
  const middle = dice.pick<Make>([
    () => ({ op: 'act', on: 'key', n: dice.pick(SHARED_KEYS), does: 'move' }),
    () => ({ op: 'act', on: 'key', n: dice.pick(SHARED_KEYS), does: dice.pick<Deed>(['move', 'move', 'resolve', 'close', 'silence']) }),
    () => ({ op: 'act alert', on: 'key', n: dice.pick(SHARED_KEYS), does: dice.pick(['resolve', 'close', 'promote']) }),
    () => ({ op: 'rules', tenant: 0, rules: [{ ...plain, team: 1 }] }),
    () => ({ op: 'rules', tenant: 0, rules: [{ ...plain, severity: dice.pick([null, 'info']) }] }),
    silence
  ])
  const changed = middle(dice, { skew: 0 })
  return [
    ...some('resolve'),
    { op: 'rules', tenant: 0, rules: [plain] },
    wait(),
    ...some('fire'),
    wait(),
    ...(Array.isArray(changed) ? changed : [changed]),
    ...some('fire'),
    wait(),
    ...some('resolve'),
    ...some('fire'),
    wait(),
    ...some('resolve')
  ]
}

const depend = (dice: Dice): Operation => {
  const n = 1 + dice.below(MONITORS - 1)
  const parents = Array.from({ length: n }, (_, one) => one).filter(() => dice.oneIn(3))
  return { op: 'depend', n, parents, wait: dice.pick([0, 10, 30]) }
}

/**
 * Monitors of the first workspace go down one after the other, some together with their parents.
 */
const shared: Make = (dice) => {
  const some = [0, 1, 3, 4, 6, 7].filter(() => !dice.oneIn(4))
  const fails = (n: number, failing: number): Operation => ({ op: 'target', n, failing, degraded: 0, unreachable: 0 })
  const wait = (): Operation => ({ op: 'pass', ms: dice.pick([1000, 6000, 20_000, 45_000]), every: dice.pick([500, 5000]) })
  const ends: Operation[] = dice.oneIn(3) ? [{ op: 'end outage', tenant: 0 }, wait()] : []
  return [
    ...(dice.oneIn(2) ? [depend(dice), depend(dice)] : []),
    ...some.flatMap((n) => (dice.oneIn(3) ? [fails(n, 31), wait()] : [fails(n, 31)])),
    wait(),
    ...ends,
    ...some.flatMap((n) => (dice.oneIn(4) ? [fails(n, 0), wait()] : [fails(n, 0)])),
    wait()
  ]
}

/** Targets of a window fail within it, some for longer. Meanwhile people act. */
const maintained = maintainedWith([pause, shared])

/**
 * A person changes a monitor, most often while it is degraded. It uses no random number of its own,
 * so the rest of a seed's history stays as it was.
 */
const edited: Make = (dice) => {
  const n = dice.below(MONITORS)
  const made = monitor(dice, n)
  const slow: Operation = { op: 'target', n, failing: 0, degraded: 31, unreachable: 0 }
  return [slow, { op: 'pass', ms: 60_000, every: 1000 }, made]
}

/** One or two lost ticks, or an outage of the clock. */
const lostTicks: Make = (dice) => [
  { op: 'hold', part: 'clock', partition: 0, on: true },
  { op: 'pass', ms: dice.pick([1500, 3500, 20_000, 90_000]), every: 1000 },
  { op: 'hold', part: 'clock', partition: 0, on: false }
]

const refusal: Make = (dice) => {
  const door = dice.below(3)
  return [{ op: 'refuse', door, on: true }, pass(dice), { op: 'refuse', door, on: false }]
}

const choices: readonly (readonly [number, Make])[] = [
  [30, pass],
  [14, target],
  [
    14,
    (dice) => ({ op: 'job', n: dice.below(HEARTBEATS), does: dice.pick(['pings', 'pings', 'is silent', 'fails', 'runs', 'starts only']) })
  ],
  [28, alert],
  [8, act],
  [4, pause],
  [4, resume],
  [1, edited],
  [1, (dice) => heartbeat(dice, dice.below(HEARTBEATS))],
  [5, hold],
  [5, crash],
  [3, (dice) => ({ op: 'chunk', most: dice.pick([1, 2, 7, 50, 1000]), joined: dice.oneIn(2) })],
  [4, skew],
  [2, (dice) => ({ op: 'latency', door: dice.below(3), ms: dice.pick([1, 20, 20, 500, 4000]) })],
  [1, refusal],
  [1, lostTicks],
  [
    1,
    (dice) => ({
      op: 'late tick',
      topic: dice.pick(['checks', 'pings']),
      partition: dice.below(2),
      ms: dice.pick([1500, 2500, 4000, 7000])
    })
  ],
  [
    5,
    (dice) => ({
      op: 'result',
      n: dice.below(MONITORS),
      region: dice.below(5),
      outcome: dice.pick(['success', 'degraded', 'failure', 'prober_error']),
      ago: dice.pick([0, 0, 3000, 30_000, -4000, -9000]),
      door: dice.below(3)
    })
  ],
  [3, (dice) => ({ op: 'again', n: dice.below(MONITORS), region: dice.below(5) })],
  [
    5,
    (dice) => ({
      op: 'ping',
      n: dice.below(HEARTBEATS),
      kind: dice.pick(['success', 'success', 'start', 'fail', 'log', 'exit']),
      code: dice.pick([0, 1]),
      run: dice.oneIn(2) ? dice.below(3) : null,
      door: dice.below(3)
    })
  ],
  [4, overtaken],
  [4, repeated],
  [4, echoed],
  [3, together],
  [2, shared],
  [2, depend],
  [1, (dice) => ({ op: 'end outage', tenant: dice.pick([0, 1]) })],
  [1, () => ({ op: 'sweep' })],
  [3, actOnAlert],
  [2, rules],
  [2, silence],
  [1, endSilence],
  [2, silenced],
  [2, window],
  [1, changeWindow],
  [2, maintained],
  [1, endedWithin]
]

const total = choices.reduce((sum, [weight]) => sum + weight, 0)

function choose(dice: Dice): Make {
  let place = dice.below(total)
  for (const [weight, make] of choices) {
    if (place < weight) return make
    place -= weight
  }
  return pass
}

/** The targets that every history begins with, and the deletion of one. */
function beginning(dice: Dice): Operation[] {
  const made: Operation[] = []
  for (let n = 0; n < MONITORS; n++) made.push(monitor(dice, n))
  for (let n = 0; n < HEARTBEATS; n++) made.push(heartbeat(dice, n))
  return [...made, { op: 'pass', ms: 40_000, every: 1000 }]
}

/** Yields an endless history. The caller takes as much as it needs. */
export function* historyOf(seed: number): Generator<Operation> {
  const dice = new Dice(Math.imul(seed + 1, 0x9e3779b1))
  dice.next()
  const dimensions: Dimensions = { skew: dice.pick([0, 0, 300, 3000, 7000, 20_000, 200_000]) }
  yield* beginning(dice)
  for (;;) {
    // Targets are deleted one by one, late and rarely.
    if (dice.oneIn(400)) {
      const kind = kindOf(dice)
      yield { op: 'delete', kind, n: targetOf(dice, kind) }
      continue
    }
    const made = choose(dice)(dice, dimensions)
    if (Array.isArray(made)) yield* made
    else yield made
  }
}
