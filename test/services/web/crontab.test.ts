/**
 * Tests of the days of a heartbeat's schedule in other programs. Debian's cron refuses a range that
 * ends with Sunday as 0, and Kubernetes knows no day 7.
 */
import t from 'tap'
import { toCron, toTimer } from '../../../services/web/pages/heartbeats/crontab.ts'
import { nextExpected } from '../../../streams/heartbeat/schedule.ts'

const cases: [days: string, cron: string, timer: string][] = [
  ['FRI-SUN', '5,6,0', 'Fri,Sat,Sun'],
  ['sat-sun', '6,0', 'Sat,Sun'],
  ['5-7', '5,6,0', 'Fri,Sat,Sun'],
  ['7', '0', 'Sun'],
  ['1,7', '1,0', 'Mon,Sun'],
  ['0-7', '0,1,2,3,4,5,6', 'Mon,Tue,Wed,Thu,Fri,Sat,Sun'],
  ['MON-SUN/2', '1,3,5,0', 'Mon,Wed,Fri,Sun'],
  ['SUN', 'SUN', 'Sun'],
  ['SUN-TUE', 'SUN-TUE', 'Mon,Tue,Sun'],
  ['MON-FRI', 'MON-FRI', 'Mon,Tue,Wed,Thu,Fri'],
  ['1-5/2', '1-5/2', 'Mon,Wed,Fri'],
  ['*/2', '*/2', 'Tue,Thu,Sat,Sun']
]
const NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

for (const [days, cron, timer] of cases)
  t.test(`${days} is ${cron} for cron and ${timer} for a timer`, async (t) => {
    const expression = `0 0 * * ${days}`
    const schedule = { kind: 'cron', expression, time_zone: 'UTC' } as const
    t.equal(toCron(schedule), `0 0 * * ${cron}`)
    t.same(toTimer(schedule), [`OnCalendar=${timer} *-*-* 00:00:00 UTC`])
    const expected = new Set(nextExpected(schedule, Date.UTC(2026, 2, 1), 7).map((at) => NAMES[new Date(at).getUTCDay()]))
    t.same([...expected].sort(), timer.split(',').sort(), 'these are the days on which it is expected')
  })
