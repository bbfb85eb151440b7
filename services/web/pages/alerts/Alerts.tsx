/**
 * The list of alerts, newest first: everything that senders reported, whether or not it became an
 * incident. The address holds the filters.
 */
import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { BellOff, Plus, SearchX } from 'lucide-react'
import { Suspense, useState } from 'react'
import { alertsQuery } from '../../api/alerts.ts'
import { integrationsQuery, teamsQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Rows } from '../../parts/Rows.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { stillComes } from '../../parts/still-comes.ts'
import { useWanted } from '../../parts/use-wanted.ts'
import { alertsText } from '../../texts/alerts.ts'
import { AlertRow } from './AlertRow.tsx'
import classes from './Alerts.module.css'
import { Filters } from './Filters.tsx'
import { type AlertsSearch, isNarrowed, toQuery } from './search.ts'
import { answerOf } from './words.ts'

// Loads when the dialog is first opened.
const CreateDialog = lazyPart(() => import('./CreateDialog.tsx').then((loaded) => loaded.CreateDialog))

const HEIGHT = 46
const NARROW_HEIGHT = 88

/** Counts every alert that the person may see, whatever the filters are. */
function useAnswer(): string {
  const { data, hasNextPage } = useInfiniteQuery(alertsQuery(toQuery({})))
  if (!data) return alertsText('page.title')
  return answerOf(
    data.pages.reduce((sum, { items }) => sum + items.length, 0),
    hasNextPage
  )
}

export function Alerts() {
  const search = useSearch({ from: '/inside/alerts' })
  const navigate = useNavigate({ from: '/alerts' })
  const asked = useInfiniteQuery({ ...alertsQuery(toQuery(search)), placeholderData: keepPreviousData })
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage, isPlaceholderData } = asked
  const alerts = data?.pages.flatMap(({ items }) => items)
  // Also wait for the data of the filters: another row of filters would push the list down.
  const waits = stillComes(asked, useQuery(integrationsQuery), useQuery(teamsQuery))
  const maySend = useMay('send')
  const [creating, setCreating] = useState(false)
  const wanted = useWanted(creating)
  const change = (next: AlertsSearch, replace = false): void => void navigate({ search: (before) => ({ ...before, ...next }), replace })
  return (
    <>
      <PageHead
        title={alertsText('page.title')}
        answer={useAnswer()}
        actions={
          <>
            <Button variant="default" component={Link} to="/silences" leftSection={<BellOff size={16} aria-hidden />}>
              {alertsText('silence.silences')}
            </Button>
            {maySend && (
              <Button
                variant="default"
                aria-haspopup="dialog"
                leftSection={<Plus size={16} aria-hidden />}
                onClick={() => setCreating(true)}
              >
                {alertsText('create.open')}
              </Button>
            )}
          </>
        }
      />
      {!waits && <Filters search={search} change={change} />}
      {!alerts || waits ? (
        <Awaiting of={asked} rows={8} height={HEIGHT} />
      ) : alerts.length === 0 ? (
        <NoAlerts search={search} clear={() => void navigate({ search: search.status ? { status: search.status } : {} })} />
      ) : (
        <Rows label={alertsText('page.title')} items={alerts} idOf={({ id }) => id} height={HEIGHT} narrowHeight={NARROW_HEIGHT}>
          {(alert) => <AlertRow alert={alert} />}
        </Rows>
      )}
      {hasNextPage && (
        <Button
          variant="default"
          className={classes.older}
          loading={isFetchingNextPage}
          disabled={isPlaceholderData}
          onClick={() => void fetchNextPage()}
        >
          {alertsText('list.older')}
        </Button>
      )}
      {wanted && (
        <Suspense fallback={null}>
          <CreateDialog opened={creating} onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </>
  )
}

function NoAlerts({ search, clear }: { search: AlertsSearch; clear: () => void }) {
  if (isNarrowed(search)) {
    return (
      <Empty
        icon={SearchX}
        title={alertsText('empty.narrowed')}
        action={
          <Button variant="default" onClick={clear}>
            {alertsText('filter.clear')}
          </Button>
        }
      >
        {alertsText('empty.narrowed_hint')}
      </Empty>
    )
  }
  const { status } = search
  if (status === 'resolved') return <Empty icon={BellOff} title={alertsText('empty.resolved')} />
  return (
    <Empty icon={BellOff} title={status === 'all' ? alertsText('empty.all') : alertsText('empty.ongoing')}>
      {alertsText('empty.hint')}
    </Empty>
  )
}
