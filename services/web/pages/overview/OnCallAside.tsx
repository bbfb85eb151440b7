/**
 * Who is on call now, for which schedule, and until when. If there is no schedule yet, offers the
 * way to the first one.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarPlus, CalendarX, UserCheck } from 'lucide-react'
import { onCallNowQuery } from '../../api/on-call.ts'
import { useMay } from '../../api/session.ts'
import type { OnCallNow } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { dayTime, exact } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { overviewText } from '../../texts/overview.ts'
import { namesOf } from '../on-call/now-words.ts'
import classes from './Overview.module.css'

const SHOWN = 6

export function OnCallAside() {
  const { data } = useQuery(onCallNowQuery)
  const may = useMay('write')
  if (!data) return null
  const { items } = data
  if (items.length === 0)
    return (
      <Section title={overviewText('overview.title')}>
        <p className={classes.quiet}>{overviewText('overview.none')}</p>
        {may && (
          <ul className={classes.lines}>
            <li>
              <Link to="/on-call">
                <Status look={{ tone: 'info', icon: CalendarPlus, word: overviewText('overview.first') }} />
              </Link>
            </li>
          </ul>
        )}
      </Section>
    )
  // Schedules without anybody on call come first.
  const shown = items.toSorted((one, other) => Number(one.users.length > 0) - Number(other.users.length > 0)).slice(0, SHOWN)
  return (
    <Section
      title={overviewText('overview.title')}
      aside={<Link to="/on-call">{overviewText('overview.all', { count: items.length })}</Link>}
    >
      <ul className={classes.lines} aria-label={overviewText('overview.title')}>
        {shown.map((item) => (
          <Line key={item.schedule_id} item={item} />
        ))}
      </ul>
    </Section>
  )
}

function Line({ item: { name, users, until } }: { item: OnCallNow }) {
  const isGap = users.length === 0
  return (
    <li>
      <Link to="/on-call" className={classes.twoLines}>
        <span className={classes.name}>
          <Status
            look={
              isGap
                ? { tone: 'warn', icon: CalendarX, word: overviewText('overview.nobody') }
                : { tone: 'good', icon: UserCheck, word: namesOf(users) }
            }
          />
        </span>
        <span className={classes.name}>{name}</span>
        {until !== null && (
          <span className={classes.when} title={exact(until)}>
            {overviewText('overview.until', { time: dayTime(until) })}
          </span>
        )}
      </Link>
    </li>
  )
}
