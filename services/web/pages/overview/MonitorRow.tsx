import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Monitor } from '../../api/shapes.ts'
import { rowClass } from '../../parts/Rows.tsx'
import { Since } from '../../parts/Since.tsx'
import { monitorLook, Status } from '../../parts/Status.tsx'
import classes from './Overview.module.css'

/** What the last failure said, while it counts. */
const why = ({ status, last_failure }: Monitor): string =>
  status === 'down' && last_failure ? (last_failure.message ?? last_failure.reason ?? '') : ''

/** Drawn again when its monitor changes, and only then: there may be a thousand. */
export const MonitorRow = memo(function MonitorRow({ monitor }: { monitor: Monitor }) {
  const { id, name, last_response_time_ms, last_checked_at, status } = monitor
  return (
    <Link to="/monitors/$id" params={{ id }} className={rowClass}>
      <span className={classes.state}>
        <Status look={monitorLook(monitor)} />
      </span>
      <span className={classes.name}>
        <b>{name}</b>
        <span className={classes.why}>{why(monitor)}</span>
      </span>
      <span className={classes.figure}>
        {status === 'up' && last_response_time_ms !== null ? `${Math.round(last_response_time_ms)} ms` : ''}
      </span>
      <span className={classes.when}>{last_checked_at && <Since at={last_checked_at} />}</span>
    </Link>
  )
})
