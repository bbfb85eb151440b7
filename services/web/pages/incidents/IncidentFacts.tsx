/** What is known about an incident: where it comes from, how it is told from others, when. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { heartbeatQuery, monitorQuery } from '../../api/lists.ts'
import { useNames } from '../../api/names.ts'
import type { Incident } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Page.tsx'
import { dayTime, durationInWords, exact } from '../../parts/Since.tsx'
import classes from './IncidentFacts.module.css'
import { SourceName } from './IncidentRow.tsx'

const At = ({ at }: { at: string }) => (
  <time dateTime={at} title={exact(at)}>
    {dayTime(at)}
  </time>
)

export function IncidentFacts({ incident }: { incident: Incident }) {
  const nameOf = useNames()
  const {
    dedup_key,
    affected_regions,
    labels,
    links,
    priority,
    started_at,
    detected_at,
    opened_at,
    assignee_id,
    resolution,
    reopened_from
  } = incident
  const { time_to_ack_seconds, time_to_resolve_seconds } = incident
  return (
    <Facts
      facts={[
        ['Source', <Source key="source" incident={incident} />],
        assignee_id === null ? null : ['Assigned to', nameOf(`user:${assignee_id}`)],
        priority === null ? null : ['Priority', priority],
        affected_regions.length === 0 ? null : ['Affected regions', affected_regions.join(', ')],
        ['Began', <At key="began" at={started_at} />],
        ['Detected', <At key="detected" at={detected_at} />],
        ['Opened', <At key="opened" at={opened_at} />],
        time_to_ack_seconds === null ? null : ['Acknowledged after', durationInWords(time_to_ack_seconds)],
        time_to_resolve_seconds === null ? null : ['Resolved after', durationInWords(time_to_resolve_seconds)],
        resolution === null ? null : ['Ended by', endings[resolution.reason] ?? resolution.reason],
        reopened_from === null
          ? null
          : [
              'Opened again after',
              <Link key="before" to="/incidents/$id" params={{ id: reopened_from }}>
                the one before
              </Link>
            ],
        Object.keys(labels).length === 0 ? null : ['Labels', <Labels key="labels" labels={labels} />],
        links.length === 0 ? null : ['Links', <Links key="links" links={links} />],
        ['Dedup key', <Copyable key="dedup" text={dedup_key} what="the dedup key" />]
      ]}
    />
  )
}

const endings: Readonly<Record<string, string>> = {
  recovered: 'its recovery',
  user: 'a person',
  api: 'the API',
  closed: 'closing it by hand',
  monitor_deleted: 'deleting what it watched',
  auto_timeout: 'the integration’s time limit'
}

/** Where it comes from, as a link to it. */
function Source({ incident }: { incident: Incident }) {
  const { monitor_id, heartbeat_id, source } = incident
  const monitor = useQuery({ ...monitorQuery(monitor_id ?? ''), enabled: monitor_id !== null })
  const heartbeat = useQuery({ ...heartbeatQuery(heartbeat_id ?? ''), enabled: heartbeat_id !== null })
  if (monitor_id !== null) {
    return (
      <Link to="/monitors/$id" params={{ id: monitor_id }}>
        {monitor.data?.name ?? 'Monitor'}
      </Link>
    )
  }
  if (heartbeat_id !== null) {
    return (
      <Link to="/heartbeats/$id" params={{ id: heartbeat_id }}>
        {heartbeat.data?.name ?? 'Heartbeat'}
      </Link>
    )
  }
  if (source.integration_id === null) return <SourceName incident={incident} />
  return (
    <Link to="/integrations/$id" params={{ id: source.integration_id }}>
      <SourceName incident={incident} />
    </Link>
  )
}

export function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  return (
    <ul className={classes.labels}>
      {Object.entries(labels).map(([name, value]) => (
        <li key={name}>
          <span>{name}</span> {value}
        </li>
      ))}
    </ul>
  )
}

/** Only addresses of the web are links: what a sender wrote may be anything. */
export function Links({ links }: { links: Incident['links'] }) {
  return (
    <ul className={classes.links}>
      {links.map(({ title, url }) => (
        <li key={`${title} ${url}`}>
          {/^https?:\/\//i.test(url) ? (
            <a href={url} target="_blank" rel="noreferrer">
              {title || url}
            </a>
          ) : (
            <span>{url}</span>
          )}
        </li>
      ))}
    </ul>
  )
}
