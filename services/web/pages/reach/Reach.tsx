/** How the person is notified: by which methods, in which order, and when not. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { chatIdentitiesQuery } from '../../api/chat.ts'
import { devicesQuery, preferencesQuery } from '../../api/reach.ts'
import type { ContactMethod, Preferences } from '../../api/shapes.ts'
import { PageHead, Section } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { stillComes } from '../../parts/still-comes.ts'
import { reachText } from '../../texts/reach.ts'
import { AddMethod } from './AddMethod.tsx'
import { ChatIdentities } from './ChatIdentities.tsx'
import { Method } from './Method.tsx'
import classes from './Reach.module.css'
import { WishesForm } from './WishesForm.tsx'

function answerOf({ contact_methods }: Preferences): string {
  const verified = contact_methods.filter(({ verified_at }) => verified_at !== null)
  const [first] = verified
  if (!first) return reachText('answer.none')
  const word = reachText(`kind.${first.kind}`).toLowerCase()
  return verified.length === 1
    ? reachText('answer.one', { first: word })
    : reachText('answer.many', { first: word, count: verified.length - 1 })
}

export function Reach() {
  const asked = useQuery(preferencesQuery)
  const ofDevices = useQuery(devicesQuery)
  const ofChats = useQuery(chatIdentitiesQuery)
  const [added, setAdded] = useState(0)
  const { data: devices } = ofDevices
  const { data: chats } = ofChats
  const { data: preferences } = asked
  if (!preferences || stillComes(ofDevices, ofChats))
    return (
      <>
        <PageHead title={reachText('page.title')} answer={reachText('page.title')} />
        <Awaiting of={asked} rows={6} />
      </>
    )
  const { contact_methods } = preferences
  /** Shows the account of a chat app by its name, not by its number. */
  const called = (method: ContactMethod): ContactMethod => ({
    ...method,
    address: chats?.items.find(({ id }) => id === method.id)?.name || method.address
  })
  return (
    <>
      <PageHead title={reachText('page.title')} answer={answerOf(preferences)}>
        <span>{reachText('page.how')}</span>
      </PageHead>
      <Section title={reachText('methods.title')}>
        {contact_methods.length === 0 ? (
          <p className={classes.none}>{reachText('methods.none')}</p>
        ) : (
          <ul className={classes.list} aria-label={reachText('methods.title')}>
            {contact_methods.map((method) => (
              <Method key={method.id} method={called(method)} device={devices?.find(({ id }) => id === method.id)} />
            ))}
          </ul>
        )}
        <AddMethod key={added} preferences={preferences} onAdded={() => setAdded((before) => before + 1)} />
      </Section>
      <ChatIdentities />
      <WishesForm preferences={preferences} />
    </>
  )
}
