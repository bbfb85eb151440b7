/**
 * Notifications: one click creates an e-mail channel for the person's own address and sends a test
 * through it. The answer of the other side is shown.
 */
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { channelsOf, createChannel, testChannel } from '../../api/channels.ts'
import { toRefusal } from '../../api/client.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { NotificationChannel } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { channelsText } from '../../texts/channels.ts'
import { TestAnswer } from '../channels/TestAnswer.tsx'
import { Step } from './Step.tsx'

/**
 * Meant for the first minute of a workspace: a longer list of channels is no first step any more.
 */
const LOOKED_AT = 20

const hasArrived = ({ enabled, health }: NotificationChannel): boolean => enabled && health.state === 'ok' && health.last_ok_at !== null

export function Tell({ number }: { number: number }) {
  const may = useMay('write')
  const administers = useMay('administer')
  const { user, mail } = useSession()
  const queries = useQueryClient()
  const channels = useQuery(channelsOf({ per_page: LOOKED_AT })).data?.items
  const arrived = channels?.find(hasArrived)
  const mails = channels?.find(({ kind, config }) => kind === 'email' && config.recipient === user?.email)
  const tell = useMutation({
    mutationFn: async () => {
      const recipient = user?.email ?? ''
      const { id } =
        mails ??
        (await createChannel({
          name: channelsText('tell.name'),
          kind: 'email',
          config: { recipient },
          is_default: true
        }))
      return testChannel(id)
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['channels'] })
  })
  if (!user || !channels || mail === 'none') return null
  return (
    <Step
      number={number}
      title={channelsText('tell.title')}
      what={channelsText('tell.what', { address: user.email })}
      done={arrived !== undefined}
      next={
        <>
          {tell.data?.ok && mail === 'kept' && administers && <Link to="/settings/mailbox">{channelsText('page.mailbox')}</Link>}{' '}
          <Link to="/settings/channels/new">{channelsText('tell.others')}</Link>
        </>
      }
    >
      {may ? (
        <div>
          <Button variant={arrived ? 'default' : 'filled'} loading={tell.isPending} onClick={() => tell.mutate()}>
            {channelsText('tell.verb')}
          </Button>
        </div>
      ) : (
        <p>{channelsText('page.read_only')}</p>
      )}
      {tell.data && <TestAnswer answer={tell.data} />}
      {tell.error && <Refused refusal={toRefusal(tell.error)} />}
    </Step>
  )
}
