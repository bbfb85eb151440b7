/**
 * A calendar of five weeks, from a Monday on, with the maintenance windows of each day in the
 * browser's time zone.
 */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { windowsBetween } from '../../api/maintenance.ts'
import type { MaintenanceWindow } from '../../api/shapes.ts'
import { ownZone } from '../../parts/clock.ts'
import { useNow } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { maintenanceText } from '../../texts/maintenance.ts'
import { dayAt, dayInWords, startOfDay, timeIn, weekdayOf } from '../on-call/zone-days.ts'
import own from './Maintenance.module.css'

const WEEK = 7
const WEEKS = 5

interface Entry {
  key: string
  id: string
  name: string
  /** The part of the day that the window covers: from when to when, or the whole day. */
  time: string
}

/** Returns the windows of `count` days, starting with the day `first`. */
export function daysOf(
  windows: readonly MaintenanceWindow[],
  zone: string,
  first: number,
  count: number
): { day: number; entries: Entry[] }[] {
  return Array.from({ length: count }, (_, nth) => {
    const day = first + nth
    const [from, to] = [startOfDay(zone, day), startOfDay(zone, day + 1)]
    const entries = windows.flatMap(({ id, name, in_range = [] }) =>
      in_range.flatMap((span): (Entry & { at: number })[] => {
        const [begins, ends] = [Date.parse(span.starts_at), Date.parse(span.ends_at)]
        if (begins >= to || ends <= from) return []
        const whole = begins <= from && ends >= to
        const time = whole
          ? maintenanceText('calendar.whole')
          : `${timeIn(zone, Math.max(begins, from))}–${ends >= to ? '24:00' : timeIn(zone, ends)}`
        return [{ key: `${id} ${begins}`, id, name, time, at: begins }]
      })
    )
    return { day, entries: entries.sort((a, b) => a.at - b.at) }
  })
}

export function Calendar() {
  const { at = 0 } = useSearch({ from: '/inside/maintenance' })
  const navigate = useNavigate({ from: '/maintenance' })
  const zone = ownZone()
  const today = dayAt(zone, useNow(60))
  const first = today - weekdayOf(today) + WEEK * at
  const [from, to] = [startOfDay(zone, first), startOfDay(zone, first + WEEK * WEEKS)]
  const asked = useQuery(windowsBetween(new Date(from).toISOString(), new Date(to).toISOString()))
  const { data } = asked
  const go = (weeks: number): void => void navigate({ search: { view: 'calendar', ...(weeks !== 0 && { at: weeks }) }, replace: true })
  const days = data ? daysOf(data.items, zone, first, WEEK * WEEKS) : []
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame within the frame */}
      <div className={own.filter} role="group" aria-label={maintenanceText('calendar.label')}>
        <Button variant="default" onClick={() => go(at - WEEKS)}>
          {maintenanceText('calendar.earlier')}
        </Button>
        <Button variant="default" onClick={() => go(0)} disabled={at === 0}>
          {maintenanceText('calendar.now')}
        </Button>
        <Button variant="default" onClick={() => go(at + WEEKS)}>
          {maintenanceText('calendar.later')}
        </Button>
        <span className={own.time}>
          {dayInWords(first)} – {dayInWords(first + WEEK * WEEKS - 1)}, {zone}
        </span>
      </div>
      {!data ? (
        <Awaiting of={asked} rows={5} height={88} />
      ) : (
        <>
          {days.every(({ entries }) => entries.length === 0) && <p role="status">{maintenanceText('calendar.empty')}</p>}
          <ol className={own.weeks}>
            {days.map(({ day, entries }) => (
              <li key={day} className={own.day} data-today={day === today || undefined} data-free={entries.length === 0 || undefined}>
                <p className={own.date}>{dayInWords(day)}</p>
                {entries.length > 0 && (
                  <ul>
                    {entries.map(({ key, id, name, time }) => (
                      <li key={key}>
                        <span className={own.time}>{time}</span>{' '}
                        <Link to="/maintenance/$id" params={{ id }}>
                          {name}
                        </Link>
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ol>
          <p className={own.time}>{maintenanceText('calendar.known')}</p>
        </>
      )}
    </>
  )
}
