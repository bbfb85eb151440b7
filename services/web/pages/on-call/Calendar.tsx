/**
 * The calendar of a schedule: a week with the final shifts on top and each layer below, or the
 * final shifts of a month, a line for each week.
 */
import type { ReactNode } from 'react'
import type { ShiftItem } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'
import classes from './Calendar.module.css'
import { Lane, Legend, type Look } from './Lane.tsx'
import { dayAt, dayInWords, type Span, startOfDay, weekdayInWords } from './zone-days.ts'

const WEEK = 7

export interface CalendarProps {
  span: Span
  shifts: readonly ShiftItem[]
  look: Look
  now: number
  onOpen?: (shift: ShiftItem) => void
  onMark?: ((from: number, to: number) => void) | undefined
}

/** A line of seven days. */
function lineOf(zone: string, first: number) {
  const starts = Array.from({ length: WEEK + 1 }, (_, at) => startOfDay(zone, first + at))
  const [from = 0, ...rest] = starts
  return { line: { from, to: rest[WEEK - 1] ?? from }, marks: rest.slice(0, -1) }
}

function Days({ first, today, short }: { first: number; today: number; short: boolean }) {
  return (
    <div className={classes.days} aria-hidden>
      {Array.from({ length: WEEK }, (_, at) => first + at).map((day) => (
        <span key={day} data-today={day === today || undefined}>
          {short ? new Date(day * 86_400_000).getUTCDate() : <DayName day={day} />}
        </span>
      ))}
    </div>
  )
}

/** On a narrow screen the weekday stands above the date. */
const DayName = ({ day }: { day: number }) => (
  <>
    <span>{weekdayInWords(day)}</span> <span>{new Date(day * 86_400_000).getUTCDate()}</span>
  </>
)

interface WeekProps extends CalendarProps {
  layers: readonly { name: string; items: readonly ShiftItem[] }[]
}

export function Week({ span, shifts, layers, look, now, onOpen, onMark }: WeekProps) {
  const { line, marks } = lineOf(look.zone, span.first)
  const common = { line, marks, look, now }
  return (
    <div className={classes.calendar}>
      <Days first={span.first} today={dayAt(look.zone, now)} short={false} />
      <Titled title={onCallText('calendar.final')}>
        <Lane label={onCallText('calendar.final')} shifts={shifts} onOpen={onOpen} onMark={onMark} {...common} />
      </Titled>
      {[...layers].reverse().map(({ name, items }) => (
        <Titled key={name} title={onCallText('calendar.layer', { name })}>
          <Lane label={onCallText('calendar.layer', { name })} shifts={items} quiet {...common} />
        </Titled>
      ))}
      <Legend shifts={shifts} />
    </div>
  )
}

const Titled = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <p className={classes.title}>{title}</p>
    {children}
  </div>
)

export function Month({ span, shifts, look, now, onOpen, onMark }: CalendarProps) {
  const weeks = Array.from({ length: span.days / WEEK }, (_, at) => span.first + at * WEEK)
  const today = dayAt(look.zone, now)
  return (
    <div className={classes.calendar}>
      <div className={classes.days} aria-hidden>
        {Array.from({ length: WEEK }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the weekdays never change
          <span key={at}>{weekdayInWords(span.first + at)}</span>
        ))}
      </div>
      {weeks.map((first) => {
        const { line, marks } = lineOf(look.zone, first)
        const label = onCallText('calendar.week', { day: dayInWords(first) })
        return (
          <div key={first}>
            <Days first={first} today={today} short />
            <Lane label={label} shifts={shifts} onOpen={onOpen} onMark={onMark} line={line} marks={marks} look={look} now={now} />
          </div>
        )
      })}
      <Legend shifts={shifts} />
    </div>
  )
}
