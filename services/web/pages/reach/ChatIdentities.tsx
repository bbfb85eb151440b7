/** Accounts in chat apps that act as the person. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { chatIdentitiesQuery, unlinkChat } from '../../api/chat.ts'
import type { ChatIdentity } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
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
    </Section>
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
