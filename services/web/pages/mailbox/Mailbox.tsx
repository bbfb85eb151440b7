/** The mails that this run stores instead of sending them. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Mail, MailX } from 'lucide-react'
import { emptyMailbox, MAILS_PER_PAGE, mailsQuery } from '../../api/mailbox.ts'
import type { KeptMail } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import { mailboxText } from '../../texts/mailbox.ts'
import classes from '../settings/List.module.css'

const answerOf = (count: number): string =>
  count === 0 ? mailboxText('answer.none') : count === 1 ? mailboxText('answer.one') : mailboxText('answer.many', { count })

export const notSent = { tone: 'off', icon: MailX, word: mailboxText('mail.not_sent') } as const

export function Mailbox() {
  const { page = 1 } = useSearch({ from: '/inside/settings/mailbox' })
  const navigate = useNavigate({ from: '/settings/mailbox' })
  const asked = useQuery(mailsQuery(page))
  const { data: list } = asked
  return (
    <>
      <PageHead
        title={mailboxText('page.title')}
        answer={list ? answerOf(list.total) : mailboxText('page.title')}
        actions={list && list.total > 0 ? <DeleteAll /> : null}
      >
        <span>{mailboxText('page.how')}</span>
      </PageHead>
      {!list ? (
        <Awaiting of={asked} rows={5} height={56} />
      ) : list.total === 0 ? (
        <Empty icon={Mail} title={mailboxText('empty.title')}>
          {mailboxText('empty.hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={mailboxText('page.title')}>
          {list.items.map((mail) => (
            <Row key={mail.id} mail={mail} />
          ))}
        </ul>
      )}
      {list && (
        <Pager
          page={page}
          perPage={MAILS_PER_PAGE}
          total={list.total}
          go={(to) => void navigate({ search: to === undefined ? {} : { page: to } })}
        />
      )}
    </>
  )
}

function Row({ mail: { id, subject, recipient, at } }: { mail: KeptMail }) {
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          <Link to="/settings/mailbox/$id" params={{ id }}>
            {subject}
          </Link>
        </p>
        <p className={classes.facts}>
          <Status look={notSent} />
          <span>{mailboxText('mail.to', { recipient })}</span>
          <Since at={at} />
        </p>
      </div>
    </li>
  )
}

function DeleteAll() {
  const queries = useQueryClient()
  async function empty(): Promise<void> {
    await emptyMailbox()
    await queries.invalidateQueries({ queryKey: ['mailbox'] })
    tellDone(mailboxText('delete.done'))
  }
  return (
    <Confirm label={mailboxText('page.empty')} question={mailboxText('delete.question')} verb={mailboxText('page.empty')} act={empty}>
      {mailboxText('delete.hint')}
    </Confirm>
  )
}
