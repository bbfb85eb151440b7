/**
 * All monitors: how many are up, then each of them, worst first. Filters and order are in the
 * address. Filtering works on the rows that are already loaded.
 */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Activity, Layers, Plus, SearchX, ShieldCheck, Upload } from 'lucide-react'
import { memo, type ReactNode, Suspense, useMemo } from 'react'
import { monitorsQuery, teamsQuery } from '../../api/lists.ts'
import { monitorGroupsQuery } from '../../api/monitor-groups.ts'
import { useMay } from '../../api/session.ts'
import type { Monitor, MonitorGroup } from '../../api/shapes.ts'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Rows } from '../../parts/Rows.tsx'
import { SelectBox } from '../../parts/SelectBox.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { useSelection } from '../../parts/selection.ts'
import { stillComes } from '../../parts/still-comes.ts'
import { useKeys } from '../../shell/keys.ts'
import { importText } from '../../texts/import.ts'
import { monitorGroupsText } from '../../texts/monitor-groups.ts'
import { monitorListText } from '../../texts/monitor-list.ts'
import { monitorsInWords, worstFirst } from '../overview/answer.ts'
import { countedMonitors } from './counted-monitors.ts'
import { listedByGroup } from './listed-by-group.ts'
import { MonitorFilters } from './MonitorFilters.tsx'
import { MonitorRow } from './MonitorRow.tsx'
import classes from './Monitors.module.css'
import { regionsOf } from './regions-of.ts'
import type { MonitorsSearch } from './search.ts'

const GroupHead = lazyPart(async () => (await import('./GroupHead.tsx')).GroupHead)
const MonitorBulkBar = lazyPart(async () => (await import('./MonitorBulkBar.tsx')).MonitorBulkBar)

const NO_GROUPS: readonly MonitorGroup[] = []

function filtered(monitors: readonly Monitor[], { phase, tag, region, team_id, group, q, sort }: MonitorsSearch): Monitor[] {
  const part = q?.toLowerCase()
  const found = monitors.filter(
    (monitor) =>
      (!phase || phase.includes(monitor.phase)) &&
      (!tag || monitor.tags.includes(tag)) &&
      (!region || regionsOf(monitor).includes(region)) &&
      (!team_id || monitor.team_id === team_id) &&
      (!group || monitor.group_id === group) &&
      (!part || monitor.name.toLowerCase().includes(part) || monitor.target.toLowerCase().includes(part))
  )
  if (sort === 'name') return found.sort((one, other) => one.name.localeCompare(other.name))
  const since = ({ last_status_change_at, created_at }: Monitor): string => last_status_change_at ?? created_at
  return sort === 'since' ? found.sort((one, other) => since(other).localeCompare(since(one))) : worstFirst(found)
}

function answerOf(monitors: readonly Monitor[]): { answer: string; detail: string } {
  const paused = monitors.filter(({ status }) => status === 'paused').length
  const detail = paused > 0 ? monitorListText('list.paused', { count: paused }) : ''
  if (monitors.length === 0) return { answer: monitorListText('empty.answer'), detail: '' }
  if (paused === monitors.length)
    return {
      answer: monitorListText('list.all_paused', { monitors: countedMonitors(paused) }),
      detail: monitorListText('list.nothing_checked')
    }
  return { answer: monitorsInWords(monitors), detail }
}

/** Returns the same answer for one group, with its name. */
function answerOfGroup({ name }: MonitorGroup, monitors: readonly Monitor[]): string {
  if (monitors.length === 0) return monitorGroupsText('group.answer', { name, words: monitorGroupsText('group.nothing') })
  const words = monitorsInWords(monitors)
  return monitorGroupsText('group.answer', { name, words: words === '' ? monitorGroupsText('group.paused') : words })
}

const linked = (to: string, icon: ReactNode, words: string, isFirst = false): ReactNode => (
  <Button variant={isFirst ? 'filled' : 'default'} leftSection={icon} renderRoot={(props) => <Link to={to} {...props} />}>
    {words}
  </Button>
)

const createLink = (): ReactNode => linked('/monitors/new', <Plus size={15} aria-hidden />, monitorListText('list.new'), true)
const importLink = (): ReactNode => linked('/monitors/import', <Upload size={15} aria-hidden />, importText('import.verb'))

/** Memoized, so that it does not render again with each change of a monitor. */
const HeadActions = memo(function HeadActions({ mayWrite }: { mayWrite: boolean }) {
  return (
    <>
      {linked('/monitors/certificates', <ShieldCheck size={15} aria-hidden />, monitorListText('list.certificates'))}
      {linked('/monitors/groups', <Layers size={15} aria-hidden />, monitorGroupsText('groups.verb'))}
      {mayWrite && createLink()}
      {mayWrite && importLink()}
    </>
  )
})

