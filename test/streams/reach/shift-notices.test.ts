/** Tests who is reminded of which shift, and when. */
import t from 'tap'
import type { Shift } from '../../../streams/on-call/timeline.ts'
import { noticeWords, type ShiftWishes, shiftNotices } from '../../../streams/reach/shift-notices.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.parse('2026-01-05T09:00:00Z')

/** Pieces in a row: hours from START at which each ends, and who has it. */
function timeline(...pieces: [ends: number, ...user_ids: string[]][]): Shift[] {
  let starts_at = START - 100 * HOUR
  return pieces.map(([ends, ...user_ids]) => {
    const shift: Shift = {
      starts_at,
      ends_at: START + ends * HOUR,
      user_ids,
      origin: user_ids.length > 0 ? 'layer' : 'gap',
      layer: 'week',
      turn: 0,
      override_id: null,
      fallback: null,
      schedule_version: 1,
      tzdb: 'x'
    }
    starts_at = shift.ends_at
    return shift
  })
}

const usual: ShiftWishes = { shift_reminders_minutes: [1440, 15], handoff_summary: true }
const told = (shifts: Shift[], at: number, wishes: ShiftWishes | null = usual) => {
  const { due, next } = shiftNotices(shifts, at, () => wishes)
  return { due: due.map(({ user_id, kind, minutes }) => `${user_id} ${kind} ${minutes}`), next }
}

t.test('reminders and hand-offs are due in order', async (t) => {
  const shifts = timeline([0, 'ann'], [24, 'bob'], [48, 'ann'])
  for (const [at, due, next] of [
    [-25 * HOUR, [], -24 * HOUR],
    [-24 * HOUR, ['bob shift_reminder 1440'], -15 * MINUTE],
    [-HOUR, ['bob shift_reminder 1440'], -15 * MINUTE],
    [-15 * MINUTE, ['bob shift_reminder 15'], 0],
    [-1, ['bob shift_reminder 15'], 0],
    [0, ['bob handoff 0', 'ann shift_reminder 1440'], 24 * HOUR - 15 * MINUTE],
    [HOUR - 1, ['bob handoff 0', 'ann shift_reminder 1440'], 24 * HOUR - 15 * MINUTE],
    [HOUR, ['ann shift_reminder 1440'], 24 * HOUR - 15 * MINUTE],
    [30 * HOUR, [], null]
  ] as const)
    t.same(told(shifts, START + at), { due, next: next === null ? null : START + next }, `${at / HOUR} h`)
})

t.test('a continued shift, a gap or a shift before the timeline gives no notice', async (t) => {
  t.same(told(timeline([0, 'ann'], [10, 'ann'], [20, 'ann', 'bob'], [30, 'ann']), START - 10 * MINUTE).due, ['bob shift_reminder 1440'])
  t.same(told(timeline([24, 'ann']), START).due, [])
  t.same(told(timeline([0], [10, 'ann']), START).due, ['ann handoff 0'], 'after a gap')
  t.same(told(timeline([0, 'ann'], [10]), START).due, [], 'before a gap')
  const [first, gap] = timeline([0, 'ann'], [10, 'bob'])
  const standIn = { ...(gap as Shift), origin: 'fallback' as const, fallback: { kind: 'user' as const, id: 'bob' } }
  t.same(told([first as Shift, standIn], START).due, [], 'who stands in for a gap')
})

t.test("a person's preferences decide which shift notices are due", async (t) => {
  const shifts = timeline([0, 'ann'], [24, 'bob'])
  t.same(told(shifts, START - 10 * MINUTE, { shift_reminders_minutes: [], handoff_summary: true }), { due: [], next: START })
  t.same(told(shifts, START, { shift_reminders_minutes: [15], handoff_summary: false }), { due: [], next: null })
  t.same(told(shifts, START - 10 * MINUTE, { shift_reminders_minutes: [60, 30, 20], handoff_summary: false }).due, [
    'bob shift_reminder 20'
  ])
  t.same(told(shifts, START - 10 * MINUTE, null), { due: [], next: null }, 'who has left')
})

t.test("shift notices use the person's time zone", async (t) => {
  const [reminder] = shiftNotices(timeline([0, 'ann'], [24, 'bob'], [30, 'bob'], [40, 'ann']), START - 15 * MINUTE, () => usual).due
  if (!reminder) return t.fail('no reminder')
  const facts = { schedule: 'Primary', time_zone: 'Asia/Tokyo', now: START - 15 * MINUTE, before: ['Ann'], open: { total: 0, named: [] } }
  t.same(noticeWords(reminder, facts), {
    title: 'You are on call for Primary in 15 min',
    body: 'From 2026-01-05 18:00 to 2026-01-07 00:00 (Asia/Tokyo).'
  })
  t.equal(noticeWords({ ...reminder, ends_at: null }, facts).body, 'From 2026-01-05 18:00 (Asia/Tokyo).', 'an end that is not known')
  const named = [{ number: 4, title: 'Disk full', severity: 'critical', acknowledged: true }]
  t.same(noticeWords({ ...reminder, kind: 'handoff' }, { ...facts, now: START, open: { total: 3, named } }), {
    title: 'You are on call for Primary now',
    body: [
      'From 2026-01-05 18:00 to 2026-01-07 00:00 (Asia/Tokyo).',
      'Before you: Ann.',
      'Open now: 3',
      '- INC-4 [critical] Disk full, acknowledged',
      '- and 2 more'
    ].join('\n')
  })
  t.match(
    noticeWords({ ...reminder, kind: 'handoff' }, { ...facts, before: [] }).body,
    /Nobody was on call before you\.\nNothing is open\./
  )
  for (const [hours, words] of [
    [1, '60 min'],
    [24, '24 h'],
    [72, '3 d']
  ] as const)
    t.match(noticeWords(reminder, { ...facts, now: START - hours * HOUR }).title, words)
})
