/** The person's own shifts in all schedules, swaps that others ask for, and calendar feeds. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarCheck, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { calendarFeedsQuery, mySchedulesQuery, myShiftsQuery, schedulesQuery, swapsQuery } from '../../api/on-call.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Schedule, ShiftItem } from '../../api/shapes.ts'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { PageHead, Section } from '../../parts/Page.tsx'
import { Since, useNow } from '../../parts/Since.tsx'
import { Awaiting, Empty, Loading } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { stillComes } from '../../parts/still-comes.ts'
import { onCallText } from '../../texts/on-call.ts'
import classes from '../settings/List.module.css'
import { originOf } from './bars.ts'
import { CalendarFeeds } from './CalendarFeeds.tsx'
import { type Mine, mineAnswer } from './mine-words.ts'
import { AskSwap, SwapRow } from './Swaps.tsx'
import { DAY_MS, dayTimeIn } from './zone-days.ts'

const AHEAD_MS = 56 * DAY_MS
/** How many shifts are shown; the calendar feed has all of them. */
const SHOWN = 10

const now = { tone: 'good', icon: CircleCheck, word: onCallText('mine.now') } as const

type Named = Pick<Schedule, 'id' | 'name' | 'time_zone'>

function useMine(user_id: string) {
  // The span is fixed when the page opens: a query key that moves with time would ask again each
  // time.
  const [from] = useState(serverNow)
  const span = { from, to: from + AHEAD_MS }
  const asked = useQuery(mySchedulesQuery(user_id, span))
  const all = useQuery(schedulesQuery)
  const wanted = (all.data?.items ?? []).filter(({ id }) => asked.data?.includes(id))
  const answers = useQueries({ queries: wanted.map(({ id }) => myShiftsQuery(id, user_id, span)) })
  const waits = [asked, all, ...answers]
  const shifts = answers
    .flatMap(({ data }, at): Mine[] => {
      const schedule = wanted[at]
      return schedule ? (data?.items ?? []).map((shift) => ({ shift, schedule })) : []
    })
    .filter(({ shift: { gap, ends_at } }) => !gap && Date.parse(ends_at) > serverNow())
    .sort((a, b) => a.shift.starts_at.localeCompare(b.shift.starts_at))
  return { waits, ready: waits.every(({ data }) => data !== undefined), shifts, schedules: all.data?.items ?? [] }
}

export function MyShifts() {
  const { user } = useSession()
  const { waits, ready, shifts, schedules } = useMine(user?.id ?? '')
  const at = useNow(10)
  const beside = stillComes(...waits, useQuery(swapsQuery(null)), useQuery(calendarFeedsQuery))
  if (beside)
    return (
      <>
        <PageHead title={onCallText('nav.mine')} answer={onCallText('nav.mine')}>
          <span>{onCallText('mine.zone', { zone: ownZone() })}</span>
        </PageHead>
        <Loading rows={6} height={56} />
      </>
    )
  return (
    <>
      <PageHead title={onCallText('nav.mine')} answer={ready ? mineAnswer(shifts, at, ownZone()) : onCallText('nav.mine')}>
        <span>{onCallText('mine.zone', { zone: ownZone() })}</span>
      </PageHead>
      <Section title={onCallText('mine.title')}>
        {!ready ? (
          <Awaiting of={waits} rows={3} height={56} />
        ) : shifts.length === 0 ? (
          <Empty icon={CalendarCheck} title={onCallText('mine.none')}>
            {onCallText('mine.none_hint')}
          </Empty>
        ) : (
          <ul className={classes.list} aria-label={onCallText('mine.title')}>
            {shifts.slice(0, SHOWN).map(({ shift, schedule }) => (
              <Row key={`${shift.id} ${shift.starts_at}`} shift={shift} schedule={schedule} at={at} />
            ))}
          </ul>
        )}
        {shifts.length > SHOWN && <p className={classes.note}>{onCallText('mine.more', { count: SHOWN })}</p>}
      </Section>
      <Swaps schedules={schedules} />
      <CalendarFeeds schedules={schedules} />
    </>
  )
}

function Row({ shift, schedule, at }: { shift: ShiftItem; schedule: Named; at: number }) {
  const zone = ownZone()
  const mayWrite = useMay('write')
  const mayAct = useMay('act')
  const { starts_at, ends_at } = shift
  const running = Date.parse(starts_at) <= at
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          <Link to="/on-call/schedules/$id" params={{ id: schedule.id }}>
            {schedule.name}
          </Link>
        </p>
        <p className={classes.facts}>
          {running && <Status look={now} />}
          <span>{onCallText('shift.span', { from: dayTimeIn(zone, starts_at), to: dayTimeIn(zone, ends_at) })}</span>
          <span>
            {onCallText(running ? 'mine.ends' : 'mine.begins')} <Since at={running ? ends_at : starts_at} />
          </span>
          <span>{originOf(shift)}</span>
        </p>
      </div>
      {(mayWrite || mayAct) && (
        <div className={classes.actions}>
          <AskSwap schedule={schedule} shift={shift} />
        </div>
      )}
    </li>
  )
}

/** Shows nothing if there are no open swaps. */
function Swaps({ schedules }: { schedules: readonly Named[] }) {
  const { data } = useQuery(swapsQuery(null))
  if (!data || data.items.length === 0) return null
  return (
    <Section title={onCallText('swap.list')}>
      <ul className={classes.list} aria-label={onCallText('swap.list')}>
        {[...data.items].reverse().map((swap) => (
          <SwapRow
            key={swap.id}
            swap={swap}
            zone={ownZone()}
            schedule={schedules.find(({ id }) => id === swap.schedule_id)?.name ?? onCallText('schedule.unknown')}
          />
        ))}
      </ul>
    </Section>
  )
}
