/** Tests a region's vote and the count of votes, one sentence a row. */
import t from 'tap'
import type { Confirmation } from '../../../schemas/generated/events.ts'
import type { RegionRow } from '../../../streams/status/state.ts'
import {
  aged,
  judge,
  neededOf,
  regionState,
  speaksOfTarget,
  staleAt,
  tally,
  unheard,
  verdictOf,
  windowOf
} from '../../../streams/status/votes.ts'
import { config, confirmation, frozen, result, SECOND, T0 } from './build.ts'

const outcomes = { S: 'success', D: 'degraded', F: 'failure' } as const
type Letter = keyof typeof outcomes
const isLetter = (letter: string): letter is Letter => letter in outcomes

/**
 * A region after results a minute apart: each is S, D or F; a space is a minute without a result.
 */
const after = (letters: string, rule: Confirmation = confirmation()): RegionRow =>
  [...letters].reduce((region, letter, nth) => {
    if (!isLetter(letter)) return region
    const at = T0 + nth * 60 * SECOND
    return judge(frozen(region), frozen(result(at, { outcome: outcomes[letter] })), rule, {
      at: at + 200,
      clock: at,
      received_at: at + 200
    })
  }, unheard('a'))

const rate = { failures: 3, window_seconds: 300 }
const votes: [name: string, letters: string, rule: Partial<Confirmation>, vote: RegionRow['vote'], down_from: number | null][] = [
  ['nothing heard', '', {}, null, null],
  ['the first success votes up', 'S', {}, 'up', null],
  ['so does a degraded one', 'D', {}, 'up', null],
  ['a first failure is not confirmed', 'F', {}, null, null],
  ['nor is one after successes', 'SSF', {}, 'up', null],
  ['two in a row are', 'SFF', {}, 'down', 1],
  ['from the first on, too', 'FF', {}, 'down', 0],
  ['a success in between begins anew', 'SFSF', {}, 'up', null],
  ['a degraded one too', 'SFDF', {}, 'up', null],
  ['with one round, a failure is enough', 'SF', { rounds: 1 }, 'down', 1],
  ['three rounds are not met by two', 'SFF', { rounds: 3 }, 'up', null],
  ['min_seconds holds it back', 'SFFF', { min_seconds: 180 }, 'up', null],
  ['until so long has passed since the first', 'SFFFF', { min_seconds: 180 }, 'down', 1],
  ['slots left out count in the time, not in the rounds', 'SF  F', { min_seconds: 180 }, 'down', 1],
  ['min_seconds alone is not enough', 'SF', { min_seconds: 0 }, 'up', null],
  ['one success does not recover it', 'FFS', {}, 'down', 0],
  ['two do', 'FFSS', {}, 'up', null],
  ['degraded ones too', 'FFDD', {}, 'up', null],
  ['a failure in between begins the recovery anew', 'FFSFS', {}, 'down', 0],
  ['and keeps the first evidence', 'FFSFF', {}, 'down', 0],
  ['with one recovery round a success is enough', 'FFS', { recovery_rounds: 1 }, 'up', null],
  ['recovery_seconds holds it back', 'FFSSS', { recovery_seconds: 180 }, 'down', 0],
  ['until it has been good so long', 'FFSSSS', { recovery_seconds: 180 }, 'up', null],
  ['a rate counts failures with successes in between', 'SFSFSF', { failure_rate: rate }, 'down', 1],
  ['not those outside its window', 'SFS FS F', { failure_rate: rate }, 'up', null],
  ['nor those at its edge: five minutes before', 'FSSFSF', { failure_rate: rate }, 'up', null],
  ['rounds still confirm beside a rate', 'SFF', { failure_rate: rate }, 'down', 1],
  ['the earliest evidence of both stands', 'FSFF', { failure_rate: rate }, 'down', 0],
  ['while the rate is met, a success does not recover', 'SFFFS', { failure_rate: rate, recovery_rounds: 1 }, 'down', 1],
  ['not even two in a row', 'SFSFFSS', { failure_rate: { failures: 3, window_seconds: 600 } }, 'down', 1],
  ['once its window has passed they do', 'SFSFFSSSSSSSS', { failure_rate: { failures: 3, window_seconds: 600 } }, 'up', null]
]
for (const [name, letters, rule, vote, from] of votes) {
  t.test(`${letters || 'nothing'}: ${name}`, async (t) => {
    const region = after(letters, confirmation(rule))
    t.equal(region.vote, vote)
    t.equal(region.down_from, from === null ? null : T0 + from * 60 * SECOND)
  })
}

