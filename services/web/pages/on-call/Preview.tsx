/** Previews a definition before it is saved: its final shifts of five weeks, and warnings. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toRefusal } from '../../api/client.ts'
import { previewSchedule } from '../../api/on-call.ts'
import type { NewSchedule, Schedule } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { Section } from '../../parts/Page.tsx'
import { useNow } from '../../parts/Since.tsx'
import { onCallText } from '../../texts/on-call.ts'
import { Month } from './Calendar.tsx'
import { coloursIn, useNameOf } from './people.ts'
import classes from './ScheduleForm.module.css'
import { ScheduleWarnings } from './ScheduleWarnings.tsx'
import { dayAt, knownZone, startOfDay, weekdayOf } from './zone-days.ts'

const DAYS = 35

export function Preview({ body }: { body: NewSchedule }) {
  const present = JSON.stringify(body)
  const [asked, setAsked] = useState<string | null>(null)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['schedules', 'preview', asked],
    queryFn: ({ signal }) => previewSchedule(JSON.parse(asked ?? '{}') as NewSchedule, signal),
    enabled: asked !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY
  })
  const look = (): void => (asked === present ? void refetch() : setAsked(present))
  return (
    <Section
      title={onCallText('preview.title')}
      aside={
        <Button variant="default" size="xs" loading={isFetching} onClick={look}>
          {onCallText(asked === null ? 'preview.ask' : 'preview.again')}
        </Button>
      }
    >
      <div role="status">
        {asked === null && <p className={classes.hint}>{onCallText('preview.hint')}</p>}
        {asked !== null && asked !== present && <p className={classes.hint}>{onCallText('preview.old')}</p>}
      </div>
      <Refused refusal={error ? toRefusal(error) : null} />
      {data && <Shown of={data} layers={body.layers as Schedule['layers']} time_zone={body.time_zone} />}
    </Section>
  )
}

interface ShownProps {
  of: { shifts: Schedule['next_shifts']; warnings: Schedule['warnings'] }
  layers: Schedule['layers']
  time_zone: string
}

function Shown({ of: { shifts, warnings }, layers, time_zone }: ShownProps) {
  const zone = knownZone(time_zone)
  const now = useNow(30)
  const nameOf = useNameOf()
  const today = dayAt(zone, now)
  const first = today - weekdayOf(today)
  const span = { first, days: DAYS, from: startOfDay(zone, first), to: startOfDay(zone, first + DAYS) }
  return (
    <>
      <ScheduleWarnings warnings={warnings} />
      <Month span={span} shifts={shifts} look={{ zone, nameOf, colours: coloursIn(layers, shifts) }} now={now} />
    </>
  )
}