export function Monitors() {
  const search = useSearch({ from: '/inside/monitors' })
  const navigate = useNavigate({ from: '/monitors' })
  const mayWrite = useMay('write')
  const asked = useQuery(monitorsQuery())
  const { data } = asked
  useKeys(mayWrite ? { c: () => void navigate({ to: '/monitors/new' }) } : {})
  const monitors = data?.items
  const grouped = useQuery(monitorGroupsQuery)
  const { data: groupsData } = grouped
  const waits = stillComes(grouped, useQuery(teamsQuery))
  const groups = groupsData?.items ?? NO_GROUPS
  if (!monitors || waits) {
    return (
      <>
        <PageHead title={monitorListText('list.title')} answer={monitorListText('list.title')} />
        <Awaiting of={asked} rows={10} height={52} />
      </>
    )
  }
  const group = groups.find(({ id }) => id === search.group)
  const { answer, detail } = answerOf(monitors)
  return (
    <>
      <PageHead
        title={group?.name ?? monitorListText('list.title')}
        {...(group && { back: { to: '/monitors', label: monitorListText('list.title') } })}
        answer={
          group
            ? answerOfGroup(
                group,
                monitors.filter(({ group_id }) => group_id === group.id)
              )
            : answer
        }
        actions={<HeadActions mayWrite={mayWrite} />}
      >
        {group ? group.description !== '' && <span>{group.description}</span> : detail !== '' && <span>{detail}</span>}
        {!mayWrite && <span>{monitorListText('list.read_only')}</span>}
      </PageHead>
      {monitors.length === 0 ? (
        <Empty
          icon={Activity}
          title={monitorListText('empty.title')}
          action={
            mayWrite && (
              <>
                {createLink()}
                {importLink()}
              </>
            )
          }
        >
          {monitorListText('empty.hint')}
        </Empty>
      ) : (
        <>
          <MonitorFilters monitors={monitors} groups={groups} />
          <Found monitors={monitors} groups={groups} />
        </>
      )}
    </>
  )
}

/** The rows that match the filters in the address. */
function Found({ monitors, groups }: { monitors: readonly Monitor[]; groups: readonly MonitorGroup[] }) {
  const search = useSearch({ from: '/inside/monitors' })
  const navigate = useNavigate({ from: '/monitors' })
  const mayWrite = useMay('write')
  const shown = useMemo(() => filtered(monitors, search), [monitors, search])
  const rows = useMemo(() => listedByGroup(shown, groups, search.sort === 'group'), [shown, groups, search.sort])
  const selection = useSelection(shown)
  if (shown.length === 0) {
    const isEmptyGroup = search.group !== undefined && monitors.every(({ group_id }) => group_id !== search.group)
    return (
      <Empty
        icon={isEmptyGroup ? Layers : SearchX}
        title={isEmptyGroup ? monitorGroupsText('group.empty') : monitorListText('none.title')}
        action={
          <Button variant="default" onClick={() => void navigate({ search: {} })}>
            {isEmptyGroup ? monitorGroupsText('group.all') : monitorListText('none.all', { count: monitors.length })}
          </Button>
        }
      >
        {isEmptyGroup && monitorGroupsText('group.empty_hint')}
      </Empty>
    )
  }
  return (
    <div data-selecting={selection.selecting || undefined}>
      {mayWrite && (
        <Suspense fallback={<div className={classes.bulk} />}>
          <MonitorBulkBar selection={selection} />
        </Suspense>
      )}
      <div className={classes.head} data-may={mayWrite || undefined} aria-hidden>
        <span>{monitorListText('column.status')}</span>
        <span>{monitorListText('column.monitor')}</span>
        <span>{monitorListText('column.strip')}</span>
        <span>{monitorListText('column.spark')}</span>
        <span>{monitorListText('column.uptime')}</span>
        <span>{monitorListText('column.response')}</span>
        <span>{monitorListText('column.last')}</span>
      </div>
      <Rows label={monitorListText('list.title')} items={rows} idOf={({ id }) => id} height={52} narrowHeight={68}>
        {({ monitor, group }) =>
          monitor === null ? (
            <Suspense fallback={null}>
              <GroupHead group={group} />
            </Suspense>
          ) : (
            <>
              <MonitorRow monitor={monitor} may={mayWrite} selected={selection.selected.has(monitor.id)} />
              {mayWrite && (
                <SelectBox id={monitor.id} name={monitor.name} selected={selection.selected.has(monitor.id)} select={selection.select} />
              )}
            </>
          )
        }
      </Rows>
    </div>
  )
}
