/** Whether alerts come in: what was accepted in the last hour, and what was refused and why. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban, CircleCheck, Inbox } from 'lucide-react'
import { integrationsQuery } from '../../api/lists.ts'
import { usageQuery } from '../../api/workspace.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import classes from './Overview.module.css'

const figure = new Intl.NumberFormat('en')

export function IntakeAside() {
  const { data: usage } = useQuery(usageQuery)
  const { data: integrations } = useQuery(integrationsQuery)
  if (!usage || !integrations || integrations.total === 0) return null
  const { ingest } = usage
  const refusing = integrations.items.filter(({ error_count_24h }) => (error_count_24h ?? 0) > 0)
  return (
    <Section title="Alerts from other tools" aside={<Link to="/integrations">All {integrations.total}</Link>}>
      <ul className={classes.lines}>
        <li>
          <Link to="/settings/usage">
            {ingest.limited_since ? (
              <>
                <Status look={{ tone: 'bad', icon: Ban, word: 'Over the limit' }} />
                <span className={classes.when}>
                  since <Since at={ingest.limited_since} />
                </span>
              </>
            ) : (
              <>
                <Status look={{ tone: 'good', icon: CircleCheck, word: 'Accepting' }} />
                <span className={classes.when}>{figure.format(ingest.accepted_1h)} in the last hour</span>
              </>
            )}
          </Link>
        </li>
        {refusing.map(({ id, name, error_count_24h }) => (
          <li key={id}>
            <Link to="/integrations/$id" params={{ id }}>
              <Status look={{ tone: 'warn', icon: Inbox, word: name }} />
              <span className={classes.when}>{figure.format(error_count_24h ?? 0)} refused in 24 h</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
