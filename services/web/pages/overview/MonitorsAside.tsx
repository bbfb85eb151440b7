/**
 * Monitors that are not simply up, the worst first, beside the incidents. If all are up, the first
 * of them are listed to show that they are watched.
 */
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Empty } from '../../parts/States.tsx'
import { monitorLook, Status } from '../../parts/Status.tsx'
import { overviewText } from '../../texts/overview.ts'
import { isTroubled, monitorsInWords, worstFirst } from './answer.ts'
import { Counts } from './Counts.tsx'
import classes from './Overview.module.css'

const SHOWN = 8
/** How many monitors that are up are listed. */
const SHOWN_UP = 4

export function MonitorsAside({ monitors }: { monitors: readonly Monitor[] }) {
  const mayWrite = useMay('write')
  if (monitors.length === 0) {
    return (
      <Section title={overviewText('monitors.title')}>
        <Empty
          icon={Activity}
          title={overviewText('monitors.none')}
          action={
            mayWrite && (
              <Button component={Link} to="/monitors/new" variant="default">
                {overviewText('monitors.first')}
              </Button>
            )
          }
        >
          {overviewText('monitors.none_hint')}
        </Empty>
      </Section>
    )
  }
  const sorted = worstFirst(monitors)
  const troubled = sorted.filter(isTroubled)
  const shown = troubled.length > 0 ? troubled.slice(0, SHOWN) : sorted.slice(0, SHOWN_UP)
  return (
    <Section
      title={overviewText('monitors.title')}
      aside={<Link to="/monitors">{overviewText('overview.all', { count: monitors.length })}</Link>}
    >
      {troubled.length === 0 ? (
        <p className={classes.quiet}>{monitorsInWords(monitors)}</p>
      ) : (
        <div className={classes.counts}>
          <Counts monitors={sorted} />
        </div>
      )}
      <ul className={classes.lines} aria-label={overviewText('monitors.title')}>
        {shown.map((monitor) => (
          <Line key={monitor.id} monitor={monitor} />
        ))}
      </ul>
      {troubled.length > shown.length && (
        <p className={classes.quiet}>{overviewText('monitors.more', { count: troubled.length - shown.length })}</p>
      )}
    </Section>
  )
}

function Line({ monitor }: { monitor: Monitor }) {
  const { id, name, status, last_status_change_at, last_failure } = monitor
  const why = status === 'down' && last_failure ? (last_failure.message ?? last_failure.reason ?? '') : ''
  return (
    <li>
      <Link to="/monitors/$id" params={{ id }} className={classes.twoLines} title={why || undefined}>
        <span className={classes.name}>{name}</span>
        <Status look={monitorLook(monitor)} />
        <span className={classes.when}>
          {isTroubled(monitor) && last_status_change_at && <Since at={last_status_change_at} as="for" />}
        </span>
      </Link>
    </li>
  )
}
