/**
 * All monitors: how many are up, then each of them, worst first. Filters and order stand in the
 * address; what is filtered are the rows that are here already.
 */
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Activity, Plus, SearchX, ShieldCheck, Upload } from 'lucide-react'
import { Suspense, useMemo } from 'react'
import { monitorsQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { HERE_MS, useTyped } from '../../forms/useTyped.ts'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Rows } from '../../parts/Rows.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { monitorLook, Status } from '../../parts/Status.tsx'
import { useSelection } from '../../parts/selection.ts'
import { TeamFilter } from '../../parts/TeamFilter.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { wordOf } from '../../search.ts'
import { useKeys } from '../../shell/keys.ts'
import { importText } from '../../texts/import.ts'
import { monitorsText } from '../../texts/monitors.ts'
import { counted, monitorsInWords, worstFirst } from '../overview/answer.ts'
import { MonitorRow } from './MonitorRow.tsx'
import classes from './Monitors.module.css'
import { type MonitorsSearch, monitorSorts } from './search.ts'

/** Over the row: it moves nothing when it comes. */
const SelectBox = lazyPart(async () => (await import('../../parts/SelectBox.tsx')).SelectBox)
const MonitorBulkBar = lazyPart(async () => (await import('./MonitorBulkBar.tsx')).MonitorBulkBar)

const regionsOf = ({ regions, region_states }: Monitor): string[] => [...regions, ...region_states.map(({ region }) => region)]

function filtered(monitors: readonly Monitor[], { phase, tag, region, team_id, q, sort }: MonitorsSearch): Monitor[] {
  const part = q?.toLowerCase()
  const found = monitors.filter(
    (monitor) =>
      (!phase || phase.includes(monitor.phase)) &&
      (!tag || monitor.tags.includes(tag)) &&
      (!region || regionsOf(monitor).includes(region)) &&
      (!team_id || monitor.team_id === team_id) &&
      (!part || monitor.name.toLowerCase().includes(part) || monitor.target.toLowerCase().includes(part))
  )
  if (sort === 'name') return found.sort((one, other) => one.name.localeCompare(other.name))
  const since = ({ last_status_change_at, created_at }: Monitor): string => last_status_change_at ?? created_at
  return sort === 'since' ? found.sort((one, other) => since(other).localeCompare(since(one))) : worstFirst(found)
}

function answerOf(monitors: readonly Monitor[]): { answer: string; detail: string } {
  const paused = monitors.filter(({ status }) => status === 'paused').length
  const detail = paused > 0 ? `${paused} paused` : ''
  if (monitors.length === 0) return { answer: 'Nothing is monitored yet', detail: '' }
  if (paused === monitors.length) return { answer: `${counted(paused, 'monitor')} paused`, detail: 'Nothing is checked' }
  return { answer: monitorsInWords(monitors), detail }
}

export function Monitors() {
  const search = useSearch({ from: '/inside/monitors' })
  const navigate = useNavigate({ from: '/monitors' })
  const mayWrite = useMay('write')
  const asked = useQuery(monitorsQuery())
  const { data } = asked
  useKeys(mayWrite ? { c: () => void navigate({ to: '/monitors/new' }) } : {})
  const monitors = data?.items
  const shown = useMemo(() => (monitors ? filtered(monitors, search) : []), [monitors, search])
  const selection = useSelection(shown)
  const create = (
    <>
      <Button leftSection={<Plus size={15} aria-hidden />} renderRoot={(props) => <Link to="/monitors/new" {...props} />}>
        New monitor
      </Button>
      <Button
        variant="default"
        leftSection={<Upload size={15} aria-hidden />}
        renderRoot={(props) => <Link to="/monitors/import" {...props} />}
      >
        {importText('import.verb')}
      </Button>
    </>
  )
  if (!monitors) {
    return (
      <>
        <PageHead title="Monitors" answer="Monitors" />
        <Awaiting of={asked} rows={10} height={52} />
      </>
    )
  }
  const { answer, detail } = answerOf(monitors)
  return (
    <>
      <PageHead
        title="Monitors"
        answer={answer}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<ShieldCheck size={15} aria-hidden />}
              renderRoot={(props) => <Link to="/monitors/certificates" {...props} />}
            >
              {monitorsText('list.certificates')}
            </Button>
            {mayWrite && create}
          </>
        }
      >
        {detail !== '' && <span>{detail}</span>}
        {!mayWrite && <span>Your role can only view monitors. Editors, admins and owners can add them.</span>}
      </PageHead>
      {monitors.length === 0 ? (
        <Empty icon={Activity} title="Monitor your first URL" action={mayWrite ? create : undefined}>
          Enter an http or https URL. The service checks it every minute from several regions and notifies you when it is down.
        </Empty>
      ) : (
        <>
          <Filters monitors={monitors} />
          {shown.length === 0 ? (
            <Empty
              icon={SearchX}
              title="No monitor matches these filters"
              action={
                <Button variant="default" onClick={() => void navigate({ search: {} })}>
                  Show all {monitors.length}
                </Button>
              }
            />
          ) : (
            <div data-selecting={selection.selecting || undefined}>
              {mayWrite && (
                <Suspense fallback={<div className={classes.bulk} />}>
                  <MonitorBulkBar selection={selection} />
                </Suspense>
              )}
              <div className={classes.head} data-may={mayWrite || undefined} aria-hidden>
                <span>Status</span>
                <span>Monitor</span>
                <span>{monitorsText('column.strip')}</span>
                <span>{monitorsText('column.spark')}</span>
                <span>Uptime 30 d</span>
                <span>Response</span>
                <span>Last check</span>
              </div>
              <Rows label="Monitors" items={shown} idOf={({ id }) => id} height={52} narrowHeight={68}>
                {(monitor) => (
                  <>
                    <MonitorRow monitor={monitor} may={mayWrite} selected={selection.selected.has(monitor.id)} />
                    {mayWrite && (
                      <Suspense fallback={null}>
                        <SelectBox
                          name={monitor.name}
                          selected={selection.selected.has(monitor.id)}
                          select={(selected) => selection.select(monitor.id, selected)}
                        />
                      </Suspense>
                    )}
                  </>
                )}
              </Rows>
            </div>
          )}
        </>
      )}
    </>
  )
}

