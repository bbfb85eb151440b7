/** Schedules: who is on call in each now, or at another time, until when, and who is next. */
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CalendarClock, CircleCheck, Plus, TriangleAlert } from 'lucide-react'
import { useRef } from 'react'
import { coverageQuery, onCallNowQuery, onCallQuery } from '../../api/on-call.ts'
import { useMay } from '../../api/session.ts'
import type { Coverage, OnCallNow } from '../../api/shapes.ts'
import { useTyped } from '../../forms/useTyped.ts'
import { ownZone } from '../../parts/clock.ts'
import { lateDialog } from '../../parts/late-dialog.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { useSteps } from '../../parts/steps.ts'
import { stillComes } from '../../parts/still-comes.ts'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { useKeys } from '../../shell/keys.ts'
import { onCallText } from '../../texts/on-call.ts'
import classes from '../settings/List.module.css'
import { answerOf, gapsInWords, namesOf } from './now-words.ts'
import own from './OnCall.module.css'
import { askedFor, dayTimeIn, fieldOf } from './zone-days.ts'

const NewSchedule = lateDialog(async () => (await import('./NewSchedule.tsx')).NewSchedule)

export function Schedules() {
  const { at, create } = useSearch({ from: '/inside/on-call/' })
  const navigate = useNavigate()
  const asked = useQuery(at === undefined ? onCallNowQuery : onCallQuery(at))
  const { data } = asked
  const covered = useQuery(coverageQuery(null))
  const { data: coverage } = covered
  const waits = stillComes(covered)
  const may = useMay('write')
  const list = useRef<HTMLUListElement>(null)
  useSteps(list, 'a[data-row]')
  const show = (opened: boolean): void => void navigate({ to: '/on-call', search: opened ? { create: 'yes' } : {} })
  useKeys(may ? { c: () => show(true) } : {})
  const button = may && (
    <Button aria-haspopup="dialog" leftSection={<Plus size={16} aria-hidden />} onClick={() => show(true)}>
      {onCallText('new.open')}
    </Button>
  )
  return (
    <>
      <PageHead
        title={onCallText('page.title')}
        answer={data && !waits ? answerOf(data.items, at !== undefined) : onCallText('list.answer_unknown')}
        actions={(data?.items.length === 0 || waits) && at === undefined ? null : button}
      >
        {!may && <span>{onCallText('list.read_only')}</span>}
      </PageHead>
      {(at !== undefined || (data && !waits && data.items.length > 0)) && <Moment at={at ?? null} />}
      {!data || waits ? (
        <Awaiting of={asked} rows={3} height={72} />
      ) : data.items.length === 0 ? (
        at === undefined ? (
          <Empty icon={CalendarClock} title={onCallText('list.empty')} action={button}>
            {onCallText('list.empty_hint')}
          </Empty>
        ) : (
          <Empty icon={CalendarClock} title={onCallText('list.none_then')} />
        )
      ) : (
        <ul ref={list} className={classes.list} aria-label={onCallText('nav.schedules')}>
          {data.items.map((item) => (
            <Row key={item.schedule_id} item={item} coverage={at === undefined ? coverage : undefined} />
          ))}
        </ul>
      )}
      {may && <NewSchedule opened={create === 'yes'} onClose={() => show(false)} />}
    </>
  )
}

/**
 * Shows another instant in place of now. For a past instant the answer is who was in fact on call.
 */
function Moment({ at }: { at: string | null }) {
  const navigate = useNavigate()
  const zone = ownZone()
  // What is typed stays in the field; the address gets it once it is a time.
  const { typed, type } = useTyped(at === null ? '' : fieldOf(zone, Date.parse(at)), (field) => {
    const chosen = askedFor(zone, field)
    if (chosen === null && field !== '') return
    void navigate({ to: '/on-call', search: chosen === null ? {} : { at: new Date(chosen).toISOString() }, replace: true })
  })
  return (
    <div className={own.moment}>
      <TextInput
        type="datetime-local"
        label={onCallText('moment.label')}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
      />
      {at !== null && (
        <Button variant="default" component={Link} to="/on-call">
          {onCallText('moment.now')}
        </Button>
      )}
    </div>
  )
}

const good = { tone: 'good', icon: CircleCheck, word: '' } as const
const bad = { tone: 'bad', icon: TriangleAlert, word: '' } as const
const warn = { tone: 'warn', icon: TriangleAlert, word: '' } as const

function Row({ item, coverage }: { item: OnCallNow; coverage: Coverage | undefined }) {
  const { schedule_id, name, team_id, users, until, next, fallback } = item
  const zone = ownZone()
  const gaps = gapsInWords(coverage?.gaps.filter((gap) => gap.schedule_id === schedule_id) ?? [], zone)
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          <Link to="/on-call/schedules/$id" params={{ id: schedule_id }} data-row>
            {name}
          </Link>
        </p>
        <p className={`${classes.facts} ${own.gaps}`}>
          <Status look={users.length === 0 ? bad : fallback === null ? good : warn}>
            {users.length === 0
              ? onCallText('row.nobody_now')
              : onCallText(fallback === null ? 'row.now' : 'row.fallback', { names: namesOf(users) })}
          </Status>
          {until !== null && (
            <span>
              {onCallText('row.until', { time: dayTimeIn(zone, until) })}, <Since at={until} />
            </span>
          )}
          {next && <span>{onCallText('row.next', { names: namesOf(next.users), time: dayTimeIn(zone, next.from) })}</span>}
          {users.some(({ reachable }) => !reachable) && (
            <Status look={bad}>{onCallText('row.unreachable', { names: namesOf(users.filter(({ reachable }) => !reachable)) })}</Status>
          )}
          <TeamMark team_id={team_id} />
        </p>
        {gaps !== null && (
          <p className={`${classes.facts} ${own.gaps}`}>
            <Status look={warn}>{gaps}</Status>
          </p>
        )}
      </div>
    </li>
  )
}
