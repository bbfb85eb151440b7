/** The part of a history about maintenance windows. */
import type { Dice } from '../fuzz/dice.ts'
import type { Effect, Scope } from './model/windows.ts'
import { type Deed, HEARTBEATS, KEYS, type Kind, MONITORS, type Operation } from './operations.ts'
import type { Make } from './schedule.ts'
import { tenantPlaceOf } from './targets.ts'

const effects: readonly [Effect, ...Effect[]] = ['suppress_notifications', 'suppress_incidents', 'pause_checks']

const chosen = (dice: Dice, most: number): number[] => Array.from({ length: most }, (_, n) => n).filter(() => dice.oneIn(3))

const scope = (dice: Dice): Scope =>
  dice.pick<() => Scope>([
    () => ({ all: true }),
    () => ({ monitors: chosen(dice, MONITORS) }),
    () => ({ monitors: chosen(dice, MONITORS) }),
    () => ({ heartbeats: chosen(dice, HEARTBEATS) }),
    () => ({ inbound: true }),
    () => ({ keys: chosen(dice, KEYS) })
  ])()

const DAY_MINUTES = 1440

/**
 * A recurring window began yesterday: it is over soon, and its next occurrence is near. A window
 * that happens once begins now or soon.
 */
export const window = (dice: Dice): Operation => {
  const made = { op: 'window', tenant: dice.pick<0 | 1>([0, 0, 1]), scope: scope(dice), effect: dice.pick(effects) } as const
  const settle = dice.pick([0, 10, 60])
  if (!dice.oneIn(3)) {
    return { ...made, from: dice.pick([0, 0, 60_000]), minutes: dice.pick([1, 2, 4]), settle, every_days: null }
  }
  const pause = 1 + dice.below(4)
  const over = 1 + dice.below(3)
  const minutes = DAY_MINUTES - pause
  return { ...made, from: (over - minutes) * 60_000, minutes, settle, every_days: dice.pick([1, 1, 2]) }
}

export const changeWindow = (dice: Dice): Operation => ({
  op: 'change window',
  nth: dice.below(50),
  does: dice.pick(['end now', 'end now', 'delete', ...effects])
})

/**
 * Targets of a window fail within it, some for longer. Meanwhile people act, or one of `others`
 * happens.
 */
export const maintainedWith =
  (others: readonly Make[]): Make =>
  (dice, dimensions) => {
    const kind = dice.pick<Kind>(['monitor', 'monitor', 'heartbeat'])
    const n = dice.below(kind === 'monitor' ? MONITORS : HEARTBEATS)
    const fails = (on: boolean): Operation =>
      kind === 'monitor'
        ? { op: 'target', n, failing: on ? 31 : 0, degraded: 0, unreachable: 0 }
        : { op: 'job', n, does: on ? 'fails' : 'pings' }
    const tenant = tenantPlaceOf(n)
    const of: Scope = dice.oneIn(3) ? { all: true } : kind === 'monitor' ? { monitors: [n] } : { heartbeats: [n] }
    const made: Operation = {
      op: 'window',
      tenant,
      scope: of,
      effect: dice.pick(['suppress_notifications', 'suppress_incidents', 'suppress_incidents', 'pause_checks']),
      from: 0,
      minutes: dice.pick([1, 2]),
      settle: dice.pick([0, 10, 60]),
      every_days: null
    }
    const wait = (): Operation => ({ op: 'pass', ms: dice.pick([5000, 30_000, 70_000]), every: dice.pick([1000, 5000]) })
    const middle = dice.pick<Make>([
      () => [],
      () => [],
      window,
      changeWindow,
      () => ({ op: 'act alert', on: kind, n, does: dice.pick(['resolve', 'close', 'acknowledge', 'promote']) }),
      () => ({ op: 'act', on: kind, n, does: dice.pick<Deed>(['resolve', 'close', 'resolve at once']) }),
      ...others
    ])(dice, dimensions)
    return [
      ...(dice.oneIn(3) ? [fails(true), wait(), made] : [made, fails(true)]),
      wait(),
      ...(Array.isArray(middle) ? middle : [middle]),
      wait(),
      ...(dice.oneIn(2) ? [fails(false)] : []),
      wait()
    ]
  }

/**
 * A person ends an alert that a window keeps from becoming an incident, and the target keeps
 * failing.
 */
export const endedWithin: Make = (dice) => {
  const kind = dice.pick<Kind>(['monitor', 'heartbeat'])
  const n = dice.below(kind === 'monitor' ? MONITORS : HEARTBEATS)
  const fails: Operation =
    kind === 'monitor' ? { op: 'target', n, failing: 31, degraded: 0, unreachable: 0 } : { op: 'job', n, does: 'fails' }
  const wait = (...ms: [number, ...number[]]): Operation => ({ op: 'pass', ms: dice.pick(ms), every: 1000 })
  const minutes = dice.pick([2, 4])
  return [
    { op: 'resume', kind, n },
    {
      op: 'window',
      tenant: tenantPlaceOf(n),
      scope: { all: true },
      effect: 'suppress_incidents',
      from: 0,
      minutes,
      settle: 10,
      every_days: null
    },
    fails,
    wait(30_000, 60_000),
    { op: 'act alert', on: kind, n, does: dice.pick(['resolve', 'resolve', 'close']) },
    wait(30_000, 70_000),
    wait(1000, 70_000)
  ]
}
