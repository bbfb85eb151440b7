/** The second way: a job that reports that it ran, with the command that reports it. */
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { client, take, toRefusal } from '../../api/client.ts'
import type { Heartbeat } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { Awaited } from '../../parts/Awaited.tsx'
import { CopyBlock } from '../../parts/Copy.tsx'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { lookOf } from '../../parts/Status.tsx'
import { welcomeText } from '../../texts/welcome.ts'
import { lookAgain } from './firstSteps.ts'
import { Step } from './Step.tsx'
import classes from './Welcome.module.css'

const DAY_SECONDS = 86_400

const waiting = lookOf('off', CircleDashed, () => welcomeText('ping.waiting'))
const pinged = lookOf('good', CircleCheck, () => welcomeText('ping.arrived'))

export function Ping({ heartbeat, done, mayWrite }: { heartbeat: Heartbeat | null; done: boolean; mayWrite: boolean }) {
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: () =>
      take(
        client.POST('/api/v1/heartbeats', {
          body: { name: welcomeText('ping.name'), schedule: { kind: 'period', period_seconds: DAY_SECONDS } }
        })
      ),
    onSuccess: () => lookAgain(queries, 'heartbeats')
  })
  return (
    <Step
      number={2}
      title={welcomeText('ping.title')}
      done={done}
      what={welcomeText('ping.what')}
      next={welcomeText(heartbeat ? 'ping.next' : 'ping.next_first')}
    >
      {heartbeat ? (
        <>
          {heartbeat.ping_url !== null && <CopyBlock title={welcomeText('ping.command')} text={`curl -fsS '${heartbeat.ping_url}'`} />}
          <Awaited look={heartbeat.last_ping_at === null ? waiting : pinged}>
            {heartbeat.last_ping_at === null ? (
              welcomeText('step.turns')
            ) : (
              <>
                <Link to="/heartbeats/$id" params={{ id: heartbeat.id }}>
                  {heartbeat.name}
                </Link>{' '}
                <Since at={heartbeat.last_ping_at} />
                {heartbeat.next_expected_at !== null && (
                  <Around text={welcomeText('ping.expected', { at: HERE })}>
                    <Since at={heartbeat.next_expected_at} />
                  </Around>
                )}
              </>
            )}
          </Awaited>
        </>
      ) : mayWrite ? (
        <>
          <Refused refusal={create.error ? toRefusal(create.error) : null} />
          <Button size="md" className={classes.button} loading={create.isPending} onClick={() => create.mutate()}>
            {welcomeText('ping.verb')}
          </Button>
        </>
      ) : (
        <p className={classes.quiet}>{welcomeText('step.editor')}</p>
      )}
    </Step>
  )
}
