/** What other tools reported in the last hour, newest first: it may explain what is wrong. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { arrivedQuery } from '../../api/alerts.ts'
import { Section } from '../../parts/Page.tsx'
import { Since, useNow } from '../../parts/Since.tsx'
import { SourceName } from '../../parts/Source.tsx'
import { Status, severityLook } from '../../parts/Status.tsx'
import { overviewText } from '../../texts/overview.ts'
import classes from './Overview.module.css'

const SHOWN = 6
const HOUR_MS = 3_600_000
/** The hour moves on in steps of this many seconds, so that the same query is used for a while. */
const STEP_SECONDS = 300

export function useLastHour() {
  const now = useNow(STEP_SECONDS)
  return useQuery(arrivedQuery(new Date(now - HOUR_MS).toISOString(), SHOWN + 1))
}

export function LastHour() {
  const { data } = useLastHour()
  if (!data) return null
  const shown = data.items.slice(0, SHOWN)
  return (
    <Section title={overviewText('hour.title')} aside={data.items.length > SHOWN && <Link to="/alerts">{overviewText('hour.all')}</Link>}>
      {shown.length === 0 ? (
        <p className={classes.quiet}>{overviewText('hour.none')}</p>
      ) : (
        <ul className={classes.lines} aria-label={overviewText('hour.title')}>
          {shown.map((alert) => (
            <li key={alert.id}>
              <Link to="/alerts/$id" params={{ id: alert.id }}>
                <span className={classes.severity}>
                  <Status look={severityLook(alert.severity)} />
                </span>
                <span className={classes.name}>{alert.title}</span>
                <span className={classes.from}>
                  <SourceName of={alert} />
                </span>
                <span className={classes.when}>
                  <Since at={alert.started_at} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
