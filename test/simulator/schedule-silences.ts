/** The part of a history about silences. */
import type { Dice } from '../fuzz/dice.ts'
import type { Silence } from './model/routing.ts'
import { KEYS, type Operation } from './operations.ts'
import type { Make } from './schedule.ts'
import { tenantPlaceOf } from './targets.ts'

export const silence = (dice: Dice): Operation => {
  const of = dice.pick<Silence['of']>([
    { severity: dice.pick(['critical', 'warning', 'info']) },
    { key: dice.below(KEYS) },
    { team: dice.below(2) }
  ])
  const from = dice.pick([0, 0, 10_000])
  return { op: 'silence', tenant: dice.pick([0, 0, 1]), of, from, until: from + 1000 * (1 + dice.below(120)) }
}

/** Mostly a recent silence: an old one is already over. */
export const endSilence = (dice: Dice): Operation => ({ op: 'end silence', nth: dice.below(dice.oneIn(3) ? 50 : 3) })

/**
 * An alert that silences hold while it is ongoing: some with a pattern, one of which is ended
 * early, and its own silence.
 */
export const silenced: Make = (dice) => {
  const key = dice.below(KEYS)
  const tenant = tenantPlaceOf(key)
  const severity = dice.pick(['critical', 'warning', 'info'] as const)
  const say = (action: 'fire' | 'resolve'): Operation => {
    return { op: 'alert', key, action, severity, sequence: null, sent_ago: null, delivery: null, door: 0 }
  }
  const wait = (): Operation => ({ op: 'pass', ms: dice.pick([100, 1000, 20_000]), every: dice.pick([500, 5000]) })
  const held = (): Operation => {
    const of = dice.pick<Silence['of']>([{ key }, { severity }])
    return { op: 'silence', tenant, of, from: 0, until: 1000 * (60 + dice.below(120)) }
  }
  const own: Operation = { op: 'act', on: 'key', n: key, does: 'silence' }
  const between = (): Operation[] => (dice.oneIn(2) ? [wait()] : [])
  return [
    say('fire'),
    wait(),
    ...(dice.oneIn(2) ? [own, ...between(), held()] : [held(), ...between(), own]),
    ...between(),
    say('fire'),
    wait(),
    ...(dice.oneIn(3) ? [held()] : []),
    { op: 'end silence', nth: 0 },
    say('fire'),
    wait(),
    say('resolve')
  ]
}
