/**
 * The filters of the list: state first, then severity, source, team, and whether an incident came
 * of it.
 */
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { integrationsQuery } from '../../api/lists.ts'
import classes from '../../parts/Filters.module.css'
import { Status, severityLook } from '../../parts/Status.tsx'
import { TeamFilter } from '../../parts/TeamFilter.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { Words } from '../../parts/Words.tsx'
import { wordOf, wordsOf } from '../../search.ts'
import { alertsText } from '../../texts/alerts.ts'
import { severities } from '../incidents/search.ts'
import own from './Alerts.module.css'
import { type AlertsSearch, type ShownState, sourceKinds } from './search.ts'

export interface FiltersProps {
  search: AlertsSearch
  change: (next: AlertsSearch, replace?: boolean) => void
}

export function Filters({ search, change }: FiltersProps) {
  return (
    <div className={classes.filters}>
      <nav className={classes.states} aria-label={alertsText('state.label')}>
        <State search={search} name={alertsText('state.ongoing')} />
        <State search={search} status="resolved" name={alertsText('state.resolved')} />
        <State search={search} status="all" name={alertsText('state.all')} />
      </nav>
      <div className={classes.others}>
        <div className={classes.found}>
          <Words q={search.q ?? ''} onTyped={(q) => change({ q: q === '' ? undefined : q }, true)} />
        </div>
        <Toggles
          label={alertsText('filter.severity')}
          toggles={severities.map((severity) => ({ word: severity, label: <Status look={severityLook(severity)} /> }))}
          pressed={search.severity ?? []}
          onChange={(pressed) => change({ severity: pressed.length > 0 ? wordsOf(pressed, severities) : undefined })}
        />
        <Source search={search} change={change} />
        <TeamFilter className={classes.choice} team_id={search.team_id} change={(team_id) => change({ team_id })} />
        <NativeSelect
          className={own.belongs}
          aria-label={alertsText('filter.incident')}
          data={[
            { value: '', label: alertsText('filter.any_incident') },
            { value: 'with', label: alertsText('filter.with') },
            { value: 'without', label: alertsText('filter.without') }
          ]}
          value={search.incident ?? ''}
          onChange={(event) => change({ incident: wordOf(event.currentTarget.value, ['with', 'without'] as const) })}
        />
        <Toggles
          label={alertsText('filter.quiet')}
          toggles={[{ word: 'yes', label: alertsText('filter.quiet') }]}
          pressed={search.quiet ? [search.quiet] : []}
          onChange={([quiet]) => change({ quiet })}
        />
      </div>
    </div>
  )
}

function State({ search, status, name }: { search: AlertsSearch; status?: ShownState; name: string }) {
  const { status: _status, ...others } = search
  return (
    <Link
      to="/alerts"
      search={status ? { ...others, status } : others}
      className={classes.state}
      aria-current={search.status === status ? 'page' : undefined}
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{}}
    >
      {name}
    </Link>
  )
}

/**
 * Chooses a kind of source or one integration. A source that the address names stays among the
 * choices, even when it is not in the list of integrations.
 */
function Source({ search: { source, integration_id, monitor_id, heartbeat_id }, change }: FiltersProps) {
  const { data } = useQuery(integrationsQuery)
  const integrations = data?.items ?? []
  const one = integration_id ?? monitor_id ?? heartbeat_id
  const odd =
    monitor_id !== undefined
      ? alertsText('filter.one_monitor')
      : heartbeat_id !== undefined
        ? alertsText('filter.one_heartbeat')
        : alertsText('filter.deleted')
  const known = one === undefined || integrations.some(({ id }) => id === one)
  const none = { source: undefined, integration_id: undefined, monitor_id: undefined, heartbeat_id: undefined }
  return (
    <NativeSelect
      className={own.source}
      aria-label={alertsText('filter.source')}
      value={one ?? source ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const kind = wordOf(value, sourceKinds)
        change({ ...none, ...(kind ? { source: kind } : value !== '' && { integration_id: value }) })
      }}
      data={[
        { value: '', label: alertsText('filter.any_source') },
        ...(known ? [] : [{ value: one, label: odd }]),
        {
          group: alertsText('filter.kinds'),
          items: [
            { value: 'monitor', label: alertsText('filter.monitors') },
            { value: 'heartbeat', label: alertsText('filter.heartbeats') },
            { value: 'inbound', label: alertsText('filter.inbound') }
          ]
        },
        ...(integrations.length > 0
          ? [{ group: alertsText('filter.integrations'), items: integrations.map(({ id, name }) => ({ value: id, label: name })) }]
          : [])
      ]}
    />
  )
}
