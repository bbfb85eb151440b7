/**
 * When a heartbeat is expected: the schedule in words, and its next five times in the person's zone
 * and in its own.
 */
import type { HeartbeatWithSchedule } from '../../api/shapes.ts'
import { daySecondIn, dayTimeIn, ownZone } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { exact, Since } from '../../parts/Since.tsx'
import classes from './NextTimes.module.css'
import { ScheduleWords } from './ScheduleWords.tsx'

export function NextTimes({ heartbeat: { schedule, next_expected, phase } }: { heartbeat: HeartbeatWithSchedule }) {
  const { kind, time_zone, expression } = schedule
  const here = ownZone()
  const own = kind === 'cron' && time_zone !== undefined && time_zone !== here ? time_zone : null
  const timeHere = kind === 'period' ? daySecondIn : dayTimeIn
  return (
    <Section title="Schedule">
      <p className={classes.words}>
        <span>
          <ScheduleWords schedule={schedule} />
        </span>
        {kind === 'cron' && <code>{expression}</code>}
      </p>
      <table className={classes.times} data-zones={own !== null || undefined}>
        <caption>{captionOf(kind, phase)}</caption>
        <thead>
          <tr>
            <th scope="col">Your time ({here})</th>
            {own && <th scope="col">Its time ({own})</th>}
            <th scope="col">From now</th>
          </tr>
        </thead>
        <tbody>
          {next_expected.map((at) => (
            <tr key={at}>
              <td title={exact(at)}>{timeHere(here, at)}</td>
              {own && <td>{dayTimeIn(own, at)}</td>}
              <td>
                <Since at={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function captionOf(kind: 'cron' | 'period', phase: HeartbeatWithSchedule['phase']): string {
  if (phase === 'paused') return 'The heartbeat is paused. These would be its next five times.'
  if (kind === 'cron') return 'The next five times'
  return phase === 'waiting' ? 'The next five times, if it pinged now' : 'The next five times, if each ping arrives when it is expected'
}
