/**
 * The maintenance page: the windows, a calendar of them, and the windows that deployments opened.
 */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Wrench } from 'lucide-react'
import type { WindowState } from '../../../../schemas/http/maintenance-words.ts'
import { deleteWindow, endWindow, runningDeploymentsQuery, WINDOWS_PER_PAGE, windowsQuery } from '../../api/maintenance.ts'
import { useNames } from '../../api/names.ts'
import { useMay } from '../../api/session.ts'
import type { MaintenanceWindow } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { tellDone } from '../../parts/tell.ts'
import { inSentence } from '../../parts/you.ts'
import { useKeys } from '../../shell/keys.ts'
import { maintenanceText } from '../../texts/maintenance.ts'
import classes from '../settings/List.module.css'
import { Calendar } from './Calendar.tsx'
import { Deployments } from './Deployments.tsx'
import own from './Maintenance.module.css'
import { statesOf, type View } from './search.ts'
import { recurrenceInWords, scopeInWords, windowLooks } from './window-words.ts'

const toggles = (['active', 'scheduled', 'ended'] as const).map((word) => ({ word, label: windowLooks[word].word }))
const views: readonly View[] = ['list', 'calendar', 'deployments']

function useAnswer(): string {
  const { data: windows } = useQuery(windowsQuery(['active']))
  const { data: deployments } = useQuery(runningDeploymentsQuery)
  if (!windows || !deployments) return maintenanceText('answer.unknown')
  const deployed =
    deployments.total === 1 ? maintenanceText('answer.deployment') : maintenanceText('answer.deployments', { count: deployments.total })
  if (windows.total === 0) return deployments.total === 0 ? maintenanceText('answer.none') : deployed
  const planned = windows.total === 1 ? maintenanceText('answer.one') : maintenanceText('answer.some', { count: windows.total })
  return deployments.total === 0 ? planned : `${planned}, ${deployed}`
}

export function Maintenance() {
  const { view = 'list' } = useSearch({ from: '/inside/maintenance' })
  const navigate = useNavigate({ from: '/maintenance' })
  const may = useMay('write')
  const create = (): void => void navigate({ to: '/maintenance/new' })
  useKeys(may ? { c: create } : {})
  return (
    <>
      <PageHead
        title={maintenanceText('page.title')}
        answer={useAnswer()}
        actions={
          may && (
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={create}>
              {maintenanceText('list.create')}
            </Button>
          )
        }
      >
        <span>{maintenanceText('list.how')}</span>
        {!may && <span>{maintenanceText('page.read_only')}</span>}
      </PageHead>
      <nav className={own.views} aria-label={maintenanceText('list.view')}>
        {views.map((one) => (
          <Link
            key={one}
            to="/maintenance"
            search={one === 'list' ? {} : { view: one }}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={one === view ? 'page' : undefined}
          >
            {maintenanceText(`view.${one}`)}
          </Link>
        ))}
      </nav>
      {view === 'list' ? <List may={may} /> : view === 'calendar' ? <Calendar /> : <Deployments may={may} />}
    </>
  )
}

function List({ may }: { may: boolean }) {
  const search = useSearch({ from: '/inside/maintenance' })
  const navigate = useNavigate({ from: '/maintenance' })
  const states = statesOf(search)
  const { page = 1 } = search
  const asked = useQuery(windowsQuery(states, page))
  const { data: list } = asked
  return (
    <>
      <div className={own.filter}>
        <Toggles
          label={maintenanceText('list.filter')}
          toggles={toggles}
          pressed={states.filter((state) => state !== 'cancelled')}
          onChange={(pressed) => void navigate({ search: pressed.length > 0 ? { state: pressed.join(',') } : {}, replace: true })}
        />
      </div>
      {!list ? (
        <Awaiting of={asked} rows={3} height={72} />
      ) : list.items.length === 0 ? (
        <None states={states} />
      ) : (
        <ul className={classes.list} aria-label={maintenanceText('page.title')}>
          {list.items.map((window) => (
            <Row key={window.id} window={window} may={may} />
          ))}
        </ul>
      )}
      {list && (
        <Pager
          page={page}
          perPage={WINDOWS_PER_PAGE}
          total={list.total}
          go={(to) => void navigate({ search: ({ page: _page, ...before }) => ({ ...before, ...(to !== undefined && { page: to }) }) })}
        />
      )}
    </>
  )
}

