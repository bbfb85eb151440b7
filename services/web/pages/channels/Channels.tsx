/** Notification channels: where messages go, and whether they arrive. */
import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BellRing, Plus } from 'lucide-react'
import { useState } from 'react'
import { channelsQuery } from '../../api/channels.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { NotificationChannel } from '../../api/shapes.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { useKeys } from '../../shell/keys.ts'
import { channelsText } from '../../texts/channels.ts'
import classes from '../settings/List.module.css'
import { ChannelForm } from './ChannelForm.tsx'
import { ChannelRow } from './ChannelRow.tsx'

function answerOf(channels: readonly NotificationChannel[]): string {
  if (channels.length === 0) return channelsText('answer.none')
  const all = channels.length === 1 ? channelsText('answer.one') : channelsText('answer.many', { count: channels.length })
  const bad = channels.filter(({ enabled, health }) => enabled && health.state !== 'ok').length
  return bad === 0 ? all : channelsText('answer.bad', { channels: all, count: bad })
}

export function Channels() {
  const may = useMay('write')
  const administers = useMay('administer')
  const { mail } = useSession()
  const asked = useQuery(channelsQuery)
  const channels = asked.data?.items
  const [adding, setAdding] = useState(false)
  useKeys(may ? { c: () => setAdding(true) } : {})
  const button = may ? (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {channelsText('page.add')}
    </Button>
  ) : null
  return (
    <>
      <PageHead
        title={channelsText('page.title')}
        answer={channels ? answerOf(channels) : channelsText('page.title')}
        actions={channels?.length === 0 ? null : button}
      >
        <span>{channelsText('page.how')}</span>
        {mail === 'kept' && administers && <Link to="/settings/mailbox">{channelsText('page.mailbox')}</Link>}
        {mail === 'none' && <span>{channelsText('page.no_mail')}</span>}
        {!may && <span>{channelsText('page.read_only')}</span>}
      </PageHead>
      {!channels ? (
        <Awaiting of={asked} rows={4} height={64} />
      ) : channels.length === 0 ? (
        <Empty icon={BellRing} title={channelsText('empty.title')} action={button}>
          {channelsText('empty.hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={channelsText('page.title')}>
          {channels.map((channel) => (
            <ChannelRow key={channel.id} channel={channel} may={may} />
          ))}
        </ul>
      )}
      <Modal opened={adding} onClose={() => setAdding(false)} title={channelsText('page.add')}>
        <ChannelForm onClose={() => setAdding(false)} />
      </Modal>
    </>
  )
}
