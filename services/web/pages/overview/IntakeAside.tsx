/** Whether alerts come in: what was accepted in the last hour, and what was refused and why. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban, CircleCheck, Inbox } from 'lucide-react'
import { integrationsQuery } from '../../api/lists.ts'
import { usageQuery } from '../../api/workspace.ts'
import { figure } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { overviewText } from '../../texts/overview.ts'
import classes from './Overview.module.css'

export function IntakeAside() {
  const { data: usage } = useQuery(usageQuery)
  const { data: integrations } = useQuery(integrationsQuery)
  if (!usage || !integrations || integrations.total === 0) return null
  const { ingest } = usage
  const refusing = integrations.items.filter(({ error_count_24h }) => (error_count_24h ?? 0) > 0)
  return (
    <Section
      title={overviewText('intake.title')}
      aside={<Link to="/integrations">{overviewText('overview.all', { count: integrations.total })}</Link>}
    >
      <ul className={classes.lines}>
        <li>
          <Link to="/settings/usage">
            {ingest.limited_since ? (
              <>
                <Status look={{ tone: 'bad', icon: Ban, word: overviewText('intake.over') }} />
                <span className={classes.when}>
                  {overviewText('intake.since')} <Since at={ingest.limited_since} />
                </span>
              </>
            ) : (
              <>
                <Status look={{ tone: 'good', icon: CircleCheck, word: overviewText('intake.good') }} />
                <span className={classes.when}>{overviewText('intake.hour', { count: figure(ingest.accepted_1h) })}</span>
              </>
            )}
          </Link>
        </li>
        {refusing.map(({ id, name, error_count_24h }) => (
          <li key={id}>
            <Link to="/integrations/$id" params={{ id }}>
              <Status look={{ tone: 'warn', icon: Inbox, word: name }} />
              <span className={classes.when}>{overviewText('intake.refused', { count: figure(error_count_24h ?? 0) })}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
