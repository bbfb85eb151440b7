/**
 * The incidents: a headline that says who is needed, then the live list, where each incident can be
 * handled without opening it.
 */
import { ActionIcon, Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck, Download, Plus, SearchX } from 'lucide-react'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useAcknowledge } from '../../api/incidents.ts'
import { countsQuery, incidentsQuery, teamsQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { Incident } from '../../api/shapes.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Rows } from '../../parts/Rows.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { useSelection } from '../../parts/selection.ts'
import { stillComes } from '../../parts/still-comes.ts'
import { useKeys } from '../../shell/keys.ts'
import { incidentListText } from '../../texts/incident-list.ts'
import { incidentsText } from '../../texts/incidents.ts'
import type { Action } from './ActionDialog.tsx'
import { answerOf } from './answer.ts'
import { countOf } from './count-words.ts'
import { ActionDialog, DeclareDialog } from './dialogs.tsx'
import { Filters } from './Filters.tsx'
import { Columns, IncidentRow } from './IncidentRow.tsx'
import classes from './Incidents.module.css'
import { addressOfExport, lastPageInstead, PER_PAGE, toQuery } from './query.ts'
import { listed } from './repeats.ts'
import { type IncidentsSearch, isNarrowed } from './search.ts'
import { Views } from './Views.tsx'

const BulkBar = lazyPart(async () => (await import('./BulkBar.tsx')).BulkBar)

const noIncidents: readonly Incident[] = []
const HEIGHT = 46
const NARROW_HEIGHT = 96

const toggled = (before: ReadonlySet<string>, key: string): ReadonlySet<string> =>
  new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key])

/** Goes to the last page if the list has become shorter than the address says. */
function useLastPage({ page = 1 }: IncidentsSearch, total: number | undefined): void {
  const navigate = useNavigate({ from: '/incidents' })
  const instead = total === undefined ? null : lastPageInstead(page, total)
  useEffect(() => {
    if (instead === null) return
    void navigate({ search: (before) => ({ ...before, page: instead === 1 ? undefined : instead }), replace: true })
  }, [instead, navigate])
}

export function Incidents() {
  const search = useSearch({ from: '/inside/incidents' })
  const navigate = useNavigate({ from: '/incidents' })
  const may = useMay('act')
  const counted = useQuery(countsQuery)
  const counts = counted.data
  const asked = useQuery({ ...incidentsQuery(toQuery(search)), placeholderData: keepPreviousData })
  // Also wait for the data of the filters: another row of filters would push the list down.
  const waits = stillComes(asked, counted, useQuery(teamsQuery))
  const { data, isPlaceholderData } = asked
  const { mutate: acknowledge } = useAcknowledge()
  const [acting, setActing] = useState<{ incident: Incident; action: Action } | null>(null)
  const declare = (opened: boolean): void =>
    void navigate({ search: (before) => ({ ...before, declare: opened ? 'yes' : undefined }), replace: true, resetScroll: false })
  /** The keys whose incidents are all shown, not only the newest one. */
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const items = data?.items ?? noIncidents
  const rows = useMemo(() => listed(items, unfolded), [items, unfolded])
  const selection = useSelection(useMemo(() => rows.map(({ incident }) => incident), [rows]))
  /** Id of the incident whose row has the keyboard focus. */
  const focused = useRef<string | null>(null)

  const onFocused = (work: (incident: Incident) => void) => () => {
    const incident = data?.items.find(({ id }) => id === focused.current)
    if (incident && may) work(incident)
  }
  useKeys({
    a: onFocused((incident) => incident.dashboard_state === 'Triggered' && acknowledge({ incident })),
    r: onFocused((incident) => incident.status === 'ongoing' && setActing({ incident, action: 'resolve' })),
    e: onFocused((incident) => incident.status === 'ongoing' && setActing({ incident, action: 'silence' })),
    x: onFocused(({ id }) => selection.select(id, !selection.selected.has(id))),
    c: () => may && declare(true)
  })

  const usual = counts ? answerOf(counts) : incidentListText('page.title')
  const answer = (data && countOf({ status: search.status, narrowed: isNarrowed(search), total: data.total })) ?? usual
  const change = (next: IncidentsSearch, replace = false): void =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace })

  useLastPage(search, isPlaceholderData ? undefined : data?.total)

  return (
    <>
      <PageHead
        title={data && isNarrowed(search) ? incidentListText('page.counted', { count: data.total }) : incidentListText('page.title')}
        answer={answer}
      />
      {!waits && (
        <Filters search={search} change={change} counts={counts}>
          <Tools search={search} declare={() => declare(true)} />
        </Filters>
      )}
      {!data || waits ? (
        <Awaiting of={asked} rows={8} height={HEIGHT} />
      ) : data.total === 0 ? (
        <NoIncidents search={search} clear={() => void navigate({ search: search.status ? { status: search.status } : {} })} />
      ) : (
        <div data-selecting={selection.selecting || undefined}>
          {may && (
            <Suspense fallback={<div className={classes.bulk} />}>
              <BulkBar selection={selection} />
            </Suspense>
          )}
          <Columns may={may} />
          <Rows
            label={incidentListText('page.title')}
            items={rows}
            idOf={({ incident: { id } }) => id}
            height={HEIGHT}
            narrowHeight={NARROW_HEIGHT}
          >
            {(row) => (
              <IncidentRow
                row={row}
                unfolded={unfolded.has(row.incident.dedup_key)}
                unfold={() => setUnfolded((before) => toggled(before, row.incident.dedup_key))}
                may={may}
                acknowledge={() => acknowledge({ incident: row.incident })}
                selected={selection.selected.has(row.incident.id)}
                select={selection.select}
                onFocus={() => {
                  focused.current = row.incident.id
                }}
                onBlur={() => {
                  focused.current = null
                }}
              />
            )}
          </Rows>
          <Pager page={search.page ?? 1} perPage={PER_PAGE} total={data.total} waits={isPlaceholderData} go={(page) => change({ page })} />
        </div>
      )}
      <ActionDialog incident={acting?.incident ?? null} action={acting?.action ?? null} onClose={() => setActing(null)} />
      <DeclareDialog opened={may && search.declare === 'yes'} onClose={() => declare(false)} />
    </>
  )
}

