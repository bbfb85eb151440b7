/** An ongoing incident in a few words, and the button that acknowledges it. */
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { BellOff } from 'lucide-react'
import { useAcknowledge } from '../../api/incidents.ts'
import { useMay } from '../../api/session.ts'
import type { Incident } from '../../api/shapes.ts'
import { silencedUntil } from '../../api/silenced.ts'
import { endTime, exact, Since, useNow } from '../../parts/Since.tsx'
import { incidentLook, Status, severityLook } from '../../parts/Status.tsx'
import { overviewText } from '../../texts/overview.ts'
import classes from './Overview.module.css'

export function IncidentRow({ incident }: { incident: Incident }) {
  const { key, title, severity, started_at, acknowledged_at } = incident
  const may = useMay('act')
  const now = useNow(30)
  const until = silencedUntil(incident, now)
  const { mutate: acknowledge } = useAcknowledge()
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
        <span className={classes.when}>
          <Since at={started_at} />
        </span>
      </Link>
      {acknowledged_at !== null ? (
        <span className={classes.taken}>
          <Status look={incidentLook(incident)}>{overviewText('row.taken')}</Status>
        </span>
      ) : until !== null ? (
        <span className={`${classes.taken} ${classes.until}`} title={exact(until)}>
          <Status look={{ tone: 'off', icon: BellOff, word: overviewText('overview.silenced', { time: endTime(until, now) }) }} />
        </span>
      ) : (
        may && (
          <Button
            variant="default"
            size="compact-sm"
            className={classes.take}
            onClick={() => acknowledge({ incident })}
            aria-label={overviewText('row.acknowledge_one', { key })}
          >
            {overviewText('row.acknowledge')}
          </Button>
        )
      )}
    </li>
  )
}
