/** Who acts as which member from a chat app. Shows nothing if nobody does. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { chatIdentitiesQuery, linkedSendersQuery, unlinkSender } from '../../api/chat.ts'
import type { LinkedSender } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { figure } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { chatText } from '../../texts/chat.ts'
import classes from './List.module.css'

export function LinkedSenders() {
  const asked = useQuery(linkedSendersQuery)
  const { data } = asked
  if (!data) return <Awaiting of={asked} rows={0} />
  if (data.items.length === 0) return null
  const more = data.total - data.items.length
  return (
    <Section title={chatText('all.title')}>
      <p className={classes.note}>{chatText('all.hint')}</p>
      <ul className={classes.list} aria-label={chatText('all.title')}>
        {data.items.map((linked) => (
          <Row key={linked.id} linked={linked} />
        ))}
      </ul>
      {more > 0 && <p className={classes.note}>{chatText('all.more', { count: figure(more) })}</p>}
    </Section>
  )
}

function Row({ linked: { id, vendor, account, sender, name, linked_at, member } }: { linked: LinkedSender }) {
  const queries = useQueryClient()
  const shown = name || sender

  async function unlink(): Promise<void> {
    await unlinkSender(id)
    await Promise.all([linkedSendersQuery, chatIdentitiesQuery].map(({ queryKey }) => queries.invalidateQueries({ queryKey })))
    tellDone(chatText('all.done', { name: shown, member: member.name }))
  }

  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{shown}</p>
        <p className={classes.facts}>
          <span>{chatText('all.as', { member: member.name })}</span>
          <span>{chatText(`vendor.${vendor}`)}</span>
          <span>{chatText('list.how', { account, sender })}</span>
          <span>
            {chatText('list.since')} <Since at={linked_at} />
          </span>
        </p>
      </div>
      <div className={classes.actions}>
        <Confirm
          label={chatText('list.unlink')}
          aria-label={`${chatText('list.unlink')}: ${shown}, ${member.name}`}
          question={chatText('all.question', { name: shown, member: member.name })}
          verb={chatText('list.unlink')}
          act={unlink}
        >
          {chatText('all.hint.unlink', { member: member.name })}
        </Confirm>
      </div>
    </li>
  )
}
