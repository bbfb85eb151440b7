import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Monitor } from '../../api/shapes.ts'
import { msInWords, percentInWords } from '../../parts/figures.ts'
import { rowClass } from '../../parts/Rows.tsx'
import { Since } from '../../parts/Since.tsx'
import { monitorLook, Status } from '../../parts/Status.tsx'
import { StripAndSpark } from '../../parts/Strip.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { hostOf } from './host-of.ts'
import classes from './Monitors.module.css'

interface MonitorRowProps {
  monitor: Monitor
  /** Whether a checkbox that selects the row stands before it. */
  may: boolean
  selected: boolean
}

/** Renders again only when its own monitor changes, because there may be a thousand rows. */
export const MonitorRow = memo(function MonitorRow({ monitor, may, selected }: MonitorRowProps) {
  const { id, name, target, status, team_id, tags, uptime, last_response_time_ms, last_checked_at, last_failure } = monitor
  const why = status === 'down' ? (last_failure?.message ?? '') : ''
  return (
    <Link
      to="/monitors/$id"
      params={{ id }}
      className={`${rowClass} ${classes.row}`}
      data-may={may || undefined}
      data-selected={selected || undefined}
    >
      <span className={classes.state}>
        <Status look={monitorLook(monitor)} />
      </span>
      <span className={classes.name}>
        <b>{name}</b>
        <span className={classes.below}>
          <TeamMark team_id={team_id} />
          <span className={classes.host}>{why === '' ? hostOf(target) : why}</span>
        </span>
      </span>
      <span className={classes.tags}>
        {tags.map((tag) => (
          <span key={tag}>{tag}</span>
        ))}
      </span>
      <StripAndSpark id={id} strip={classes.strip} spark={classes.spark} />
      <span className={classes.uptime}>{uptime.d30 === null ? '–' : percentInWords(uptime.d30)}</span>
      <span className={classes.time}>{status === 'paused' || last_response_time_ms === null ? '–' : msInWords(last_response_time_ms)}</span>
      <span className={classes.when}>{last_checked_at ? <Since at={last_checked_at} /> : '–'}</span>
    </Link>
  )
})
