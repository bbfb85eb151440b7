import { Link } from '@tanstack/react-router'
import type { Incident } from '../../api/shapes.ts'
import { Since } from '../../parts/Since.tsx'
import { incidentLook, Status, severityLook } from '../../parts/Status.tsx'
import classes from './Overview.module.css'

export function IncidentRow({ incident }: { incident: Incident }) {
  const { key, title, severity, started_at, acknowledged_at } = incident
  return (
    <li className={classes.incident}>
      <Link to="/incidents/$id" params={{ id: key }}>
        <span className={classes.severity}>
          <Status look={severityLook(severity)} />
        </span>
        <span className={classes.name}>
          <b>{title}</b>
        </span>
        <span className={classes.key}>{key}</span>
        {acknowledged_at !== null && <Status look={incidentLook(incident)} />}
        <span className={classes.when}>
          <Since at={started_at} />
        </span>
      </Link>
    </li>
  )
}
