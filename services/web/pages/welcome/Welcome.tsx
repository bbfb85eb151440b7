/**
 * First steps: three ways to see the service work within a minute. Each has the real command and
 * turns green in its place.
 */
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/session.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { welcomeText } from '../../texts/welcome.ts'
import { Alert } from './Alert.tsx'
import { useFirstSteps } from './firstSteps.ts'
import { Ping } from './Ping.tsx'
import { Tell } from './Tell.tsx'
import { Watch } from './Watch.tsx'
import classes from './Welcome.module.css'

const answers = ['answer.0', 'answer.1', 'answer.2', 'answer.3'] as const

export function Welcome() {
  const mayWrite = useMay('write')
  const { steps, asked } = useFirstSteps({ waits: true })
  if (!steps)
    return (
      <>
        <PageHead title={welcomeText('page.title')} answer={welcomeText('page.title')} />
        <Awaiting of={asked} rows={6} height={72} />
      </>
    )
  const { monitor, heartbeat, integration, incident, watched, pinged, alerted, done } = steps
  return (
    <>
      <PageHead title={welcomeText('page.title')} answer={welcomeText(answers[done] ?? 'answer.3')}>
        {welcomeText(done === 3 ? 'page.hint_done' : 'page.hint')}
      </PageHead>
      <ol className={classes.steps}>
        <Watch monitor={monitor} watched={watched} mayWrite={mayWrite} />
        <Ping heartbeat={heartbeat} done={pinged} mayWrite={mayWrite} />
        <Alert integration={integration} incident={incident} done={alerted} mayWrite={mayWrite} />
        <Tell number={4} />
      </ol>
      {done === 3 && (
        <nav className={classes.after} aria-label={welcomeText('next.label')}>
          <Link to="/integrations/new">{welcomeText('next.tool')}</Link>
          <Link to="/monitors/new">{welcomeText('next.monitor')}</Link>
          <Link to="/settings/members">{welcomeText('next.invite')}</Link>
          <Link to="/settings/tokens">{welcomeText('next.token')}</Link>
          <Link to="/">{welcomeText('next.overview')}</Link>
        </nav>
      )}
    </>
  )
}
