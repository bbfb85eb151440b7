/**
 * When a heartbeat is expected: the schedule in words, and its next five times in the person's zone
 * and in its own.
 */
import type { HeartbeatWithSchedule } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { exact, Since } from '../../parts/Since.tsx'
import classes from './NextTimes.module.css'
import { ScheduleWords } from './ScheduleWords.tsx'

const here = Intl.DateTimeFormat().resolvedOptions().timeZone

const formatOf = (timeZone: string, seconds: boolean): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
    hourCycle: 'h23'
  })

export function NextTimes({ heartbeat: { schedule, next_expected, phase } }: { heartbeat: HeartbeatWithSchedule }) {
  const { kind, time_zone, expression } = schedule
  const own = kind === 'cron' && time_zone !== undefined && time_zone !== here ? time_zone : null
  const hereFormat = formatOf(here, kind === 'period')
  const ownFormat = own === null ? null : formatOf(own, false)
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
              <td title={exact(at)}>{hereFormat.format(new Date(at))}</td>
              {ownFormat && <td>{ownFormat.format(new Date(at))}</td>}
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
  if (phase === 'paused') return 'It is paused and not expected. These would be its next five times.'
  if (kind === 'cron') return 'The next five times'
  return phase === 'waiting' ? 'The next five times, if it pinged now' : 'The next five times, if each ping comes when it is expected'
}
