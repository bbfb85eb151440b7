/**
 * One schedule: who is on call now and next, the calendar of final shifts with its layers, and the
 * changes that people make in it.
 */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Suspense, useState } from 'react'
import { isGone } from '../../api/client.ts'
import { onCallNowQuery, onCallQuery, scheduleQuery, shiftsQuery } from '../../api/on-call.ts'
import { useMay } from '../../api/session.ts'
import type { ShiftItem, Schedule as Shown } from '../../api/shapes.ts'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Since, useNow } from '../../parts/Since.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { Together } from '../../parts/Together.tsx'
import { useWanted } from '../../parts/use-wanted.ts'
import { onCallText } from '../../texts/on-call.ts'
import classes from './Calendar.module.css'
import { Month, Week } from './Calendar.tsx'
import { CalendarState } from './CalendarState.tsx'
import { namesOf } from './now-words.ts'
import type { Asked } from './OverrideDialog.tsx'
import { coloursIn, useNameOf } from './people.ts'
import { ScheduleWarnings } from './ScheduleWarnings.tsx'
import { dateOf, dayAt, dayInWords, dayOfDate, dayTimeIn, knownZone, MINUTE_MS, monthInWords, moved, snapped, spanOf } from './zone-days.ts'

/** Below the calendar. */
const Changes = lazyPart(async () => (await import('./Changes.tsx')).Changes)
const CoverageSection = lazyPart(async () => (await import('./CoverageSection.tsx')).CoverageSection)
const Versions = lazyPart(async () => (await import('./Versions.tsx')).Versions)
const ShiftDialog = lazyPart(async () => (await import('./ShiftDialog.tsx')).ShiftDialog)
const OverrideDialog = lazyPart(async () => (await import('./OverrideDialog.tsx')).OverrideDialog)

const back = { to: '/on-call', label: onCallText('nav.schedules') }
const SNAP_MS = 30 * MINUTE_MS

