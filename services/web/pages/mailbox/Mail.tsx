/** One stored mail: as its reader sees it, as text, and as a mail server would receive it. */
import { SegmentedControl } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { mailHtmlPath, mailQuery } from '../../api/mailbox.ts'
import type { KeptMailInFull } from '../../api/shapes.ts'
import { CopyBlock } from '../../parts/Copy.tsx'
import { Facts, PageHead } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { mailboxText } from '../../texts/mailbox.ts'
import classes from './Mail.module.css'
import { notSent } from './Mailbox.tsx'

const back = { to: '/settings/mailbox', label: mailboxText('page.back') }

export function MailPage() {
  const { id } = useParams({ from: '/inside/settings/mailbox/$id' })
  const asked = useQuery(mailQuery(id))
  if (asked.data) return <Shown key={id} mail={asked.data} />
  return (
    <>
      <PageHead title={mailboxText('page.title')} answer={mailboxText('page.title')} back={back} />
      <Awaiting of={asked} rows={6} />
    </>
  )
}

function Shown({ mail }: { mail: KeptMailInFull }) {
  const { subject, recipient, at, headers } = mail
  const header = (wanted: string): string | null => headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? null
  const fact = (name: string, value: string | null) => (value === null ? null : ([name, value] as const))
  return (
    <>
      <PageHead title={subject} answer={subject} back={back}>
        <Status look={notSent} />
        <span>{mailboxText('mail.how')}</span>
      </PageHead>
      <Facts
        facts={[
          fact(mailboxText('fact.from'), header('from')),
          [mailboxText('fact.to'), recipient],
          [mailboxText('fact.at'), <Since key="at" at={at} />],
          fact(mailboxText('fact.thread'), header('in-reply-to')),
          fact(mailboxText('fact.unsubscribe'), header('list-unsubscribe'))
        ]}
      />
      <Body mail={mail} />
    </>
  )
}

function Body({ mail }: { mail: KeptMailInFull }) {
  const [form, setForm] = useState(mail.has_html ? 'html' : 'text')
  const forms = [...(mail.has_html ? (['html'] as const) : []), 'text' as const, 'source' as const]
  return (
    <>
      <SegmentedControl
        mt="md"
        mb="md"
        aria-label={mailboxText('mail.show')}
        value={form}
        onChange={setForm}
        data={forms.map((value) => ({ value, label: mailboxText(`mail.${value}`) }))}
      />
      {form === 'html' && (
        // Nothing in a mail may run: no scripts, and the frame has an origin of its own.
        <iframe
          className={classes.frame}
          title={mailboxText('mail.frame')}
          src={mailHtmlPath(mail.id)}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          referrerPolicy="no-referrer"
        />
      )}
      {form === 'text' && <pre className={classes.text}>{mail.text ?? mailboxText('mail.no_text')}</pre>}
      {form === 'source' && <CopyBlock title={mailboxText('mail.mime')} text={mail.mime} />}
    </>
  )
}
