/** The third way: an alert from anything that can POST, and the incident that it opens. */
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client, take, toRefusal } from '../../api/client.ts'
import { createIntegration, mintedQuery, rotateToken } from '../../api/integrations.ts'
import { incidentQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { Incident, Integration } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { CopyBlock } from '../../parts/Copy.tsx'
import { incidentLook, Status } from '../../parts/Status.tsx'
import { tellRefused } from '../../parts/tell.ts'
import { welcomeText } from '../../texts/welcome.ts'
import { Arrival } from '../integrations/Arrival.tsx'
import { Rotate } from '../integrations/Rotate.tsx'
import { lookAgain } from './firstSteps.ts'
import { Step } from './Step.tsx'
import classes from './Welcome.module.css'

const GRACE_MINUTES = 60

export interface AlertProps {
  integration: Integration | null
  incident: Incident | null
  done: boolean
  mayWrite: boolean
}

export function Alert({ integration, incident, done, mayWrite }: AlertProps) {
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: () => createIntegration(queries, { name: welcomeText('alert.name'), source_type: 'generic' }),
    onSuccess: () => lookAgain(queries, 'integrations')
  })
  return (
    <Step number={3} title={welcomeText('alert.title')} done={done} what={welcomeText('alert.what')} next={welcomeText('alert.next')}>
      {integration ? (
        <>
          <Commands integration={integration} done={done} mayWrite={mayWrite} />
          <Arrival id={integration.id} />
          {incident && <Outcome incident={incident} />}
        </>
      ) : mayWrite ? (
        <>
          <Refused refusal={create.error ? toRefusal(create.error) : null} />
          <Button size="md" className={classes.button} loading={create.isPending} onClick={() => create.mutate()}>
            {welcomeText('alert.verb')}
          </Button>
        </>
      ) : (
        <p className={classes.quiet}>{welcomeText('step.editor')}</p>
      )}
    </Step>
  )
}

function Commands({ integration, done, mayWrite }: { integration: Integration; done: boolean; mayWrite: boolean }) {
  const { data: minted } = useQuery(mintedQuery(integration.id))
  if (minted)
    return (
      <>
        {minted.instructions.map(({ title, text }) => (
          <CopyBlock key={title} title={title} text={text} />
        ))}
        <p className={classes.quiet}>{welcomeText('alert.once')}</p>
      </>
    )
  if (done) return null
  if (integration.last_event_at === null && mayWrite) return <Again integration={integration} />
  return (
    <div className={classes.lost}>
      <p className={classes.quiet}>{welcomeText(mayWrite ? 'alert.lost' : 'alert.lost_editor', { name: integration.name })}</p>
      {mayWrite && <Rotate id={integration.id} />}
    </div>
  )
}

/**
 * Nothing has been sent with the current token, so one click shows the command with a new token.
 */
function Again({ integration: { id, name } }: { integration: Integration }) {
  const queries = useQueryClient()
  const rotate = useMutation({ mutationFn: () => rotateToken(queries, id, GRACE_MINUTES) })
  return (
    <>
      <p className={classes.quiet}>{welcomeText('alert.again', { name })}</p>
      <Refused refusal={rotate.error ? toRefusal(rotate.error) : null} />
      <Button size="md" className={classes.button} loading={rotate.isPending} onClick={() => rotate.mutate()}>
        {welcomeText('alert.show')}
      </Button>
    </>
  )
}

/**
 * What happened to the incident. The button resolves it, so that a person sees both of its states.
 */
function Outcome({ incident }: { incident: Incident }) {
  const queries = useQueryClient()
  const mayAct = useMay('act')
  const resolve = useMutation({
    // A person who sends the same alert again here expects the incident to open again.
    mutationFn: () =>
      take(client.POST('/api/v1/incidents/{id}/resolve', { params: { path: { id: incident.id } }, body: { until_recovered: false } })),
    onSuccess: (resolved) => {
      queries.setQueryData(incidentQuery(incident.key).queryKey, (before) => before && { ...before, ...resolved })
      return queries.invalidateQueries({ queryKey: ['incidents', 'list'] })
    },
    onError: (error) => tellRefused(welcomeText('alert.resolving'), error)
  })
  return (
    <p className={classes.state}>
      <Status look={incidentLook(incident)} />
      {incident.status === 'ongoing' &&
        (mayAct ? (
          <Button variant="default" loading={resolve.isPending} onClick={() => resolve.mutate()}>
            {welcomeText('alert.resolve', { key: incident.key })}
          </Button>
        ) : (
          <span className={classes.quiet}>{welcomeText('alert.responder')}</span>
        ))}
    </p>
  )
}
