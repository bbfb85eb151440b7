/** The second way: a job that says it ran, with the command that says so. */
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { client, take, toRefusal } from '../../api/client.ts'
import type { Heartbeat } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { Awaited } from '../../parts/Awaited.tsx'
import { CopyBlock } from '../../parts/Copy.tsx'
import { Since } from '../../parts/Since.tsx'
import { lookAgain } from './firstSteps.ts'
import { Step } from './Step.tsx'
import classes from './Welcome.module.css'

const DAY_SECONDS = 86_400

const waiting = { tone: 'off', icon: CircleDashed, word: 'Waiting for the first ping…' } as const
const pinged = { tone: 'good', icon: CircleCheck, word: 'The ping arrived' } as const

export function Ping({ heartbeat, done, mayWrite }: { heartbeat: Heartbeat | null; done: boolean; mayWrite: boolean }) {
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: () =>
      take(
        client.POST('/api/v1/heartbeats', {
          body: { name: 'My first heartbeat', schedule: { kind: 'period', period_seconds: DAY_SECONDS } }
        })
      ),
    onSuccess: () => lookAgain(queries, 'heartbeats')
  })
  return (
    <Step
      number={2}
      title="Monitor a job"
      done={done}
      what="A job such as a backup calls a URL when it has run. The service notices when the call is missing."
      next={
        heartbeat
          ? 'Put the command at the end of the job. When a ping does not come in time an incident opens; the next ping resolves it.'
          : 'Then put its command at the end of the job: a ping that does not come in time opens an incident.'
      }
    >
      {heartbeat ? (
        <>
          {heartbeat.ping_url !== null && <CopyBlock title="Ping it" text={`curl -fsS '${heartbeat.ping_url}'`} />}
          <Awaited look={heartbeat.last_ping_at === null ? waiting : pinged}>
            {heartbeat.last_ping_at === null ? (
              'This line turns green on its own.'
            ) : (
              <>
                <Link to="/heartbeats/$id" params={{ id: heartbeat.id }}>
                  {heartbeat.name}
                </Link>{' '}
                <Since at={heartbeat.last_ping_at} />
                {heartbeat.next_expected_at !== null && (
                  <>
                    , the next one is expected <Since at={heartbeat.next_expected_at} />
                  </>
                )}
              </>
            )}
          </Awaited>
        </>
      ) : mayWrite ? (
        <>
          <Refused refusal={create.error ? toRefusal(create.error) : null} />
          <Button size="md" className={classes.button} loading={create.isPending} onClick={() => create.mutate()}>
            Create a heartbeat
          </Button>
        </>
      ) : (
        <p className={classes.quiet}>An editor of the workspace can create the first one.</p>
      )}
    </Step>
  )
}
