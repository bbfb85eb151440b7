/**
 * The alerts that came while it was open, and those since a person ended it, newest first: what
 * each said and what it did.
 */
import { Button, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { alertsQuery } from '../../api/incidents.ts'
import type { Incident, IncidentAlert } from '../../api/shapes.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { clockTime, exact, Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { Status, severityLook } from '../../parts/Status.tsx'
import { text } from '../../texts/catalogue.ts'
import classes from './Alerts.module.css'
import { Labels, Links } from './IncidentFacts.tsx'

export function Alerts({ incident }: { incident: Incident }) {
  const asked = useInfiniteQuery(alertsQuery(incident.id))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const alerts = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Section
      title="Alerts"
      aside={
        data && (
          <span>
            {alerts.length}
            {hasNextPage ? ' and more' : ''}, newest first
          </span>
        )
      }
    >
      {!data ? (
        <Awaiting of={asked} rows={2} />
      ) : alerts.length === 0 ? (
        <p className={classes.none}>
          None is kept yet: what has just come takes some seconds, and what is old goes with the plan’s retention.
        </p>
      ) : (
        <ul className={classes.alerts}>
          {alerts.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older alerts
        </Button>
      )}
    </Section>
  )
}

const said: Readonly<Record<IncidentAlert['action'], string>> = {
  fire: 'Fired',
  resolve: 'Recovered',
  note: 'Note',
  update: 'Update',
  unknown: 'Unknown'
}

const did: Readonly<Record<string, string>> = {
  opened: 'opened the incident',
  reopened: 'opened it again',
  severity_changed: 'raised the severity',
  updated: 'changed title or summary',
  recovered: 'resolved the incident',
  comment: 'left a comment'
}

const changedNothing: Readonly<Record<NonNullable<IncidentAlert['accepted_as']>, () => string>> = {
  repeat: () => text('incidents', 'alert.repeat'),
  older: () => text('incidents', 'alert.older'),
  suppressed: () => text('incidents', 'alert.suppressed'),
  applied: () => text('incidents', 'alert.applied')
}

function effectOf({ caused, accepted_as }: IncidentAlert): string {
  if (caused !== null) return did[caused.type] ?? caused.type.replaceAll('_', ' ')
  return accepted_as === null ? text('incidents', 'alert.unknown') : changedNothing[accepted_as]()
}

function AlertRow({ alert }: { alert: IncidentAlert }) {
  const [opened, setOpened] = useState(false)
  return (
    <li>
      <UnstyledButton className={classes.row} aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <ChevronRight className={classes.chevron} size={15} aria-hidden />
        <span className={classes.said}>
          <b>{said[alert.action]}</b> <span className={classes.effect}>· {effectOf(alert)}</span>
        </span>
        <span className={classes.when}>
          <Since at={alert.at} />
        </span>
      </UnstyledButton>
      {opened && (
        <div className={classes.detail}>
          <Facts
            facts={[
              ['Title', alert.title],
              ['Severity', <Status key="severity" look={severityLook(alert.severity)} />],
              alert.source_severity === null ? null : ['The sender’s severity', alert.source_severity],
              alert.source_dedup_key === null ? null : ['The sender’s key', <code key="key">{alert.source_dedup_key}</code>],
              ['Received', exact(alert.at)],
              ['By the source’s clock', clockTime(alert.occurred_at)],
              Object.keys(alert.labels).length > 0 ? ['Labels', <Labels key="labels" labels={alert.labels} />] : null,
              alert.links.length > 0 ? ['Links', <Links key="links" links={alert.links} />] : null
            ]}
          />
        </div>
      )}
    </li>
  )
}
