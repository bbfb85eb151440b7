/**
 * Silences by pattern: finds the silences that hold an alert.
 *
 * In       the silences of a workspace, compiled; an alert; a time in epoch ms
 * Out      the first that matches, or the first few, by starts_at and id
 * Source   docs/design/api/alerts-and-routing.md#s6-4
 *
 * All matchers of a silence must be true; they work like the conditions of routing rules. `hour` is
 * in UTC. A silence with a matcher that this version cannot read never matches, because it must not
 * hold more than its author asked for. An alert of a private team is held only by a silence that
 * names the team by `team_id` eq or in; routing rules that move alerts have the same limit
 * (outcome.ts). So nobody can mute alerts that they cannot see.
 */
import type { Condition } from '../../schemas/http/routing-words.ts'
import { byText } from '../../schemas/text-order.ts'
import { compileCondition, type Routable, type Test } from './conditions.ts'
import { takesFrom } from './outcome.ts'

/** A stored silence. Times are epoch ms. */
export interface Silence {
  silence_id: string
  matchers: readonly Condition[]
  starts_at: number
  ends_at: number
  /** When somebody ended it early; null if nobody did. */
  expired_at: number | null
}

interface CompiledSilence {
  silence: Silence
  tests: readonly Test[]
  /** Teams that the silence names. It holds alerts of these teams even if they are private. */
  names: ReadonlySet<string>
}

/** Silences of a workspace, compiled once and never changed. */
export interface SilenceSet {
  /** The readable silences, in order. */
  silences: readonly CompiledSilence[]
  private_team_ids: ReadonlySet<string>
}

const inOrder = (a: Silence, b: Silence): number => a.starts_at - b.starts_at || byText(a.silence_id, b.silence_id)

/** Returns null when this version cannot read the silence. */
function compiled(silence: Silence): CompiledSilence | null {
  const tests: Test[] = []
  for (const condition of silence.matchers) {
    const test = compileCondition(condition, 'UTC')
    if (!test) return null
    tests.push(test)
  }
  // A silence without a matcher would hold everything.
  return tests.length === 0 ? null : { silence, tests, names: takesFrom({ match: { all: silence.matchers, any: [], none: [] } }) }
}

/** `private_team_ids`: private teams, deleted ones included. Never throws. */
export const compileSilences = (silences: readonly Silence[], private_team_ids: readonly string[]): SilenceSet => ({
  silences: [...silences].sort(inOrder).flatMap((silence) => compiled(silence) ?? []),
  private_team_ids: new Set(private_team_ids)
})

/** The set of a workspace without silences. */
export const noSilences: SilenceSet = compileSilences([], [])

export const silenceStateAt = ({ starts_at, ends_at, expired_at }: Omit<Silence, 'silence_id' | 'matchers'>, at: number) =>
  expired_at !== null || ends_at <= at ? 'expired' : starts_at > at ? 'pending' : 'active'

/** Whether the silence may hold alerts of the alert's team. */
function reaches({ names }: CompiledSilence, { team_id, visibility }: Routable, { private_team_ids }: SilenceSet): boolean {
  if (team_id === null) return visibility === 'org'
  return names.has(team_id) || (visibility === 'org' && !private_team_ids.has(team_id))
}

/** Up to `most` active silences that match, in order. Never throws. */
export function matchingSilences(set: SilenceSet, alert: Routable, at: number, most: number): Silence[] {
  const found: Silence[] = []
  for (const one of set.silences) {
    if (found.length >= most) break
    if (silenceStateAt(one.silence, at) !== 'active' || !reaches(one, alert, set)) continue
    if (one.tests.every((test) => test(alert, at))) found.push(one.silence)
  }
  return found
}

/** The first active silence that matches; null when none does. */
export const matchingSilence = (set: SilenceSet, alert: Routable, at: number): Silence | null =>
  matchingSilences(set, alert, at, 1)[0] ?? null