/** At the end of the filters: saved views, the list as a file, and a button for a new incident. */
function Tools({ search, declare }: { search: IncidentsSearch; declare: () => void }) {
  const may = useMay('act')
  return (
    <div className={classes.tools}>
      <Views search={search} />
      <ExportLink search={search} />
      {may && (
        <Button
          variant="default"
          className={classes.declare}
          aria-haspopup="dialog"
          onClick={declare}
          aria-label={incidentListText('page.declare')}
        >
          <Plus size={16} aria-hidden />
          <span className={classes.word}>{incidentListText('page.declare')}</span>
        </Button>
      )}
    </div>
  )
}

/** Downloads the filtered list as a file. */
function ExportLink({ search }: { search: IncidentsSearch }) {
  return (
    <ActionIcon
      component="a"
      href={addressOfExport(search)}
      download
      variant="default"
      className={classes.export}
      aria-label={incidentListText('export.verb')}
      title={incidentListText('export.verb')}
    >
      <Download size={16} aria-hidden />
    </ActionIcon>
  )
}

function NoIncidents({ search, clear }: { search: IncidentsSearch; clear: () => void }) {
  if (isNarrowed(search)) {
    return (
      <Empty
        icon={SearchX}
        title={incidentListText('empty.narrowed')}
        action={
          <Button variant="default" onClick={clear}>
            {incidentListText('empty.clear')}
          </Button>
        }
      >
        {incidentListText('empty.narrowed_hint')}
      </Empty>
    )
  }
  const { status } = search
  if (status === 'silenced') return <Empty icon={CircleCheck} title={incidentsText('state.none_silenced')} />
  if (status === 'resolved') return <Empty icon={CircleCheck} title={incidentListText('empty.resolved')} />
  if (status === 'all') {
    return (
      <Empty icon={CircleCheck} title={incidentListText('empty.all')}>
        {incidentListText('empty.all_hint')}
      </Empty>
    )
  }
  return (
    <Empty icon={CircleCheck} title={incidentListText(status === 'acknowledged' ? 'empty.acknowledged' : 'empty.waiting')}>
      {incidentListText('empty.hint')}
    </Empty>
  )
}
