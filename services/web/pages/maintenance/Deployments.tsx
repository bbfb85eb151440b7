/** The windows that deployments opened: what was deployed, by which run, and how it ended. */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { cancelDeployment, deploymentsQuery, WINDOWS_PER_PAGE } from '../../api/maintenance.ts'
import type { DeploymentWindow } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import { maintenanceText } from '../../texts/maintenance.ts'
import classes from '../settings/List.module.css'
import { When } from './Maintenance.tsx'
import { scopeInWords, windowLooks } from './window-words.ts'

const GUIDE = '/docs/guides/deployments'

export function Deployments({ may }: { may: boolean }) {
  const { page = 1 } = useSearch({ from: '/inside/maintenance' })
  const navigate = useNavigate({ from: '/maintenance' })
  const asked = useQuery(deploymentsQuery(page))
  const { data: list } = asked
  if (!list) return <Awaiting of={asked} rows={3} height={72} />
  if (list.items.length === 0)
    return (
      <Empty
        icon={Rocket}
        title={maintenanceText('deploy.empty')}
        action={
          <Button variant="default" component="a" href={GUIDE}>
            {maintenanceText('deploy.guide')}
          </Button>
        }
      >
        {maintenanceText('deploy.empty_hint')}
      </Empty>
    )
  return (
    <>
      <ul className={classes.list} aria-label={maintenanceText('deploy.title')}>
        {list.items.map((deployment) => (
          <Row key={deployment.id} deployment={deployment} may={may} />
        ))}
      </ul>
      <Pager
        page={page}
        perPage={WINDOWS_PER_PAGE}
        total={list.total}
        go={(to) => void navigate({ search: { view: 'deployments', ...(to !== undefined && { page: to }) } })}
      />
    </>
  )
}

/** `payments 1.4.2 in production`. */
export const deployedInWords = ({ service, deployed_version, environment }: DeploymentWindow): string =>
  [service, deployed_version, environment && maintenanceText('deploy.in', { environment })].filter(Boolean).join(' ')

function Row({ deployment, may }: { deployment: DeploymentWindow; may: boolean }) {
  const { id, name, state, scope, effect, outcome, note, run_url, git } = deployment
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          <Link to="/maintenance/$id" params={{ id }}>
            {name}
          </Link>
        </p>
        <p className={classes.facts}>
          <Status look={windowLooks[state]} />
          <When window={deployment} />
          {outcome !== null && <span>{maintenanceText('deploy.outcome', { outcome: outcome.replaceAll('_', ' ') })}</span>}
          {outcome === null && state === 'ended' && <span>{maintenanceText('deploy.expired')}</span>}
          <span>{deployedInWords(deployment)}</span>
        </p>
        <p className={classes.facts}>
          <span>{maintenanceText('row.covers', { scope: scopeInWords(scope) })}</span>
          <span>{maintenanceText(`effect.${effect}`)}</span>
          {git.sha !== null && <code>{git.sha.slice(0, 12)}</code>}
          {run_url !== null && (
            <a href={run_url} rel="noreferrer">
              {maintenanceText('deploy.run')}
            </a>
          )}
          {note !== null && <span>{note}</span>}
        </p>
      </div>
      {may && state === 'active' && (
        <div className={classes.actions}>
          <Cancel id={id} name={name} />
        </div>
      )}
    </li>
  )
}

function Cancel({ id, name }: { id: string; name: string }) {
  const queries = useQueryClient()
  return (
    <Confirm
      label={maintenanceText('deploy.cancel')}
      aria-label={maintenanceText('deploy.cancel_one', { name })}
      question={maintenanceText('deploy.cancel_question')}
      verb={maintenanceText('deploy.cancel_verb')}
      act={async () => {
        await cancelDeployment(id).finally(() => void queries.invalidateQueries({ queryKey: ['maintenance'] }))
        tellDone(maintenanceText('deploy.cancelled'))
      }}
    >
      {maintenanceText('deploy.cancel_hint')}
    </Confirm>
  )
}