export function SchedulePage() {
  const { id } = useParams({ from: '/inside/on-call/schedules/$id' })
  const asked = useQuery(scheduleQuery(id))
  const { data: schedule, error } = asked
  const gone = isGone(error)
  const meanwhile = (
    <>
      <PageHead title={onCallText('page.title')} answer={schedule && !gone ? schedule.name : onCallText('schedule.unknown')} back={back} />
      {gone ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
    </>
  )
  if (!schedule || gone) return meanwhile
  return (
    <Suspense fallback={meanwhile}>
      <Together meanwhile={meanwhile}>
        <Schedule schedule={schedule} />
      </Together>
    </Suspense>
  )
}

function Schedule({ schedule }: { schedule: Shown }) {
  const { id, name, description, team_id, warnings } = schedule
  const mayWrite = useMay('write')
  const mayAct = useMay('act')
  const [opened, setOpened] = useState<ShiftItem | null>(null)
  const [override, setOverride] = useState<Asked | null>(null)
  const shiftWanted = useWanted(opened !== null)
  const overrideWanted = useWanted(override !== null)
  const begin = (): void => {
    // A start that has just passed counts as now.
    const from = Math.floor(serverNow() / SNAP_MS) * SNAP_MS
    const ends = Date.parse(schedule.current?.ends_at ?? '')
    setOverride({ from, to: ends > from ? ends : from + 24 * 60 * MINUTE_MS })
  }
  return (
    <>
      <PageHead
        title={name}
        answer={<Answer schedule={schedule} />}
        back={back}
        actions={
          <>
            {(mayWrite || mayAct) && (
              <Button variant="default" aria-haspopup="dialog" onClick={begin}>
                {onCallText('override.open')}
              </Button>
            )}
            {mayWrite && (
              <Button component={Link} to={`/on-call/schedules/${id}/edit`} variant="default">
                {onCallText('schedule.edit')}
              </Button>
            )}
          </>
        }
      >
        <Turns schedule={schedule} />
        <TeamMark team_id={team_id} />
        {!mayWrite && <span>{onCallText(mayAct ? 'schedule.may_own' : 'list.read_only')}</span>}
      </PageHead>
      {description !== '' && <p>{description}</p>}
      <ScheduleWarnings warnings={warnings} />
      <CalendarState schedule={schedule} />
      <ShiftCalendar schedule={schedule} onOpen={setOpened} onMark={mayWrite || mayAct ? setOverride : undefined} />
      <Changes schedule={schedule} />
      <CoverageSection schedule={schedule} />
      <Versions schedule={schedule} />
      <Suspense fallback={null}>
        {shiftWanted && (
          <ShiftDialog
            schedule={schedule}
            shift={opened}
            onClose={() => setOpened(null)}
            onOverride={(asked) => {
              setOpened(null)
              setOverride(asked)
            }}
          />
        )}
        {overrideWanted && <OverrideDialog schedule={schedule} asked={override} onClose={() => setOverride(null)} />}
      </Suspense>
    </>
  )
}

/**
 * Returns who is on call by the schedule. It is asked for alone only where the list, which other
 * pages show too, is too short for it.
 */
function useOnCall(id: string) {
  const { data } = useQuery(onCallNowQuery)
  const listed = data?.items.find(({ schedule_id }) => schedule_id === id)
  const alone = useQuery({ ...onCallQuery(null, id), enabled: data !== undefined && !listed })
  return listed ?? alone.data?.items[0]
}

/** `Primary: Ada is on call`. */
function Answer({ schedule: { id, name } }: { schedule: Shown }) {
  const item = useOnCall(id)
  if (!item) return <>{name}</>
  const [only] = item.users
  if (!only) return <>{onCallText('schedule.answer_gap', { schedule: name })}</>
  if (item.fallback !== null) return <>{onCallText('schedule.answer_fallback', { schedule: name, names: namesOf(item.users) })}</>
  const key = item.users.length === 1 ? 'schedule.answer_one' : 'schedule.answer'
  return <>{onCallText(key, { schedule: name, names: namesOf(item.users) })}</>
}

/**
 * Says until when the shift lasts and who is next, in the time zone of the schedule. The remaining
 * time counts down by the service's clock.
 */
function Turns({ schedule: { id, time_zone } }: { schedule: Shown }) {
  const item = useOnCall(id)
  const zone = knownZone(time_zone)
  if (!item) return null
  const { until, next } = item
  return (
    <>
      {until !== null && (
        <span>
          {onCallText('row.until', { time: dayTimeIn(zone, until) })}, <Since at={until} />
        </span>
      )}
      {next && <span>{onCallText('row.next', { names: namesOf(next.users), time: dayTimeIn(zone, next.from) })}</span>}
    </>
  )
}

interface ShiftCalendarProps {
  schedule: Shown
  onOpen: (shift: ShiftItem) => void
  onMark: ((asked: Asked) => void) | undefined
}

function ShiftCalendar({ schedule: { id, layers, time_zone, created_at }, onOpen, onMark }: ShiftCalendarProps) {
  const { view = 'week', day: date, zone: chosen } = useSearch({ from: '/inside/on-call/schedules/$id' })
  const navigate = useNavigate({ from: '/on-call/schedules/$id' })
  const zone = knownZone(chosen === 'mine' ? ownZone() : time_zone)
  const now = useNow(30)
  const today = dayAt(zone, now)
  const day = date === undefined ? today : (dayOfDate(date) ?? today)
  const span = spanOf(zone, view, day)
  const asked = useQuery(shiftsQuery(id, span))
  const nameOf = useNameOf()
  const { data } = asked
  const go = (to: number | null): void =>
    void navigate({ search: ({ day: _, ...rest }) => (to === null ? rest : { ...rest, day: dateOf(to) }), replace: true })
  /** Before the schedule was created, nobody was on call by it. */
  const since = <Shift extends { ends_at: string }>(all: readonly Shift[]): Shift[] => all.filter(({ ends_at }) => ends_at > created_at)
  const shifts = since(data?.items ?? [])
  const look = { zone, nameOf, colours: coloursIn(layers, shifts) }
  const mark = onMark && ((from: number, to: number) => onMark({ from: snapped(zone, from, SNAP_MS), to: snapped(zone, to, SNAP_MS) }))
  const common = { span, shifts, look, now, onOpen, onMark: mark }
  return (
    <section aria-label={onCallText('calendar.title')} className={classes.section}>
      <div className={classes.tools}>
        <h2>{view === 'month' ? monthInWords(day) : onCallText('calendar.week', { day: dayInWords(span.first) })}</h2>
        <Steps view={view} day={day} go={go} />
        <Button
          variant="default"
          onClick={() =>
            void navigate({ search: ({ view: _, ...rest }) => (view === 'month' ? rest : { ...rest, view: 'month' }), replace: true })
          }
        >
          {onCallText(view === 'month' ? 'calendar.show_week' : 'calendar.show_month')}
        </Button>
      </div>
      <Zones schedule={time_zone} shown={zone} mine={chosen === 'mine'} />
      {data ? (
        view === 'month' ? (
          <Month {...common} />
        ) : (
          <Week {...common} layers={data.layers.map(({ name, items }) => ({ name, items: since(items) }))} />
        )
      ) : (
        <Awaiting of={asked} rows={3} height={56} />
      )}
    </section>
  )
}

function Steps({ view, day, go }: { view: 'week' | 'month'; day: number; go: (day: number | null) => void }) {
  return (
    <div className={classes.steps}>
      <Button
        variant="default"
        aria-label={onCallText(view === 'month' ? 'calendar.month_before' : 'calendar.week_before')}
        onClick={() => go(moved(view, day, -1))}
      >
        <ChevronLeft size={16} aria-hidden />
      </Button>
      <Button variant="default" onClick={() => go(null)}>
        {onCallText('calendar.today')}
      </Button>
      <Button
        variant="default"
        aria-label={onCallText(view === 'month' ? 'calendar.month_after' : 'calendar.week_after')}
        onClick={() => go(moved(view, day, 1))}
      >
        <ChevronRight size={16} aria-hidden />
      </Button>
    </div>
  )
}

/** Says in which zone the times are, and offers the other zone. */
function Zones({ schedule, shown, mine }: { schedule: string; shown: string; mine: boolean }) {
  const navigate = useNavigate({ from: '/on-call/schedules/$id' })
  const own = ownZone()
  if (schedule === own) return <p className={classes.zone}>{onCallText('zone.same', { zone: schedule })}</p>
  return (
    <p className={classes.zone}>
      {mine
        ? onCallText('zone.mine', { zone: shown, schedule })
        : shown === schedule
          ? onCallText('zone.schedule', { zone: schedule, own })
          : onCallText('zone.unknown', { zone: schedule, shown })}{' '}
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => void navigate({ search: ({ zone: _, ...rest }) => (mine ? rest : { ...rest, zone: 'mine' }), replace: true })}
      >
        {onCallText(mine ? 'zone.show_schedule' : 'zone.show_mine')}
      </Button>
    </p>
  )
}
