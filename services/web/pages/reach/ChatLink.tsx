/**
 * The page behind the link that a chat app gave to an unknown sender. It names the account and asks
 * first. Opening the page changes nothing.
 */
import { Alert, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { chatIdentitiesQuery, chatLinkQuery, linkChat } from '../../api/chat.ts'
import { isGone, type Refusal, toRefusal } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import type { ChatIdentity } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { chatText } from '../../texts/chat.ts'
import classes from './Reach.module.css'

export function ChatLinkPage() {
  const { token } = useParams({ from: '/inside/links/chat/$token' })
  const asked = useQuery(chatLinkQuery(token))
  const [linked, setLinked] = useState<ChatIdentity | null>(null)
  if (linked) return <Done identity={linked} />
  if (isGone(asked.error))
    return (
      <PageHead title={chatText('page.title')} answer={chatText('gone.title')}>
        <span>{chatText('gone.hint')}</span>
      </PageHead>
    )
  if (asked.data) return <Ask token={token} who={asked.data} onLinked={setLinked} />
  return (
    <>
      <PageHead title={chatText('page.title')} answer={chatText('page.title')} />
      <Awaiting of={asked} rows={4} />
    </>
  )
}

function Done({ identity: { vendor, name, sender } }: { identity: ChatIdentity }) {
  return (
    <>
      <PageHead
        title={chatText('page.title')}
        answer={chatText('done.title', { name: name || sender, vendor: chatText(`vendor.${vendor}`) })}
      >
        <span>{chatText('done.hint')}</span>
      </PageHead>
      <Button component={Link} to="/settings/notifications" variant="default">
        {chatText('done.verb')}
      </Button>
    </>
  )
}

interface AskProps {
  token: string
  who: Pick<ChatIdentity, 'vendor' | 'account' | 'sender' | 'name'>
  onLinked: (identity: ChatIdentity) => void
}

function Ask({ token, who: { vendor, account, sender, name }, onLinked }: AskProps) {
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const [acting, setActing] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const at = chatText(`vendor.${vendor}`)

  async function link(): Promise<void> {
    setActing(true)
    setRefusal(null)
    try {
      const identity = await linkChat(token)
      await queries.invalidateQueries({ queryKey: chatIdentitiesQuery.queryKey })
      onLinked(identity)
    } catch (error) {
      setRefusal(toRefusal(error))
    } finally {
      setActing(false)
    }
  }

  return (
    <>
      <PageHead title={chatText('page.title')} answer={chatText('ask.question', { name: name || sender, vendor: at })}>
        <span>{chatText('ask.hint', { person: session?.user?.name ?? '', workspace: session?.workspace.name ?? '' })}</span>
      </PageHead>
      <ul className={classes.list}>
        <li className={classes.row}>
          <span>{chatText('ask.account', { vendor: at })}</span>
          <span className={classes.name}>{account}</span>
        </li>
        <li className={classes.row}>
          <span>{chatText('ask.sender')}</span>
          <span className={classes.name}>{sender}</span>
        </li>
      </ul>
      <Alert color="yellow" variant="light" mb="md">
        {chatText('ask.warn')}
      </Alert>
      <Refused refusal={refusal} />
      <div className={classes.line}>
        <Button loading={acting} onClick={() => void link()}>
          {chatText('ask.verb')}
        </Button>
        <Button component={Link} to="/" variant="default">
          {chatText('ask.no')}
        </Button>
      </div>
    </>
  )
}
