/** The overview's words and order, as tables. */
import t from 'tap'
import type { Heartbeat, Incident, Monitor } from '../../../services/web/api/shapes.ts'
import { answerOf, worstFirst } from '../../../services/web/pages/overview/answer.ts'

const incident = (acknowledged: boolean) => ({ acknowledged_at: acknowledged ? '2026-11-22T03:00:00.000Z' : null }) as Incident
const monitor = (status: Monitor['status'], phase: Monitor['phase'], name = '') => ({ status, phase, name }) as Monitor
const heartbeat = (status: Heartbeat['status'], phase: Heartbeat['phase']) => ({ status, phase }) as Heartbeat

const up = monitor('up', 'ok')
const down = monitor('down', 'down')
const paused = monitor('paused', 'paused')
const onTime = heartbeat('up', 'on_time')
const late = heartbeat('up', 'grace')
const missed = heartbeat('missed', 'missed')
const waiting = heartbeat('up', 'waiting')

t.test('the answer', async (t) => {
  const cases: [Incident[], Monitor[], Heartbeat[], string, string][] = [
    [[], [up], [], 'Nothing needs you', 'The monitor is up'],
    [[], [up, up, paused], [onTime, onTime], 'Nothing needs you', 'All 2 monitors up · All 2 heartbeats on time'],
    [[incident(false)], [up, down], [], '1 incident needs someone', '1 of 2 monitors down'],
    [[incident(false), incident(false), incident(true)], [], [late, onTime], '2 incidents need someone, 1 taken', '1 of 2 heartbeats late'],
    [[incident(true)], [], [missed, late, waiting], '1 incident open, somebody has it', '1 of 2 heartbeats missed, 1 late'],
    [[incident(true), incident(true)], [paused], [], '2 incidents open, all taken', ''],
    [[], [down], [], 'Something is down, and no incident is open', '1 of 1 monitor down'],
    [[], [], [missed], 'Something is down, and no incident is open', '1 of 1 heartbeat missed'],
    [[], [], [onTime], 'Nothing needs you', 'The heartbeat is on time'],
    [[], [monitor('up', 'pending')], [], 'Nothing needs you', '1 of 1 monitor pending'],
    [[], [up, monitor('up', 'validating')], [], 'Nothing needs you', '1 of 2 monitors validating'],
    [
      [incident(true)],
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
      '1 incident open, somebody has it',
      '2 of 7 monitors down, 1 validating, 1 degraded, 1 without data, 1 pending'
    ]
  ]
  for (const [incidents, monitors, heartbeats, answer, detail] of cases)
    t.same(answerOf(incidents, incidents.length, monitors, heartbeats), { answer, detail }, answer)
})

t.test('incidents that are not on the page are taken or not, but counted', async (t) => {
  t.equal(answerOf([incident(false)], 80, [], []).answer, '1 incident needs someone, 79 taken')
})

t.test('worst first, the order of names within', async (t) => {
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
