/**
 * First steps: three ways to see the service work within a minute, each with the real command, each
 * turning green where it stands.
 */
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/session.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { Alert } from './Alert.tsx'
import { useFirstSteps } from './firstSteps.ts'
import { Ping } from './Ping.tsx'
import { Tell } from './Tell.tsx'
import { Watch } from './Watch.tsx'
import classes from './Welcome.module.css'

const answers = ['See it work: three ways, one minute each', 'One works, two to go', 'Two work, one to go', 'All three work'] as const

export function Welcome() {
  const mayWrite = useMay('write')
  const { steps, asked } = useFirstSteps({ waits: true })
  if (!steps)
    return (
      <>
        <PageHead title="First steps" answer="First steps" />
        <Awaiting of={asked} rows={6} height={72} />
      </>
    )
  const { monitor, heartbeat, integration, incident, watched, pinged, alerted, done } = steps
  return (
    <>
      <PageHead title="First steps" answer={answers[done]}>
        {done === 3 ? 'What comes next is below.' : 'In any order. Each one turns green on its own when it works.'}
      </PageHead>
      <ol className={classes.steps}>
        <Watch monitor={monitor} watched={watched} mayWrite={mayWrite} />
        <Ping heartbeat={heartbeat} done={pinged} mayWrite={mayWrite} />
        <Alert integration={integration} incident={incident} done={alerted} mayWrite={mayWrite} />
        <Tell number={4} />
      </ol>
      {done === 3 && (
        <nav className={classes.after} aria-label="What comes next">
          <Link to="/integrations/new">Connect a tool you use</Link>
          <Link to="/monitors/new">Monitor more</Link>
          <Link to="/settings/members">Invite others</Link>
          <Link to="/settings/tokens">Create an API token</Link>
          <Link to="/">To the overview</Link>
        </nav>
      )}
    </>
  )
}
