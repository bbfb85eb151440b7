/** Tests, as tables, of the words and the order on the overview. */
import t from 'tap'
import type { Heartbeat, IncidentCounts, Monitor } from '../../../services/web/api/shapes.ts'
import { answerOf, worstFirst } from '../../../services/web/pages/overview/answer.ts'

/** Counts of the ongoing incidents. */
const counts = (needs_someone: number, acknowledged = 0, silenced = 0): IncidentCounts => ({
  ongoing: needs_someone + acknowledged + silenced,
  needs_someone,
  acknowledged,
  silenced
})
const monitor = (status: Monitor['status'], phase: Monitor['phase'], name = '') => ({ status, phase, name }) as Monitor
const heartbeat = (status: Heartbeat['status'], phase: Heartbeat['phase']) => ({ status, phase }) as Heartbeat

const up = monitor('up', 'ok')
const down = monitor('down', 'down')
const paused = monitor('paused', 'paused')
const onTime = heartbeat('up', 'on_time')
const late = heartbeat('up', 'grace')
const missed = heartbeat('missed', 'missed')
const waiting = heartbeat('up', 'waiting')

t.test('headlines of the overview', async (t) => {
  const cases: [IncidentCounts, Monitor[], Heartbeat[], string, string][] = [
    [counts(0), [up], [], 'Nothing needs you', 'The monitor is up'],
    [counts(0), [up, up, paused], [onTime, onTime], 'Nothing needs you', 'All 2 monitors up · All 2 heartbeats on time'],
    [counts(1), [up, down], [], '1 incident needs someone', '1 of 2 monitors down'],
    [counts(2, 1), [], [late, onTime], '2 incidents need someone, 1 acknowledged', '1 of 2 heartbeats late'],
    [counts(0, 1), [], [missed, late, waiting], '1 incident open, acknowledged', '1 of 2 heartbeats missed, 1 late'],
    [counts(0, 2), [paused], [], '2 incidents open, all acknowledged', ''],
    [counts(1, 2, 3), [], [], '1 incident needs someone, 2 acknowledged, 3 silenced', ''],
    [counts(0, 0, 1), [], [], '1 incident open, silenced', ''],
    [counts(0, 0, 2), [], [], '2 incidents open, all silenced', ''],
    [counts(0, 1, 2), [], [], '3 incidents open: 1 acknowledged, 2 silenced', ''],
    [counts(0), [down], [], 'Something is down, and no incident is open', '1 of 1 monitor down'],
    [counts(0), [], [missed], 'Something is down, and no incident is open', '1 of 1 heartbeat missed'],
    [counts(0), [], [onTime], 'Nothing needs you', 'The heartbeat is on time'],
    [counts(0), [], [heartbeat('up', 'unknown')], 'Nothing needs you', '1 of 1 heartbeat unknown'],
    [counts(0), [], [onTime, heartbeat('up', 'unknown')], 'Nothing needs you', '1 of 2 heartbeats unknown'],
    [
      counts(1),
      [up, monitor('up', 'flapping')],
      [missed, late, heartbeat('up', 'unknown')],
      '1 incident needs someone',
      '1 of 2 monitors flapping · 1 of 3 heartbeats missed, 1 late, 1 unknown'
    ],
    [counts(0), [monitor('up', 'pending')], [], 'Nothing needs you', '1 of 1 monitor pending'],
    [counts(0), [up, monitor('up', 'validating')], [], 'Nothing needs you', '1 of 2 monitors being confirmed'],
    [
      counts(0, 1),
      [
        up,
        down,
        monitor('up', 'validating'),
        monitor('up', 'degraded'),
        monitor('up', 'no_data'),
        monitor('down', 'unconfirmed'),
        monitor('up', 'pending')
      ],
      [],
      '1 incident open, acknowledged',
      '2 of 7 monitors down, 1 being confirmed, 1 degraded, 1 without data, 1 pending'
    ]
  ]
  for (const [incidents, monitors, heartbeats, answer, detail] of cases)
    t.same(answerOf(incidents, monitors, heartbeats), { answer, detail }, answer)
  t.equal(answerOf(counts(0), [up], [], '14:02').answer, 'Nothing needed you at 14:02')
  t.equal(answerOf(counts(1), [up], [], '14:02').answer, '1 incident needs someone')
})

t.test('monitors are sorted worst first, and keep their order within a state', async (t) => {
  const given = [
    monitor('up', 'ok', 'a'),
    monitor('paused', 'paused', 'b'),
    monitor('down', 'unconfirmed', 'c'),
    monitor('up', 'degraded', 'd'),
    monitor('down', 'down', 'e'),
    monitor('up', 'ok', 'f'),
    monitor('up', 'no_data', 'g')
  ]
  t.same(
    worstFirst(given).map(({ name }) => name),
    ['c', 'e', 'd', 'g', 'a', 'f', 'b']
  )
  t.equal(given[0]?.name, 'a', 'what is given stays')
})