const sortWords = { name: 'By name', since: 'Changed last' } as const

function Filters({ monitors }: { monitors: readonly Monitor[] }) {
  const { phase = [], tag, region, team_id, q, sort } = useSearch({ from: '/inside/monitors' })
  const navigate = useNavigate({ from: '/monitors' })
  const set = (change: Partial<Record<keyof MonitorsSearch, unknown>>, replace = false): void =>
    void navigate({ search: (before) => ({ ...before, ...change }) as MonitorsSearch, replace, resetScroll: false })
  const { typed, type } = useTyped(q ?? '', (text) => set({ q: text === '' ? undefined : text }, true), HERE_MS)
  const groups = new Map<Monitor['phase'], Monitor[]>()
  for (const monitor of worstFirst(monitors)) {
    const those = groups.get(monitor.phase)
    if (those) those.push(monitor)
    else groups.set(monitor.phase, [monitor])
  }
  const tags = [...new Set(monitors.flatMap((monitor) => monitor.tags))].sort()
  const regions = new Map(
    monitors.flatMap((monitor) => regionsOf(monitor).map((code) => [code, monitor.prober_region_labels[code] ?? code]))
  )
  return (
    <search className={classes.filters}>
      <TextInput
        className={classes.q}
        aria-label="Filter by name or address"
        placeholder="Name or address"
        value={typed}
        maxLength={100}
        onChange={({ currentTarget: { value } }) => type(value)}
      />
      <div className={classes.selects}>
        {(tags.length > 0 || tag) && (
          <NativeSelect
            aria-label="Tag"
            value={tag ?? ''}
            data={[{ value: '', label: 'Any tag' }, ...new Set([...tags, ...(tag ? [tag] : [])])]}
            onChange={({ currentTarget: { value } }) => set({ tag: value || undefined })}
          />
        )}
        <NativeSelect
          aria-label="Region"
          value={region ?? ''}
          data={[{ value: '', label: 'Any region' }, ...[...regions].map(([value, label]) => ({ value, label }))]}
          onChange={({ currentTarget: { value } }) => set({ region: value || undefined })}
        />
        <TeamFilter team_id={team_id} change={(chosen) => set({ team_id: chosen })} />
        <NativeSelect
          aria-label="Order"
          value={sort ?? ''}
          data={[{ value: '', label: 'Worst first' }, ...monitorSorts.map((one) => ({ value: one, label: sortWords[one] }))]}
          onChange={({ currentTarget: { value } }) => set({ sort: wordOf(value, monitorSorts) })}
        />
      </div>
      <Toggles
        label="Status"
        toggles={[...groups].flatMap(([word, those]) => {
          const [first] = those
          return first ? [{ word, label: <Status look={monitorLook(first)} />, count: those.length }] : []
        })}
        pressed={phase}
        onChange={(pressed) => set({ phase: pressed.length > 0 ? pressed : undefined })}
      />
    </search>
  )
}
