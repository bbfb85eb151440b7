/** Tests when channels are notified of who is on call, and what they are told. */
import t from 'tap'
import { tzZones } from '../../../streams/on-call/zones.ts'
import { onCallNotices, onCallWords, type Piece } from '../../../streams/reach/on-call-notices.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Monday. */
const START = Date.parse('2026-01-05T09:00:00Z')

/** Pieces in a row: hours from START at which each ends, and who has it. */
function timeline(...pieces: [ends: number, ...user_ids: string[]][]): Piece[] {
  let starts_at = START - 100 * HOUR
  return pieces.map(([ends, ...user_ids]) => {
    const piece: Piece = { starts_at, ends_at: START + ends * HOUR, user_ids, fallback: null }
    starts_at = piece.ends_at
    return piece
  })
}

const asked = (piece: Piece, ...user_ids: string[]): Piece => ({ ...piece, user_ids, fallback: { kind: 'user' } })

type Notices = Parameters<typeof onCallNotices>[0]
const onChange: Notices = [{ channel_id: 'c', when: 'on_change', at: null, days: [] }]

const told = (notices: Notices, pieces: Piece[], at: number, more: { since?: number; time_zone?: string } = {}) => {
  const { due, next } = onCallNotices(notices, pieces, { now: START + at, since: 0, time_zone: 'UTC', zones: tzZones, ...more })
  return [
    due.map(({ channel_id, when, due_at }) => `${channel_id} ${when} ${(due_at - START) / HOUR}`),
    next === null ? null : (next - START) / HOUR
  ]
}

t.test('a change of on-call is announced for an hour, and only the latest one', async (t) => {
  const pieces = timeline([0, 'ann'], [24, 'bob'], [24.5, 'ann'], [48, 'bob', 'ann'], [60, 'ann', 'bob'], [70])
  for (const [at, due, next] of [
    [-1, [], 0],
    [0, ['c on_change 0'], 24],
    [HOUR - 1, ['c on_change 0'], 24],
    [HOUR, [], 24],
    [24 * HOUR, ['c on_change 24'], 24.5],
    [24.75 * HOUR, ['c on_change 24.5'], 60],
    [48 * HOUR, [], 60],
    [60 * HOUR, ['c on_change 60'], null]
  ] as const)
    t.same(told(onChange, pieces, at), [due, next], `${at / HOUR} h`)
  t.same(told(onChange, timeline([48, 'ann']), 0), [[], null], 'what began before the timeline is no change')
  const [first, gap] = timeline([0, 'ann'], [10]) as [Piece, Piece]
  t.same(told(onChange, [first, asked(gap, 'ann')], 0), [['c on_change 0'], null], 'who stands in for a gap has no shift')
})

t.test("daily and weekly notices follow the schedule's time zone", async (t) => {
  const daily: Notices = [{ channel_id: 'c', when: 'daily', at: '08:30', days: [] }]
  t.same(told(daily, [], -MINUTE), [['c daily -0.5'], 23.5])
  t.same(told(daily, [], HOUR), [[], 23.5])
  t.same(told([{ channel_id: 'c', when: 'daily', at: null, days: [] }], [], 0), [['c daily 0'], 24], 'at nine unless it says when')
  t.same(told([{ channel_id: 'c', when: 'daily', at: '09:00', days: ['tue', 'thu'] }], [], 0), [[], 24])
  t.same(told([{ channel_id: 'c', when: 'weekly', at: '09:00', days: [] }], [], 0), [['c weekly 0'], 7 * 24], 'on Mondays')
  t.same(told([{ channel_id: 'c', when: 'weekly', at: '09:00', days: ['fri'] }], [], 0), [[], 4 * 24])
  t.same(told([{ channel_id: 'c', when: 'daily', at: '18:00', days: [] }], [], 0, { time_zone: 'Asia/Tokyo' }), [['c daily 0'], 24])
  // The clocks of Berlin leave out 02:30 on 29 March: it is told at 03:00, which is 01:00 UTC.
  const spring = Date.parse('2026-03-29T01:00:00Z') - START
  const night: Notices = [{ channel_id: 'c', when: 'daily', at: '02:30', days: [] }]
  t.same(told(night, [], spring, { time_zone: 'Europe/Berlin' })[0], [`c daily ${spring / HOUR}`])
})

t.test('nothing is announced for times before the notice was created', async (t) => {
  const both: Notices = [...onChange, { channel_id: 'd', when: 'daily', at: '09:00', days: [] }]
  const pieces = timeline([0, 'ann'], [24, 'bob'])
  t.same(told(both, pieces, MINUTE, { since: START + 1 })[0], [])
  t.same(told(both, pieces, MINUTE, { since: START })[0], ['c on_change 0', 'd daily 0'])
  t.same(told(both, pieces, DAY + MINUTE, { since: START + 1 })[0], ['d daily 24'])
})

t.test('the text of an on-call notice', async (t) => {
  const words = (pieces: Piece[], at = 0) =>
    onCallWords(pieces, { schedule: 'Primary', time_zone: 'Europe/Berlin', now: START + at, nameOf: (id) => id.toUpperCase() })
  t.same(words(timeline([0, 'ann'], [12, 'bob'], [24, 'bob'], [48, 'ann', 'cid'])), {
    title: 'On call for Primary: BOB',
    body: 'Now: BOB.\nUntil 2026-01-06 10:00 (Europe/Berlin).\nNext: ANN, CID.'
  })
  t.same(
    words(timeline([0, 'ann'], [24, 'bob'], [48])).body,
    'Now: BOB.\nUntil 2026-01-06 10:00 (Europe/Berlin).\nThen nobody has a shift.'
  )
  t.same(words(timeline([0, 'ann'], [24, 'bob'])).body, 'Now: BOB.')
  const [, gap, next] = timeline([0, 'ann'], [24], [48, 'ann']) as [Piece, Piece, Piece]
  t.same(words([gap, next]), {
    title: 'On call for Primary: nobody',
    body: 'Nobody has a shift now.\nUntil 2026-01-06 10:00 (Europe/Berlin).\nNext: ANN.'
  })
  t.match(words([asked(gap, 'eve'), next]).body, /^Nobody has a shift now\.\nIn the gap EVE is asked\.\n/)
})
