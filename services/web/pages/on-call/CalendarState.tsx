/** The calendar that overrides a schedule, and the result of the last time it was read. */
import { TriangleAlert } from 'lucide-react'
import type { Schedule } from '../../api/shapes.ts'
import { Since } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { onCallText } from '../../texts/on-call.ts'

const warn = { tone: 'warn', icon: TriangleAlert, word: '' } as const

export function CalendarState({ schedule: { ical_overrides_url: url, ical_overrides: state } }: { schedule: Schedule }) {
  if (url === null || state === null) return null
  const host = url.replace(/^https:\/\//, '').replace('/…', '')
  const { read_at, error, events, unmatched } = state
  return (
    <>
      {error !== null ? (
        <p>
          <Status look={warn}>{onCallText('ical.failed', { host, reason: error })}</Status>
        </p>
      ) : read_at === null ? (
        <p>{onCallText('ical.first', { host })}</p>
      ) : (
        <p>
          {onCallText('ical.read', { host, events })} <Since at={read_at} />.
        </p>
      )}
      {unmatched.length > 0 && (
        <p>
          <Status look={warn}>{onCallText('ical.unmatched', { titles: unmatched.map((title) => `“${title}”`).join(', ') })}</Status>
        </p>
      )}
    </>
  )
}
