/** Accounts in chat apps that act as the person. */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { chatIdentitiesQuery, pairTelegram, unlinkChat } from '../../api/chat.ts'
import type { ChatIdentity } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { chatText } from '../../texts/chat.ts'
import classes from './Reach.module.css'

export function ChatIdentities() {
  const asked = useQuery(chatIdentitiesQuery)
  const { data } = asked
  return (
    <Section title={chatText('list.title')}>
      {!data ? (
        <Awaiting of={asked} rows={1} />
      ) : data.items.length === 0 ? (
        <p className={classes.none}>{chatText('list.none')}</p>
      ) : (
        <ul className={classes.list} aria-label={chatText('list.title')}>
          {data.items.map((identity) => (
            <Identity key={identity.id} identity={identity} />
          ))}
        </ul>
      )}
      {data?.bots.map(({ name }) => (
        <Pair key={name} bot={name} />
      ))}
    </Section>
  )
}

/** Makes the link first: it works once, and for a quarter of an hour. */
function Pair({ bot }: { bot: string }) {
  const [link, setLink] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function make(): Promise<void> {
    setBusy(true)
    try {
      setLink((await pairTelegram(bot)).url)
    } catch (error) {
      tellRefused(chatText('bot.what'), error)
    } finally {
      setBusy(false)
    }
  }

  if (link === null)
    return (
      <Button variant="default" mb="md" loading={busy} onClick={() => void make()}>
        {chatText('bot.link', { bot })}
      </Button>
    )
  return (
    <p role="status" className={classes.none}>
      <a href={link} target="_blank" rel="noreferrer">
        {chatText('bot.open', { bot })}
      </a>{' '}
      {chatText('bot.hint')}
    </p>
  )
}

function Identity({ identity: { id, vendor, account, sender, name, linked_at } }: { identity: ChatIdentity }) {
  const queries = useQueryClient()
  const shown = name || sender

  async function unlink(): Promise<void> {
    await unlinkChat(id)
    await queries.invalidateQueries({ queryKey: chatIdentitiesQuery.queryKey })
    tellDone(chatText('list.done', { name: shown }))
  }

  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{shown}</p>
        <p className={classes.facts}>
          <span>{chatText(`vendor.${vendor}`)}</span>
          <span>{chatText('list.how', { account, sender })}</span>
          <span>
            {chatText('list.since')} <Since at={linked_at} />
          </span>
        </p>
      </div>
      <Confirm
        label={chatText('list.unlink')}
        aria-label={`${chatText('list.unlink')}: ${shown}`}
        question={chatText('list.question', { name: shown })}
        verb={chatText('list.unlink')}
        act={unlink}
      >
        {chatText('list.hint')}
      </Confirm>
    </li>
  )
}
