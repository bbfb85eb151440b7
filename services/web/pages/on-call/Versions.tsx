/** Saved definitions of a schedule, newest first: when each applies, and what each changed. */
import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock, CircleCheck, CircleDashed, CircleSlash } from 'lucide-react'
import { useState } from 'react'
import { versionsQuery } from '../../api/on-call.ts'
import type { Schedule, ScheduleVersion } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { onCallText } from '../../texts/on-call.ts'
import classes from '../settings/List.module.css'
import { useNameOf } from './people.ts'
import { versionAuthor, versionChanges, versionSpan } from './version-words.ts'
import { dateOf, dayAt, knownZone } from './zone-days.ts'

const SHOWN = 5
const MOST = 200

const looks: Readonly<Record<ScheduleVersion['state'], Look>> = {
  current: { tone: 'good', icon: CircleCheck, word: onCallText('version.current') },
  planned: { tone: 'info', icon: CalendarClock, word: onCallText('version.planned') },
  past: { tone: 'off', icon: CircleDashed, word: onCallText('version.past') },
  never: { tone: 'off', icon: CircleSlash, word: onCallText('version.never') }
}

export function Versions({ schedule }: { schedule: Schedule }) {
  const [most, setMost] = useState(SHOWN)
  const asked = useQuery({ ...versionsQuery(schedule.id, most), placeholderData: keepPreviousData })
  const { data } = asked
  return (
    <Section title={onCallText('version.list')}>
      <p className={classes.note}>{onCallText('version.hint')}</p>
      {!data ? (
        <Awaiting of={asked} rows={1} />
      ) : (
        <ul className={classes.list} aria-label={onCallText('version.list')}>
          {data.items.map((version) => (
            <Row key={version.version} version={version} schedule={schedule} />
          ))}
        </ul>
      )}
      {data && data.total > data.items.length && data.items.length < MOST && (
        <Button mt="sm" variant="subtle" onClick={() => setMost(MOST)}>
          {onCallText('version.all', { count: Math.min(data.total, MOST) })}
        </Button>
      )}
    </Section>
  )
}

function Row({ version, schedule: { id, time_zone, created_at } }: { version: ScheduleVersion; schedule: Schedule }) {
  const nameOf = useNameOf()
  const zone = knownZone(time_zone)
  const { state, effective_at, version: number } = version
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{onCallText('version.one', { version: number, who: versionAuthor(version, nameOf) })}</p>
        <p className={classes.facts}>
          <Status look={looks[state]} />
          <span>{versionSpan(version, zone)}</span>
          {versionChanges(version).map((text) => (
            <span key={text}>{text}</span>
          ))}
        </p>
      </div>
      {state !== 'never' && (
        <div className={classes.actions}>
          <Link
            to="/on-call/schedules/$id"
            params={{ id }}
            search={{ day: dateOf(dayAt(zone, Date.parse(effective_at ?? created_at))) }}
            aria-label={onCallText('version.show_one', { version: number })}
          >
            {onCallText('version.show')}
          </Link>
        </div>
      )}
    </li>
  )
}
