/**
 * Deliveries that integrations refused. No limit refused them, so the figures above do not include
 * them.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { integrationsQuery } from '../../api/lists.ts'
import { figure } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { limitsText } from '../../texts/limits.ts'
import classes from './AllLimits.module.css'

export function Refusals() {
  const { data } = useQuery(integrationsQuery)
  if (!data || data.total === 0) return null
  const refusing = data.items.flatMap(({ id, name, error_count_24h }) => (error_count_24h ? [{ id, name, count: error_count_24h }] : []))
  return (
    <Section title={limitsText('refused.title')}>
      {refusing.length === 0 ? (
        <p className={classes.words}>{limitsText('refused.none')}</p>
      ) : (
        <>
          <p className={classes.words}>{limitsText('refused.hint')}</p>
          <dl className={classes.list}>
            {refusing.map(({ id, name, count }) => (
              <div key={id}>
                <dt>
                  <Link to="/integrations/$id" params={{ id }}>
                    {name}
                  </Link>
                </dt>
                <dd>{count === 1 ? limitsText('refused.one') : limitsText('refused.some', { count: figure(count) })}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Section>
  )
}