t.test('the streak, run and start times of a region', async (t) => {
  t.match(after('SSS'), { streak: 3, run_at: T0, since: T0 + 200, last: 'success', last_seq: T0 + 120_000, heard_at: T0 + 120_000 })
  t.match(after('SDS'), { streak: 3, run_at: T0 }, 'degraded agrees with success')
  t.match(
    after('SSF'),
    { streak: 1, run_at: T0 + 120_000, since: T0 + 200, status_code: 503, reason: 'http_status' },
    'not yet another verdict'
  )
  t.match(after('SSFF'), { streak: 2, since: T0 + 180_200 })
  t.equal(verdictOf(after('SD')), 'degraded')
  t.equal(verdictOf(after('FFD')), 'down', 'recovering')
  t.equal(verdictOf(after('F')), 'unknown')
})

const judged: [name: string, over: Parameters<typeof result>[1], yes: boolean][] = [
  ['a success', {}, true],
  ['a degraded one', { outcome: 'degraded' }, true],
  ['a failure', { outcome: 'failure' }, true],
  ['an error of the prober', { outcome: 'prober_error' }, false],
  ['a missed window', { outcome: 'missed_window' }, false],
  ['a rate limit', { outcome: 'rate_limited' }, false],
  ['an outcome of a newer prober', { outcome: 'unknown' }, false],
  ['one on demand that does not count', { kind: 'on_demand', count: false }, false],
  ['one on demand that counts', { kind: 'on_demand', count: true }, true]
]
for (const [name, over, yes] of judged) t.equal(speaksOfTarget(result(T0, over)), yes, `${name} is ${yes ? '' : 'not '}judged`)

const needs: [rule: Confirmation['regions'], count: number | null, fresh: number, needed: number][] = [
  ['majority', null, 1, 1],
  ['majority', null, 2, 2],
  ['majority', null, 3, 2],
  ['majority', null, 4, 3],
  ['majority', null, 5, 3],
  ['any', null, 5, 1],
  ['any', null, 0, 1],
  ['all', null, 5, 5],
  ['all', null, 0, 1],
  ['count', 3, 5, 3],
  ['count', 3, 2, 2],
  ['count', 3, 0, 1],
  ['count', null, 3, 2]
]
for (const [regions, count, fresh, needed] of needs)
  t.equal(neededOf(confirmation({ regions, count }), fresh), needed, `${regions} ${count ?? ''} of ${fresh} fresh needs ${needed}`)

t.test('only fresh regions count in the vote', async (t) => {
  const down = after('FF')
  const up = after('S')
  const regions = [down, { ...down, stale: true }, up, { ...up, last: 'failure' } as const, after('D'), unheard('f'), after('F')]
  t.same(tally(frozen(regions), confirmation()), {
    configured: 7,
    fresh: 5,
    down: 1,
    up: 3,
    failed: 3,
    failing: 3,
    degraded: 1,
    needed: 3,
    majority: 3,
    quorum: 4
  })
  const quorums = [1, 2, 3, 4, 5].map(
    (n) =>
      tally(
        Array.from({ length: n }, () => up),
        confirmation()
      ).quorum
  )
  t.same(quorums, [1, 2, 2, 3, 3], 'one of one, else floor(n/2)+1')
})

t.test('a region is fresh for two intervals and a timeout', async (t) => {
  t.equal(windowOf(config()), 130_000)
  t.equal(windowOf(config({ region_mode: 'round_robin' })), 370_000, 'three regions that take turns')
  const regions = frozen([after('S'), unheard('b')])
  t.equal(staleAt(regions, 130_000), T0 + 130_000)
  t.equal(aged(regions, T0 + 129_999, 130_000), regions, 'the same array')
  const old = aged(regions, T0 + 130_000, 130_000)
  t.same(
    old.map(({ stale }) => stale),
    [true, false]
  )
  t.equal(staleAt(old, 130_000), null)
  t.match(regionState(old[0] ?? unheard('')), { state: 'stale', fresh: false, streak: 1 })
  t.match(regionState(unheard('b')), { state: 'unknown', fresh: false, last_seq: null })
  t.equal(aged(old, T0 + 130_000, 200_000)[0]?.stale, false, 'fresh again by a longer window')
})
