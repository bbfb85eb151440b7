/**
 * The filters of the list. The state comes first, as links that the browser can go back through;
 * then severity, text, days, and the filters set from other pages.
 */
import { Button, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CalendarDays, SlidersHorizontal, UserRound } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import type { IncidentCounts } from '../../api/shapes.ts'
import { DAY_MS, shortDayInWords } from '../../parts/clock.ts'
import classes from '../../parts/Filters.module.css'
import { PopoverButton } from '../../parts/PopoverButton.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Loading } from '../../parts/States.tsx'
import { Status, severityLook } from '../../parts/Status.tsx'
import { TeamFilter } from '../../parts/TeamFilter.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { Words } from '../../parts/Words.tsx'
import { wordsOf } from '../../search.ts'
import { incidentListText } from '../../texts/incident-list.ts'
import { incidentsText } from '../../texts/incidents.ts'
import { type IncidentsSearch, type ShownState, severities } from './search.ts'

const FilterChips = lazyPart(async () => (await import('./FilterChips.tsx')).FilterChips)

/** True when a filter is set that no other field of the row shows. */
const isChosen = ({ monitor_id, heartbeat_id, integration_id, tag, assignee, source_kind, label }: IncidentsSearch): boolean =>
  [monitor_id, heartbeat_id, integration_id, tag, assignee, source_kind, label].some((one) => one !== undefined)

export interface FiltersProps {
  search: IncidentsSearch
  change: (next: IncidentsSearch, replace?: boolean) => void
  counts: IncidentCounts | undefined
  /** Shown at the end of the row. */
  children: ReactNode
}

export function Filters({ search, change, counts, children }: FiltersProps) {
  const states = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another state is another place in the strip, and counts move the places
  useEffect(() => {
    // On a narrow screen only the strip scrolls; the page itself must not move.
    const strip = states.current
    const current = strip?.querySelector<HTMLElement>('[aria-current]')
    if (strip && current) strip.scrollLeft = current.offsetLeft - (strip.clientWidth - current.offsetWidth) / 2
  }, [search.status, counts === undefined])
  return (
    <div className={classes.filters}>
      <nav ref={states} className={classes.states} aria-label={incidentListText('column.state')}>
        <State search={search} name={incidentListText('state.ongoing')} count={counts?.ongoing} />
        <State search={search} status="triggered" name={incidentListText('state.triggered')} count={counts?.needs_someone} />
        <State search={search} status="acknowledged" name={incidentListText('state.acknowledged')} count={counts?.acknowledged} />
        {(search.status === 'silenced' || (counts?.silenced ?? 0) > 0) && (
          <State search={search} status="silenced" name={incidentsText('state.silenced')} count={counts?.silenced} />
        )}
        <State search={search} status="resolved" name={incidentListText('state.resolved')} />
        <State search={search} status="all" name={incidentListText('state.all')} />
      </nav>
      <div className={classes.others}>
        <div className={classes.found}>
          <Words q={search.q ?? ''} onTyped={(q) => change({ q: q === '' ? undefined : q }, true)} />
          <Days search={search} change={change} />
        </div>
        <Toggles
          label={incidentListText('column.severity')}
          toggles={severities.map((severity) => ({ word: severity, label: <Status look={severityLook(severity)} /> }))}
          pressed={search.severity ?? []}
          onChange={(pressed) => change({ severity: pressed.length > 0 ? wordsOf(pressed, severities) : undefined })}
        />
        <Button
          variant={search.mine ? 'light' : 'default'}
          className={classes.compact}
          aria-pressed={search.mine === true}
          aria-label={incidentListText('filter.mine')}
          title={incidentListText('filter.mine_hint')}
          leftSection={<UserRound size={15} aria-hidden />}
          onClick={() => change({ mine: search.mine ? undefined : true })}
        >
          <span>{incidentListText('filter.mine')}</span>
        </Button>
        <More search={search} change={change} />
        <TeamFilter className={classes.choice} team_id={search.team_id} change={(team_id) => change({ team_id })} />
        {isChosen(search) && (
          <Suspense fallback={null}>
            <FilterChips search={search} change={change} />
          </Suspense>
        )}
        {children}
      </div>
    </div>
  )
}

function State({
  search,
  status,
  name,
  count
}: {
  search: IncidentsSearch
  status?: ShownState
  name: string
  count?: number | undefined
}) {
  const { status: _status, page: _page, ...others } = search
  return (
    <Link
      to="/incidents"
      search={status ? { ...others, status } : others}
      className={classes.state}
      aria-current={search.status === status ? 'page' : undefined}
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{}}
    >
      {name}
      {count !== undefined && count > 0 && <span className={classes.count}>{count}</span>}
    </Link>
  )
}

const dayInWords = (day: string): string => shortDayInWords(Date.parse(day) / DAY_MS)

function daysInWords(from: string | undefined, to: string | undefined): string {
  if (from !== undefined && to !== undefined)
    return from === to ? dayInWords(from) : incidentListText('days.span', { from: dayInWords(from), to: dayInWords(to) })
  if (from !== undefined) return incidentListText('days.since', { day: dayInWords(from) })
  return to === undefined ? incidentListText('days.any') : incidentListText('days.until', { day: dayInWords(to) })
}

function Days({ search: { from, to }, change }: Pick<FiltersProps, 'search' | 'change'>) {
  return (
    <PopoverButton
      position="bottom-start"
      className={classes.span}
      button={
        <Button variant="default" className={classes.days} leftSection={<CalendarDays size={15} aria-hidden />}>
          {daysInWords(from, to)}
        </Button>
      }
    >
      {() => (
        <>
          <TextInput
            type="date"
            label={incidentListText('days.from')}
            value={from ?? ''}
            max={to}
            onChange={(event) => change({ from: event.currentTarget.value || undefined }, true)}
          />
          <TextInput
            type="date"
            label={incidentListText('days.to')}
            value={to ?? ''}
            min={from}
            onChange={(event) => change({ to: event.currentTarget.value || undefined }, true)}
          />
          <Button
            variant="default"
            disabled={from === undefined && to === undefined}
            onClick={() => change({ from: undefined, to: undefined })}
          >
            {incidentListText('days.any')}
          </Button>
        </>
      )}
    </PopoverButton>
  )
}

const MoreFilters = lazyPart(async () => (await import('./MoreFilters.tsx')).MoreFilters)

function More({ search, change }: Pick<FiltersProps, 'search' | 'change'>) {
  return (
    <PopoverButton
      position="bottom-start"
      className={classes.span}
      width={280}
      button={
        <Button
          variant="default"
          className={classes.compact}
          aria-label={incidentListText('filter.more')}
          leftSection={<SlidersHorizontal size={15} aria-hidden />}
        >
          <span>{incidentListText('filter.more')}</span>
        </Button>
      }
    >
      {() => (
        <Suspense fallback={<Loading rows={3} />}>
          <MoreFilters search={search} change={change} />
        </Suspense>
      )}
    </PopoverButton>
  )
}