function None({ states }: { states: readonly WindowState[] }) {
  if (states.length > 0) {
    const words = states.map((state) => windowLooks[state].word.toLowerCase()).join(', ')
    return (
      <Empty
        icon={Wrench}
        title={maintenanceText('list.none_so', { states: words })}
        action={
          <Button variant="default" component={Link} to="/maintenance">
            {maintenanceText('list.all')}
          </Button>
        }
      />
    )
  }
  return (
    <Empty icon={Wrench} title={maintenanceText('list.empty')}>
      {maintenanceText('list.empty_hint')}
    </Empty>
  )
}

/** Says when the window starts, ends or ended. */
export function When({ window: { state, starts_at, ends_at } }: { window: Pick<MaintenanceWindow, 'state' | 'starts_at' | 'ends_at'> }) {
  const at = state === 'scheduled' ? starts_at : ends_at
  if (at === null) return null
  const word = maintenanceText(state === 'scheduled' ? 'row.begins' : state === 'active' ? 'row.ends' : 'row.ended')
  return (
    <span>
      {word} <Since at={at} />
    </span>
  )
}

function Row({ window, may }: { window: MaintenanceWindow; may: boolean }) {
  const { id, name, state, scope, schedule, effect, created_by } = window
  const nameOf = useNames()
  const navigate = useNavigate()
  const often = recurrenceInWords(schedule)
  const isOver = state === 'ended' || state === 'cancelled'
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          <Link to="/maintenance/$id" params={{ id }}>
            {name}
          </Link>
        </p>
        <p className={classes.facts}>
          <Status look={windowLooks[state]} />
          <When window={window} />
          {often !== null && <span>{often}</span>}
        </p>
        <p className={classes.facts}>
          <span>{maintenanceText('row.covers', { scope: scopeInWords(scope) })}</span>
          <span>{maintenanceText(`effect.${effect}`)}</span>
          <span>{maintenanceText('row.by', { name: inSentence(nameOf(created_by)) })}</span>
        </p>
      </div>
      {may && (
        <div className={classes.actions}>
          {isOver ? (
            <Button
              variant="default"
              onClick={() => void navigate({ to: '/maintenance/new', search: { like: id } })}
              aria-label={maintenanceText('row.again_one', { name })}
            >
              {maintenanceText('row.again')}
            </Button>
          ) : (
            <Button
              variant="default"
              onClick={() => void navigate({ to: '/maintenance/$id', params: { id } })}
              aria-label={maintenanceText('row.edit_one', { name })}
            >
              {maintenanceText('row.edit')}
            </Button>
          )}
          {state === 'active' && <EndNow window={window} />}
          <Delete window={window} />
        </div>
      )}
    </li>
  )
}

/**
 * Returns a function that reloads everything a window affects. It is needed after a change, and
 * also when somebody else had changed the window first.
 */
function useAgain(): () => void {
  const queries = useQueryClient()
  return () => {
    for (const resource of ['maintenance', 'incidents', 'alerts', 'monitors', 'heartbeats'])
      void queries.invalidateQueries({ queryKey: [resource] })
  }
}

export function EndNow({ window, onDone }: { window: MaintenanceWindow; onDone?: (window: MaintenanceWindow) => void }) {
  const again = useAgain()
  return (
    <Confirm
      label={maintenanceText('end.label')}
      aria-label={maintenanceText('end.one', { name: window.name })}
      question={maintenanceText('end.question')}
      verb={maintenanceText('end.label')}
      act={async () => {
        const ended = await endWindow(window).finally(again)
        tellDone(maintenanceText('end.done'))
        onDone?.(ended)
      }}
    >
      {maintenanceText('end.hint')}
    </Confirm>
  )
}

export function Delete({ window, onDone }: { window: MaintenanceWindow; onDone?: () => void }) {
  const again = useAgain()
  return (
    <Confirm
      label={maintenanceText('delete.label')}
      aria-label={maintenanceText('delete.one', { name: window.name })}
      question={maintenanceText('delete.question')}
      verb={maintenanceText('delete.label')}
      act={async () => {
        await deleteWindow(window).finally(again)
        tellDone(maintenanceText('delete.done'))
        onDone?.()
      }}
    >
      {maintenanceText('delete.hint')}
    </Confirm>
  )
}
