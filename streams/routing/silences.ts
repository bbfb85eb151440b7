/**
 * Silences by a pattern: which of them hold an alert.
 *
 * In       the silences of a workspace, compiled; an alert; a time in epoch ms
 * Out      the first that matches, or the first few, by starts_at and id
 * Source   docs/design/api/alerts-and-routing.md#s6-4
 *
 * All matchers of a silence must hold, by the conditions of routing rules. `hour` is in UTC. A
 * silence with a matcher that this version cannot read never matches: it must not hold more than
 * its author asked for. What a private team owns is held only by a silence that names the team by
 * `team_id` eq or in, as routing rules move it (outcome.ts): nobody mutes what they do not see.
 */
import type { Condition } from '../../schemas/http/routing-words.ts'
import { compileCondition, type Routable, type Test } from './conditions.ts'
import { takesFrom } from './outcome.ts'

/** What a silence is made of. Times are epoch ms. */
export interface Silence {
  silence_id: string
  matchers: readonly Condition[]
  starts_at: number
  ends_at: number
  /** When somebody ended it early. */
  expired_at: number | null
}

interface CompiledSilence {
  silence: Silence
  tests: readonly Test[]
  /** Teams that it names, so that it holds what they own though they are private. */
  names: ReadonlySet<string>
}

/** Some silences of a workspace; compiled once, and never changed. */
export interface SilenceSet {
  /** Readable ones, in their order. */
  silences: readonly CompiledSilence[]
  private_team_ids: ReadonlySet<string>
}

const inOrder = (a: Silence, b: Silence): number =>
  a.starts_at - b.starts_at || (a.silence_id < b.silence_id ? -1 : a.silence_id > b.silence_id ? 1 : 0)

/** null: this version cannot read it. */
function compiled(silence: Silence): CompiledSilence | null {
  const tests: Test[] = []
  for (const condition of silence.matchers) {
    const test = compileCondition(condition, 'UTC')
    if (!test) return null
    tests.push(test)
  }
  // Without a matcher it would hold everything.
  return tests.length === 0 ? null : { silence, tests, names: takesFrom({ match: { all: silence.matchers, any: [], none: [] } }) }
}

/** `private_team_ids`: teams that are private, deleted ones too. Never throws. */
export const compileSilences = (silences: readonly Silence[], private_team_ids: readonly string[]): SilenceSet => ({
  silences: [...silences].sort(inOrder).flatMap((silence) => compiled(silence) ?? []),
  private_team_ids: new Set(private_team_ids)
})

/** Of a workspace where nothing is silenced. */
export const noSilences: SilenceSet = compileSilences([], [])

export const silenceStateAt = ({ starts_at, ends_at, expired_at }: Omit<Silence, 'silence_id' | 'matchers'>, at: number) =>
  expired_at !== null || ends_at <= at ? 'expired' : starts_at > at ? 'pending' : 'active'

/** Whether it may hold what the alert's team owns. */
function reaches({ names }: CompiledSilence, { team_id, visibility }: Routable, { private_team_ids }: SilenceSet): boolean {
  if (team_id === null) return visibility === 'org'
  return names.has(team_id) || (visibility === 'org' && !private_team_ids.has(team_id))
}

/** At most `most` active silences that match, in their order. Never throws. */
export function matchingSilences(set: SilenceSet, alert: Routable, at: number, most: number): Silence[] {
  const found: Silence[] = []
  for (const one of set.silences) {
    if (found.length >= most) break
    if (silenceStateAt(one.silence, at) !== 'active' || !reaches(one, alert, set)) continue
    if (one.tests.every((test) => test(alert, at))) found.push(one.silence)
  }
  return found
}

/** The first active silence that matches; null: none does. */
export const matchingSilence = (set: SilenceSet, alert: Routable, at: number): Silence | null =>
  matchingSilences(set, alert, at, 1)[0] ?? null
