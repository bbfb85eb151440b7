/** Schedules: who is on call in each now, until when, and who is next. */
import { useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { onCallNowQuery } from '../../api/on-call.ts'
import { useMay } from '../../api/session.ts'
import type { OnCallNow } from '../../api/shapes.ts'
import { PageHead } from '../../parts/Page.tsx'
import { dayTime, Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { onCallText } from '../../texts/on-call.ts'
import classes from '../settings/List.module.css'
import { answerOf, namesOf } from './now-words.ts'

export function Schedules() {
  const asked = useQuery(onCallNowQuery)
  const { data } = asked
  const may = useMay('write')
  return (
    <>
      <PageHead title={onCallText('page.title')} answer={data ? answerOf(data.items) : onCallText('list.answer_unknown')}>
        {!may && <span>{onCallText('list.read_only')}</span>}
      </PageHead>
      {!data ? (
        <Awaiting of={asked} rows={3} height={72} />
      ) : data.items.length === 0 ? (
        <Empty icon={CalendarClock} title={onCallText('list.empty')}>
          {onCallText('list.empty_hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={onCallText('nav.schedules')}>
          {data.items.map((item) => (
            <Row key={item.schedule_id} item={item} />
          ))}
        </ul>
      )}
    </>
  )
}

function Row({ item: { name, team_id, users, until, next, fallback } }: { item: OnCallNow }) {
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{name}</p>
        <p className={classes.facts}>
          <span>
            {onCallText('row.now')}: <strong>{users.length > 0 ? namesOf(users) : onCallText('row.nobody')}</strong>
          </span>
          {fallback !== null && users.length > 0 && <span>{onCallText('row.fallback')}</span>}
          {until !== null && (
            <span>
              {onCallText('row.until', { time: dayTime(until) })}, <Since at={until} />
            </span>
          )}
          {next && <span>{onCallText('row.next', { names: namesOf(next.users), time: dayTime(next.from) })}</span>}
          <TeamMark team_id={team_id} />
        </p>
      </div>
    </li>
  )
}
