/** Heartbeats in words, and their schedules as cron and systemd write them, as tables. */
import t from 'tap'
import { toCron, toTimer } from '../../services/web/pages/heartbeats/crontab.ts'
import { fresh, toChange, toCreate, type Values } from '../../services/web/pages/heartbeats/values.ts'
import {
  answerOf,
  countPhases,
  cronInWords,
  type Phase,
  periodInWords,
  phaseNow,
  runInWords,
  type Schedule,
  spanInWords
} from '../../services/web/pages/heartbeats/words.ts'

t.test('the answer of the list', async (t) => {
  const cases: [Phase[], string][] = [
    [['on_time'], '1 heartbeat, on time'],
    [['on_time', 'running', 'waiting', 'paused'], 'All 2 heartbeats on time'],
    [['missed', 'grace', 'on_time'], '1 missed, 1 late'],
    [['failed', 'failed', 'unknown'], '2 failed, 1 unknown'],
    [['waiting'], '1 heartbeat waits for its first ping'],
    [['waiting', 'waiting', 'paused'], '2 heartbeats wait for their first ping'],
    [['paused'], '1 heartbeat, paused'],
    [['paused', 'paused'], 'All 2 heartbeats are paused']
  ]
  for (const [phases, answer] of cases) t.equal(answerOf(countPhases(phases)).replaceAll('\u00a0', ' '), answer)
})

t.test('periods, spans and runs', async (t) => {
  const periods: [number, string][] = [
    [30, 'every 30 seconds'],
    [60, 'every minute'],
    [5_400, 'every 90 minutes'],
    [86_400, 'every day'],
    [1_209_600, 'every 2 weeks']
  ]
  for (const [seconds, words] of periods) t.equal(periodInWords(seconds), words)
  const spans: [number, string][] = [
    [0, 'none'],
    [90, '1 min 30 s'],
    [17_280, '4 h 48 min'],
    [2_592_000, '30 d']
  ]
  for (const [seconds, words] of spans) t.equal(spanInWords(seconds), words)
  const runs: [number, string][] = [
    [840, '840 ms'],
    [12_400, '12.4 s'],
    [200_000, '3 min 20 s']
  ]
  for (const [ms, words] of runs) t.equal(runInWords(ms), words)
})

t.test('cron in words, or what is wrong with it', async (t) => {
  const cases: [string, string][] = [
    ['0 3 * * *', 'At 03:00'],
    ['30 2 * * mon-fri', 'At 02:30, Monday through Friday'],
    ['@daily', 'At 00:00'],
    ['0 9 * * 1#2', 'At 09:00, on the second Monday of the month'],
    ['0 0 L * *', 'At 00:00, on the last day of the month'],
    // Both days restricted: either; one of them with a *: both.
    ['0 9 1,15 * 1', 'At 09:00, on day 1 and 15 of the month, and on Monday'],
    ['0 9 */2 * 1', 'At 09:00, every 2 days in a month, only on Monday']
  ]
  for (const [expression, words] of cases) t.same(cronInWords(expression), { words }, expression)
  const wrong: [string, RegExp][] = [
    ['', /Five fields/],
    ['0 3 * *', /here are 4/],
    ['0 0 3 * * *', /here are 6/],
    ['@reboot', /here is 1/],
    ['61 3 * * *', /^Minutes part must be >= 0 and <= 59\.$/]
  ]
  for (const [expression, fault] of wrong) t.match(cronInWords(expression), { fault }, expression)
})

t.test('late by the clock of the page', async (t) => {
  const next_expected_at = '2026-11-22T03:00:00.000Z'
  const due = Date.parse(next_expected_at)
  t.equal(phaseNow({ phase: 'on_time', next_expected_at }, due - 1), 'on_time')
  t.equal(phaseNow({ phase: 'on_time', next_expected_at }, due + 1), 'grace')
  t.equal(phaseNow({ phase: 'missed', next_expected_at }, due + 1), 'missed')
  t.equal(phaseNow({ phase: 'on_time', next_expected_at: null }, due), 'on_time')
})

t.test('what other programs write for a schedule', async (t) => {
  const every = (period_seconds: number): Schedule => ({ kind: 'period', period_seconds })
  const cron = (expression: string): Schedule => ({ kind: 'cron', expression, time_zone: 'Europe/Berlin' })
  const cases: [Schedule, string | null, string[] | null][] = [
    [every(300), '*/5 * * * *', ['OnActiveSec=0', 'OnUnitActiveSec=300s', 'AccuracySec=1s']],
    [every(3_600), '0 * * * *', ['OnActiveSec=0', 'OnUnitActiveSec=3600s', 'AccuracySec=1s']],
    [every(86_400), '0 3 * * *', ['OnActiveSec=0', 'OnUnitActiveSec=86400s', 'AccuracySec=1s']],
    [every(30), null, ['OnActiveSec=0', 'OnUnitActiveSec=30s', 'AccuracySec=1s']],
    [cron('0 3 * * *'), '0 3 * * *', ['OnCalendar=*-*-* 03:00:00 Europe/Berlin']],
    [cron('@weekly'), '0 0 * * 0', ['OnCalendar=Sun *-*-* 00:00:00 Europe/Berlin']],
    [cron('*/15 9-17 * * mon-fri'), '*/15 9-17 * * mon-fri', ['OnCalendar=Mon,Tue,Wed,Thu,Fri *-*-* 09..17:00/15:00 Europe/Berlin']],
    [cron('5,35 */2 1 jan-mar *'), '5,35 */2 1 jan-mar *', ['OnCalendar=*-1..3-1 00/2:05,35:00 Europe/Berlin']],
    [cron('0 9 1,15 * 1'), '0 9 1,15 * 1', ['OnCalendar=Mon *-*-* 09:00:00 Europe/Berlin', 'OnCalendar=*-*-1,15 09:00:00 Europe/Berlin']],
    [cron('0 9 */2 * 5-7'), '0 9 */2 * 5-7', ['OnCalendar=Fri,Sat,Sun *-*-1/2 09:00:00 Europe/Berlin']],
    [cron('0 9 * jul wed'), '0 9 * jul wed', ['OnCalendar=Wed *-7-* 09:00:00 Europe/Berlin']],
    [cron('0 9 L * *'), null, null],
    [cron('0 9 15W * *'), null, null],
    [cron('0 9 * * 5L'), null, null],
    [cron('0 9 * * 1#2'), null, null]
  ]
  for (const [schedule, fields, timer] of cases) {
    t.equal(toCron(schedule), fields, JSON.stringify(schedule))
    t.same(toTimer(schedule), timer, JSON.stringify(schedule))
  }
})

t.test('only what was changed is sent', async (t) => {
  const before: Values = { ...fresh, name: 'Backup', grace_seconds: 600, slug: 'backup', tags: ['db'] }
  const cases: [Partial<Values>, object][] = [
    [{}, {}],
    [{ name: 'Backup ' }, {}],
    [{ name: 'Copy' }, { name: 'Copy' }],
    [{ keep_phase: true }, {}],
    [
      { period_seconds: 60, keep_phase: true },
      { schedule: { kind: 'period', period_seconds: 60 }, keep_phase: true }
    ],
    [{ expression: '1 1 * * *' }, {}],
    [
      { grace_seconds: null, slug: '', tags: [] },
      { grace_seconds: null, slug: null, tags: [] }
    ]
  ]
  for (const [over, sent] of cases) t.same(toChange(before, { ...before, ...over }), sent)
  t.notOk('slug' in toCreate(fresh), 'without a slug it is made of the name')
})
