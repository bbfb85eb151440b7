/** Maintenance and deployments around the time when the incident began. */
import { Link } from '@tanstack/react-router'
import { Rocket, Wrench } from 'lucide-react'
import type { IncidentInFull } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { dayTime } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { maintenanceText } from '../../texts/maintenance.ts'
import classes from '../settings/List.module.css'

const looks = {
  deployment: { tone: 'info', icon: Rocket, word: maintenanceText('changes.deployment') },
  planned: { tone: 'info', icon: Wrench, word: maintenanceText('changes.maintenance') }
} as const

export function Changes({ incident: { changes } }: { incident: IncidentInFull }) {
  if (changes.length === 0) return null
  return (
    <Section title={maintenanceText('changes.title')}>
      <ul className={classes.list} aria-label={maintenanceText('changes.title')}>
        {changes.map(({ id, origin, name, starts_at, ends_at, service, environment, deployed_version, run_url, outcome }) => (
          <li key={`${id} ${starts_at}`} className={classes.row}>
            <div>
              <p className={classes.name}>
                <Link to="/maintenance/$id" params={{ id }}>
                  {name}
                </Link>
              </p>
              <p className={classes.facts}>
                <Status look={looks[origin]} />
                <span>
                  {dayTime(starts_at)} – {dayTime(ends_at)}
                </span>
                <span>{[service, deployed_version, environment].filter(Boolean).join(' ')}</span>
                {outcome !== null && <span>{maintenanceText('deploy.outcome', { outcome: outcome.replaceAll('_', ' ') })}</span>}
                {run_url !== null && (
                  <a href={run_url} rel="noreferrer">
                    {maintenanceText('deploy.run')}
                  </a>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
