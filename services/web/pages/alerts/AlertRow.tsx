/** One alert in a list: severity, title, source, team, state, and a link to its incident. */
import { Link } from '@tanstack/react-router'
import { BellOff, Siren } from 'lucide-react'
import type { Alert } from '../../api/shapes.ts'
import { rowClass } from '../../parts/Rows.tsx'
import { durationInWords, exact, Since } from '../../parts/Since.tsx'
import { SourceName } from '../../parts/Source.tsx'
import { incidentLook, Status, severityLook } from '../../parts/Status.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { alertsText } from '../../texts/alerts.ts'
import classes from './AlertRow.module.css'

export interface AlertRowProps {
  alert: Alert
  /** True on the page of the incident itself, where the link to it is left out. */
  within?: boolean
}

export function AlertRow({ alert, within = false }: AlertRowProps) {
  const { id, title, severity, team_id, visibility, incident_id, suppressed_by, started_at, resolved_at } = alert
  const leads = !within && incident_id !== null
  return (
    <>
      <Link
        to="/alerts/$id"
        params={{ id }}
        className={`${rowClass} ${classes.row}`}
        data-leads={leads || undefined}
        data-within={within || undefined}
      >
        <span className={classes.severity}>
          <Status look={severityLook(severity)} />
        </span>
        <span className={classes.title}>{title}</span>
        {!within && (
          <span className={classes.whence}>
            <span className={classes.source}>
              <SourceName of={alert} />
            </span>
            <TeamMark team_id={team_id} visibility={visibility} />
          </span>
        )}
        <span className={classes.state}>
          <Status look={incidentLook(alert)} />
          {suppressed_by !== null && (
            <span className={classes.quiet} title={alertsText('filter.quiet')}>
              <BellOff size={14} aria-label={alertsText('filter.quiet')} />
            </span>
          )}
        </span>
        <span className={classes.time}>
          {resolved_at === null ? (
            <Since at={started_at} as="for" />
          ) : (
            <time dateTime={resolved_at} title={alertsText('row.resolved_at', { time: exact(resolved_at) })}>
              {alertsText('row.took', { time: durationInWords((Date.parse(resolved_at) - Date.parse(started_at)) / 1000) })}
            </time>
          )}
        </span>
        {!within && <span className={classes.place}>{incident_id === null && alertsText('row.no_incident')}</span>}
      </Link>
      {leads && (
        <Link
          to="/incidents/$id"
          params={{ id: incident_id }}
          className={classes.incident}
          aria-label={alertsText('row.incident_of', { title })}
        >
          <Siren size={14} aria-hidden />
          <span>{alertsText('row.incident')}</span>
        </Link>
      )}
    </>
  )
}
