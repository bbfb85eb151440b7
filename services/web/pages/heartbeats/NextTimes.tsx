/**
 * When a heartbeat expects pings: its schedule in words, and its next five times in the person's
 * time zone and in its own.
 */
import type { HeartbeatWithSchedule } from '../../api/shapes.ts'
import { daySecondIn, dayTimeIn, ownZone } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { exact, Since } from '../../parts/Since.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import classes from './NextTimes.module.css'
import { ScheduleWords } from './ScheduleWords.tsx'

export function NextTimes({ heartbeat: { schedule, next_expected, phase } }: { heartbeat: HeartbeatWithSchedule }) {
  const { kind, time_zone, expression } = schedule
  const here = ownZone()
  const own = kind === 'cron' && time_zone !== undefined && time_zone !== here ? time_zone : null
  const timeHere = kind === 'period' ? daySecondIn : dayTimeIn
  return (
    <Section title={heartbeatsText('times.title')}>
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
            <th scope="col">{heartbeatsText('times.here', { zone: here })}</th>
            {own && <th scope="col">{heartbeatsText('times.own', { zone: own })}</th>}
            <th scope="col">{heartbeatsText('times.from_now')}</th>
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
  if (phase === 'paused') return heartbeatsText('times.paused')
  if (kind === 'cron') return heartbeatsText('times.next')
  return heartbeatsText(phase === 'waiting' ? 'times.if_now' : 'times.if_on_time')
}
