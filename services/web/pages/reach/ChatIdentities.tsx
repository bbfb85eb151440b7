/** Chat app accounts that act as the person. */
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { chatIdentitiesQuery, pairTelegram, unlinkChat } from '../../api/chat.ts'
import { changePreferences, preferencesQuery } from '../../api/reach.ts'
import type { ChatIdentity } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { chatText } from '../../texts/chat.ts'
import { kept } from './methods.ts'
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

/** Creates the link first. The link works once, within a quarter of an hour. */
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

/** If the workspace has the chat app, messages about incidents can go to the account itself. */
function useMessages({ messages, account, sender, name }: ChatIdentity) {
  const queries = useQueryClient()
  const { data: preferences } = useQuery(preferencesQuery)
  const address = `${account}:${sender}`
  const has = preferences?.contact_methods.some((one) => one.kind === 'slack_dm' && one.address === address) ?? true
  const add = useMutation({
    mutationFn: async () => {
      await changePreferences(queries, ({ contact_methods }) => ({
        contact_methods: [...contact_methods.flatMap(kept), { kind: 'slack_dm', address }]
      }))
      await queries.invalidateQueries({ queryKey: preferencesQuery.queryKey })
      tellDone(chatText('messages.done', { name: name || sender }))
    },
    onError: (error) => tellRefused(chatText('messages.what'), error)
  })
  return messages && !has ? add : null
}

function Identity({ identity }: { identity: ChatIdentity }) {
  const { id, vendor, account, sender, name, linked_at } = identity
  const queries = useQueryClient()
  const shown = name || sender
  const messages = useMessages(identity)

  async function unlink(): Promise<void> {
    await unlinkChat(id)
    await queries.invalidateQueries({ queryKey: chatIdentitiesQuery.queryKey })
    await queries.invalidateQueries({ queryKey: preferencesQuery.queryKey })
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
      <div className={classes.line}>
        {messages && (
          <Button
            variant="default"
            loading={messages.isPending}
            onClick={() => messages.mutate()}
            aria-label={`${chatText('messages.verb')}: ${shown}`}
          >
            {chatText('messages.verb')}
          </Button>
        )}
        <Confirm
          label={chatText('list.unlink')}
          aria-label={`${chatText('list.unlink')}: ${shown}`}
          question={chatText('list.question', { name: shown })}
          verb={chatText('list.unlink')}
          act={unlink}
        >
          {chatText('list.hint')}
        </Confirm>
      </div>
    </li>
  )
}
