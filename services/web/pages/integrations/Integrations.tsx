/** Where alerts come from: is anything arriving, is anything refused. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plug, Plus, SearchX } from 'lucide-react'
import { sourcesQuery } from '../../api/integrations.ts'
import { integrationsQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { Integration } from '../../api/shapes.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Rows, rowClass } from '../../parts/Rows.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { TeamFilter } from '../../parts/TeamFilter.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { useKeys } from '../../shell/keys.ts'
import classes from './Integrations.module.css'
import { integrationLook, integrationsAnswer } from './state.tsx'

export function Integrations() {
  const navigate = useNavigate()
  const mayWrite = useMay('write')
  const asked = useQuery(integrationsQuery)
  const { data } = asked
  useKeys(mayWrite ? { c: () => void navigate({ to: '/integrations/new' }) } : {})
  const create = mayWrite && (
    <Button component={Link} to="/integrations/new" leftSection={<Plus size={16} aria-hidden />}>
      New integration
    </Button>
  )
  return (
    <>
      <PageHead
        title="Integrations"
        answer={data ? integrationsAnswer(data.items) : 'Integrations'}
        actions={data && data.items.length > 0 && create}
      />
      {data ? (
        data.items.length === 0 ? (
          <Empty icon={Plug} title="Let your tools tell us what is wrong" action={create}>
            Prometheus, Grafana, Datadog, Sentry and 22 more send their alerts to an address of their own; each condition becomes one
            incident, and its recovery resolves it.
            {!mayWrite && ' An editor of the workspace can make one.'}
          </Empty>
        ) : (
          <List items={data.items} />
        )
      ) : (
        <Awaiting of={asked} rows={6} height={48} />
      )}
    </>
  )
}

function List({ items }: { items: Integration[] }) {
  const { data: sources } = useQuery(sourcesQuery)
  const navigate = useNavigate({ from: '/integrations' })
  const { team_id } = useSearch({ from: '/inside/integrations' })
  const shown = items.filter((one) => team_id === undefined || one.team_id === team_id)
  const narrow = (chosen: string | undefined): void => void navigate({ search: chosen ? { team_id: chosen } : {} })
  const nameOf = (type: string): string => sources?.items.find(({ source_type }) => source_type === type)?.name ?? type
  const filter = <TeamFilter className={classes.team} team_id={team_id} change={narrow} />
  if (shown.length === 0)
    return (
      <>
        {filter}
        <Empty
          icon={SearchX}
          title="No integration fits"
          action={
            <Button variant="default" onClick={() => narrow(undefined)}>
              Show all {items.length}
            </Button>
          }
        />
      </>
    )
  return (
    <>
      {filter}
      <div className={classes.head} aria-hidden>
        <span>Integration</span>
        <span>State</span>
        <span>Last delivery</span>
        <span className={classes.number}>Accepted 24 h</span>
        <span className={classes.number}>Refused 24 h</span>
      </div>
      <Rows label="Integrations" items={shown} idOf={({ id }) => id} height={52} narrowHeight={84}>
        {(integration) => (
          <Link to="/integrations/$id" params={{ id: integration.id }} className={`${rowClass} ${classes.row}`}>
            <span className={classes.name}>
              <b>{integration.name}</b>
              <span className={classes.below}>
                <small>{nameOf(integration.source_type)}</small>
                <TeamMark team_id={integration.team_id} />
              </span>
            </span>
            <span className={classes.state}>
              <Status look={integrationLook(integration)} />
            </span>
            <span className={classes.last}>{integration.last_event_at ? <Since at={integration.last_event_at} /> : 'never'}</span>
            <Count count={integration.event_count_24h} word="accepted" />
            <Count count={integration.error_count_24h} word="refused" bad />
          </Link>
        )}
      </Rows>
    </>
  )
}

function Count({ count, word, bad = false }: { count: number | null; word: string; bad?: boolean }) {
  return (
    <span
      className={classes.number}
      data-bad={(bad && (count ?? 0) > 0) || undefined}
      title={count === null ? 'Not known just now' : undefined}
    >
      {count === null ? '–' : count.toLocaleString('en')} <span className={classes.word}>{word}</span>
    </span>
  )
}
