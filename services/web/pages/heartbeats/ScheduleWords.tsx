/** `Every 5 minutes`; `At 03:00, Monday through Friday (Europe/Berlin)`. */
import { Suspense } from 'react'
import { lazyPart } from '../../parts/part.ts'
import { periodInWords, type Schedule } from './words.ts'

const CronSchedule = lazyPart(async () => (await import('./CronSchedule.tsx')).CronSchedule)

export function ScheduleWords({ schedule: { kind, period_seconds = 0, expression = '', time_zone = '' } }: { schedule: Schedule }) {
  if (kind === 'period') return periodInWords(period_seconds)
  return (
    <>
      <Suspense fallback={expression}>
        <CronSchedule expression={expression} />
      </Suspense>{' '}
      ({time_zone})
    </>
  )
}
