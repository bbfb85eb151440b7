/** What uses a policy, each with a link. */
import { Link } from '@tanstack/react-router'
import type { PolicyDetail } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { policiesText } from '../../texts/policies.ts'
import classes from './Policies.module.css'

const MAX_USES = 100

type Use = PolicyDetail['used_by'][number]

const places: Readonly<Record<Use['kind'], (use: Use) => string>> = {
  workspace: () => '/settings',
  team: ({ id }) => `/settings/teams/${id}`,
  integration: ({ id }) => `/integrations/${id}`,
  monitor: ({ id }) => `/monitors/${id}`,
  heartbeat: ({ id }) => `/heartbeats/${id}`,
  incident: ({ name }) => `/incidents/${name}`,
  routing_rule: ({ id }) => `/settings/routing/${id}`
}

export function UsedBy({ used_by }: Pick<PolicyDetail, 'used_by'>) {
  return (
    <Section title={policiesText('used.title')}>
      {used_by.length === 0 ? (
        <p className={classes.quiet}>
          {policiesText('used.none')} <Link to="/settings">{policiesText('used.to_workspace')}</Link>
        </p>
      ) : (
        <UseList used_by={used_by} />
      )}
    </Section>
  )
}

export function UseList({ used_by }: Pick<PolicyDetail, 'used_by'>) {
  return (
    <>
      <ul className={classes.used} aria-label={policiesText('used.title')}>
        {used_by.map((use) => (
          <li key={`${use.kind} ${use.id}`}>
            <span>{policiesText(`used.${use.kind}`)}</span>
            <Link to={places[use.kind](use)}>{use.name}</Link>
          </li>
        ))}
      </ul>
      {used_by.length === MAX_USES && <p className={classes.quiet}>{policiesText('used.more', { count: MAX_USES })}</p>}
    </>
  )
}
