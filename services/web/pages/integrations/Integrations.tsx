/**
 * The list of integrations, the sources of alerts: whether anything arrives, and whether anything
 * is refused.
 */
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plug, Plus, Search, SearchX, Siren } from 'lucide-react'
import { useToolName } from '../../api/integrations.ts'
import { integrationsQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { Integration } from '../../api/shapes.ts'
import { HERE_MS, useTyped } from '../../forms/useTyped.ts'
import { figure } from '../../parts/clock.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Rows, rowClass } from '../../parts/Rows.tsx'
import { Since } from '../../parts/Since.tsx'
import { SourceMark } from '../../parts/SourceMark.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { TeamFilter } from '../../parts/TeamFilter.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { useKeys } from '../../shell/keys.ts'
import { integrationsText } from '../../texts/integrations.ts'
import classes from './Integrations.module.css'
import { type IntegrationsSearch, integrationsSearch } from './search.ts'
import { integrationLook, integrationsAnswer } from './state.tsx'

export function Integrations() {
  const navigate = useNavigate()
  const mayWrite = useMay('write')
  const asked = useQuery(integrationsQuery)
  const { data } = asked
  useKeys(mayWrite ? { c: () => void navigate({ to: '/integrations/new' }) } : {})
  const create = mayWrite && (
    <Button component={Link} to="/integrations/new" leftSection={<Plus size={16} aria-hidden />}>
      {integrationsText('page.new')}
    </Button>
  )
  return (
    <>
      <PageHead
        title={integrationsText('page.title')}
        answer={data ? integrationsAnswer(data.items) : integrationsText('page.title')}
        actions={data && data.items.length > 0 && create}
      />
      {data ? (
        data.items.length === 0 ? (
          <Empty icon={Plug} title={integrationsText('empty.title')} action={create}>
            {integrationsText('empty.hint')}
            {!mayWrite && ` ${integrationsText('empty.editor')}`}
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
  const navigate = useNavigate({ from: '/integrations' })
  const search = useSearch({ from: '/inside/integrations' })
  const { team_id, q = '' } = search
  const change = (next: IntegrationsSearch, replace = false): void =>
    void navigate({ search: integrationsSearch({ ...search, ...next }), replace, resetScroll: false })
  const { typed, type } = useTyped(q, (text) => change({ q: text }, true), HERE_MS)
  const nameOf = useToolName()
  const part = q.toLowerCase()
  const shown = items.filter(
    (one) => (team_id === undefined || one.team_id === team_id) && `${one.name} ${nameOf(one.source_type)}`.toLowerCase().includes(part)
  )
  const filter = (
    <search className={classes.filters}>
      <TextInput
        type="search"
        className={classes.find}
        aria-label={integrationsText('list.find')}
        placeholder={integrationsText('list.find')}
        leftSection={<Search size={15} aria-hidden />}
        value={typed}
        maxLength={100}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <TeamFilter className={classes.team} team_id={team_id} change={(chosen) => change({ team_id: chosen })} />
    </search>
  )
  if (shown.length === 0)
    return (
      <>
        {filter}
        <Empty
          icon={SearchX}
          title={integrationsText('list.none')}
          action={
            <Button variant="default" onClick={() => void navigate({ search: {} })}>
              {integrationsText('list.all', { count: items.length })}
            </Button>
          }
        />
      </>
    )
  return (
    <>
      {filter}
      <div className={classes.head} aria-hidden>
        <span>{integrationsText('column.integration')}</span>
        <span>{integrationsText('column.state')}</span>
        <span>{integrationsText('column.last')}</span>
        <span className={classes.number}>{integrationsText('column.accepted')}</span>
        <span className={classes.number}>{integrationsText('column.rejected')}</span>
      </div>
      <Rows label={integrationsText('page.title')} items={shown} idOf={({ id }) => id} height={52} narrowHeight={84}>
        {(integration) => <Row integration={integration} tool={nameOf(integration.source_type)} />}
      </Rows>
    </>
  )
}

/** A link to the integration, and beside it a link to the incidents it opened. */
function Row({ integration, tool }: { integration: Integration; tool: string }) {
  const { id, name, source_type, team_id, last_event_at, event_count_24h, error_count_24h } = integration
  const label = integrationsText('list.incidents', { name })
  return (
    <div className={classes.wrap}>
      <Link to="/integrations/$id" params={{ id }} className={`${rowClass} ${classes.row}`}>
        <span className={classes.who}>
          <SourceMark type={source_type} />
          <span className={classes.name}>
            <b>{name}</b>
            <span className={classes.below}>
              <small>{tool}</small>
              <TeamMark team_id={team_id} />
            </span>
          </span>
        </span>
        <span className={classes.state}>
          <Status look={integrationLook(integration)} />
        </span>
        <span className={classes.last}>{last_event_at ? <Since at={last_event_at} /> : integrationsText('row.never')}</span>
        <Count count={event_count_24h} word={integrationsText('row.accepted')} />
        <Count count={error_count_24h} word={integrationsText('row.rejected')} bad />
      </Link>
      <Link to="/incidents" search={{ status: 'all', integration_id: id }} className={classes.incidents} aria-label={label} title={label}>
        <Siren size={16} aria-hidden />
      </Link>
    </div>
  )
}

function Count({ count, word, bad = false }: { count: number | null; word: string; bad?: boolean }) {
  return (
    <span
      className={classes.number}
      data-bad={(bad && (count ?? 0) > 0) || undefined}
      title={count === null ? integrationsText('row.unknown') : undefined}
    >
      {count === null ? '–' : figure(count)} <span className={classes.word}>{word}</span>
    </span>
  )
}
